#include <talus/stepping/detail/planar_state_judge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/row_length.hpp>

namespace talus::stepping::detail {
namespace {

using dynamics::JacobianRow;
using dynamics::System;

/// |x| over its scale, less what rounding makes of it. @param none a rate that leads nowhere.
Real relative(Real x, Real scale, Real none) {
  const Real off = std::max(std::abs(x) - tolerance::kStateSpeedNoise * scale, Real(0));
  return off == 0 || std::abs(x) <= none ? 0 : off / scale;
}

}  // namespace

std::string to_text(const StateError& error) {
  return error.contact >= 0
             ? fmt::format(
                   "after the step bodies overlap by {:.3g} m, {:.3g} of the smaller one, "
                   "and approach at {:.3g} of the speeds about",
                   error.overlap, error.share, error.rate)
             : fmt::format(
                   "after the step {} is off by {:.3g} of the smaller body, and by {:.3g} "
                   "of the speeds about",
                   error.worst, error.position, error.rate);
}

StateError judge_state(const System& machine, Real time, const VecX& q, const VecX& v,
                       const std::vector<bool>& closed, Real speed_scale, Real step) {
  StateError error;
  Real worst = 0;
  const auto take = [&](Real position, Real share, Real rate, Index contact, Index constraint) {
    error.position = std::max(error.position, position);
    error.share = std::max(error.share, share);
    error.rate = std::max(error.rate, rate);
    if (!(std::max({position, share, rate}) > worst)) return;
    worst = std::max({position, share, rate});
    const bool is_limit = contact >= 0 && !machine.has_place(contact);
    error.contact = is_limit ? -1 : contact;
    error.worst = is_limit         ? "joint " + machine.joint_name(machine.joint_of(contact))
                  : constraint < 0 ? ""
                                   : machine.constraint_name(constraint);
  };
  const auto about = [&](const JacobianRow& row) {
    return row.magnitude(v) + speed_scale * std::sqrt(inverse_effective_mass(row, machine.mass()));
  };
  const auto none = [&](const JacobianRow& row) {
    return tolerance::kStillWay * smaller_radius(machine, row) / (row_length(machine, row) * step);
  };
  machine.take_mass(q);
  dynamics::ConstraintTerms terms;
  machine.constraints(time, q, v, terms);
  error.joints.constraint_count = machine.constraint_count();
  for (std::size_t k = 0; k < terms.rows.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const JacobianRow& row = terms.rows[k];
    const Real prescribed = std::abs(terms.rate[i] - row.times(v));
    const Real off =
        std::abs(terms.value[i]) * row_length(machine, row) / smaller_radius(machine, row);
    if (off > error.joints.drift) {
      error.joints.drift = off;
      error.joints.worst_drift = i;
    }
    if (std::abs(terms.rate[i]) > error.joints.rate) {
      error.joints.rate = std::abs(terms.rate[i]);
      error.joints.worst_rate = i;
    }
    take(off, 0, relative(terms.rate[i], about(row) + prescribed, none(row)), -1, i);
  }
  const auto overlaps = [&](Real depth, Real size, Index contact) {
    error.overlap = std::max(error.overlap, depth);
    take(0, std::max(depth, Real(0)) / size, 0, contact, -1);
  };
  std::vector<dynamics::ShapePair> near;
  machine.near_pairs(q, VecX::Zero(machine.body_count()), near);
  for (const dynamics::ShapePair& pair : near) {
    if (!model::is_rigid(machine.law(pair.first).normal)) continue;
    const Real depth = machine.overlap(pair, q);
    if (!(depth > 0)) continue;
    Index deepest = pair.first;
    for (Index i = pair.first + 1; i < pair.first + pair.count; ++i)
      if (machine.gap(i, q) < machine.gap(deepest, q)) deepest = i;
    overlaps(depth, std::min(machine.size(pair.body_a), machine.size(pair.body_b)), deepest);
  }
  dynamics::ContactTerms contact;
  const Index first = closed.empty() ? machine.shape_contact_count() : 0;
  for (Index i = first; i < machine.contact_count(); ++i) {
    if (!model::is_rigid(machine.law(i).normal)) continue;
    const bool is_closed = !closed.empty() && closed[static_cast<std::size_t>(i)];
    const bool is_of_shapes = machine.is_of_shapes(i);
    if (!is_closed && is_of_shapes) continue;
    machine.contact(i, q, v, contact);
    if (!is_of_shapes)
      overlaps(-contact.gap * row_length(machine, contact.normal),
               smaller_radius(machine, contact.normal), i);
    if (is_closed)
      take(0, 0,
           relative(std::min(contact.gap_rate, Real(0)), about(contact.normal),
                    none(contact.normal)),
           i, -1);
  }
  return error;
}

}  // namespace talus::stepping::detail
