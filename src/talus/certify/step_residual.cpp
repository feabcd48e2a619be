#include <talus/certify/step_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/certify/detail/ratio.hpp>
#include <talus/certify/detail/velocity_scale.hpp>

namespace talus::certify {
namespace {

constexpr Real kEnergyRounding = 1e-13;  // of the energy of motion
constexpr Real kFixedMass = 1;  // [kg] of rows that nothing moves: any, they may not be violated

Real squared(Real x) { return x * x; }

/// |x| less what rounding makes of it.
Real beyond(Real x, Real round_off) { return std::max(std::abs(x) - round_off, Real(0)); }

Real inertia(const StepRow& row) { return row.own > 0 ? 1 / row.own : kFixedMass; }

}  // namespace

StepResidual::Size& StepResidual::size(Index island) {
  if (island >= static_cast<Index>(size_.size())) size_.resize(island + 1);
  return size_[island];
}

void StepResidual::violate(const StepRow& row, Real distance, Real demand, Real power) {
  is_finite_ = is_finite_ && std::isfinite(distance) && std::isfinite(row.before);
  const Real rho = inertia(row);
  size(row.island).demand += rho * squared(demand);
  size(row.island).impulse += squared(row.impulse) / rho;
  violations_.push_back({row.island, contact_, distance, 1 / rho, std::abs(demand),
                         std::abs(row.before), row.applied, std::abs(power)});
}

void StepResidual::add_equation(Index island, Real mass, Real error, Real applied, Real size_of,
                                Real momentum) {
  is_finite_ = is_finite_ && std::isfinite(error) && std::isfinite(applied);
  motion_ += squared(error) / mass;
  momenta_ += squared(size_of) / mass;
  size(island).demand += squared(applied) / mass;
  size(island).energy += squared(momentum) / mass;
}

void StepResidual::add_constraint(const StepRow& row) {
  violate(row, beyond(row.rate, row.round_off) * std::sqrt(inertia(row)), row.before);
}

void StepResidual::add_normal(const StepRow& row) {
  const Real root = std::sqrt(inertia(row));
  const Real impulse = row.impulse / root, rate = row.rate * root, noise = row.round_off * root;
  violate(row, beyond(std::min(impulse, rate), noise), std::min(row.before, Real(0)),
          row.impulse * beyond(row.rate, row.resolution));
  primal_ += squared(std::min(impulse, Real(0)));
  dual_ += squared(beyond(std::min(rate, Real(0)), noise));
}

void StepResidual::add_approach(const StepRow& row) {
  const Real distance =
      beyond(std::min(row.rate, Real(0)), row.round_off) * std::sqrt(inertia(row));
  violate(row, distance, std::min(row.before, Real(0)));
  dual_ += squared(distance);
}

void StepResidual::add_function(const StepRow& row, Real by_law, Real slope) {
  if (!(row.own > 0)) return;
  // The distance from the graph is that along the impulses, divided by √(1 + (slope own)²) or less.
  const Real steep = slope * row.own;
  const Real distance = std::abs(row.impulse - by_law) * std::sqrt(row.own) / (1 + steep);
  violate(row, beyond(distance, row.round_off / std::sqrt(row.own)), 0);
}

void StepResidual::add_idle_drag(const StepRow& row, Real viscous, const StepRow& opening) {
  if (!(row.own > 0)) return;
  const Real root = std::sqrt(row.own), all = -viscous * row.rate;
  const Real part = std::clamp(row.impulse, std::min(all, Real(0)), std::max(all, Real(0)));
  const Real off =
      beyond(std::abs(row.impulse - part) * root / (1 + viscous * row.own), row.round_off / root);
  const Real opens = beyond(opening.rate, opening.round_off) * std::sqrt(inertia(opening));
  const Real none = beyond(std::abs(row.impulse) * root, row.round_off / root);
  violate(row, std::min(none, std::hypot(off, opens)), 0);
}

void StepResidual::add_friction(const StepRow& row, Real lower, Real upper, Real slip) {
  if (!(row.own > 0)) return;
  const Real root = std::sqrt(row.own), rate = std::abs(row.rate) / root;
  const Real r = row.impulse, seen = beyond(row.rate, row.resolution);
  const auto outside = [&](Real low, Real high) { return root * (r - std::clamp(r, low, high)); };
  const Real held = std::hypot(outside(std::min(lower, upper), upper), rate);
  const Real forward = std::hypot(root * (r + slip), row.rate < 0 ? rate : 0);
  const Real backward = std::hypot(root * (r - slip), row.rate > 0 ? rate : 0);
  violate(row, beyond(std::min({held, forward, backward}), row.round_off / root), 0,
          r * std::copysign(seen, row.rate) + slip * seen);
  primal_ += squared(outside(std::min(lower, -slip), std::max(upper, slip)));
}

Certificate StepResidual::certificate() const {
  Certificate c;
  const auto islands = static_cast<Index>(size_.size());
  std::vector<Real> laws(size_.size(), 0), power = laws, stake = laws;
  std::vector<detail::Demand> demands;
  demands.reserve(violations_.size());
  for (const Violation& v : violations_) {
    laws[v.island] += squared(v.distance);
    demands.push_back({v.island, v.demand, v.speed, 1 / v.own, v.applied});
  }
  const std::vector<Real> scales = detail::velocity_scales(islands, demands);
  Real most = 0, all = 0, all_size = 0;
  c.violation = c.work = 0;
  for (std::size_t k = 0; k < violations_.size(); ++k) {
    const Violation& v = violations_[k];
    power[v.island] += v.power;
    stake[v.island] += squared(scales[k]) / v.own;
  }
  for (Index i = 0; i < islands; ++i) {
    c.work = std::max(c.work,
                      detail::ratio(beyond(power[i], kEnergyRounding * size_[i].energy), stake[i]));
    const Real island = size_[i].demand + size_[i].impulse;
    c.natural_map = std::max(c.natural_map, detail::ratio(std::sqrt(laws[i]), std::sqrt(island)));
    all += laws[i];
    all_size += island;
  }
  for (std::size_t k = 0; k < violations_.size(); ++k) {
    const Violation& v = violations_[k];
    const Real error = v.distance * std::sqrt(v.own);
    const Real relative = detail::ratio(error, scales[k]);
    c.worst_velocity = std::max(c.worst_velocity, error);
    c.violation = std::max(c.violation, relative);
    if (relative > most) {
      most = relative;
      c.worst_contact = v.contact;
      c.worst_share = squared(v.distance) / laws[v.island];
    }
  }
  c.plain = detail::ratio(std::sqrt(all), std::sqrt(all_size));
  c.primal = detail::ratio(std::sqrt(primal_), std::sqrt(all_size));
  c.dual = detail::ratio(std::sqrt(dual_), std::sqrt(all_size));
  c.equation_of_motion = detail::ratio(std::sqrt(motion_), std::sqrt(momenta_));
  c.is_finite = is_finite_ && std::isfinite(c.natural_map) && std::isfinite(c.equation_of_motion);
  return c;
}

}  // namespace talus::certify
