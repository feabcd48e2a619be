#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/laws/tolerances.hpp>
#include <talus/math/itp_root.hpp>
#include <talus/stepping/event_driven/engine.hpp>

// Where in a step an event is.

namespace talus::stepping::event_driven {

using dynamics::ContactTerms;
using Kind = EventFunction::Kind;

namespace {

constexpr Index kMostRises = 24;  // guesses of where an event function is positive, each a quarter
constexpr Index kParts = 4;       // of a step, between which gaps are looked at
constexpr Real kMargin = 1.5;     // of the speeds at the ends, for those in between
constexpr Real kNever = std::numeric_limits<Real>::infinity();

/// Hermite's cubic through two samples.
Real hermite(const EventValue& a, const EventValue& b, Real h, Real theta) {
  const Real u = 1 - theta;
  return u * u * (1 + 2 * theta) * a.value + theta * theta * (3 - 2 * theta) * b.value +
         h * theta * u * (u * a.rate - theta * b.rate);
}

/// Where Hermite's cubic through two samples has its extremum, as a share of the step; −1: nowhere.
Real extremum(const EventValue& a, const EventValue& b, Real h) {
  // p'(θ) h-scaled: r0 + 2 c θ + 3 d θ² = 0 with the cubic's coefficients.
  const Real r0 = h * a.rate, r1 = h * b.rate, rise = b.value - a.value;
  const Real d = r0 + r1 - 2 * rise, c = 3 * rise - 2 * r0 - r1;
  Real best = -1;
  const auto offer = [&](Real theta) {
    if (theta > 0 && theta < 1 && (best < 0 || theta < best)) best = theta;
  };
  if (std::abs(d) <= 1e-14 * std::abs(c)) {
    if (c != 0) offer(-r0 / (2 * c));
    return best;
  }
  const Real root = c * c - 3 * d * r0;
  if (root < 0) return -1;
  const Real q = -(c + std::copysign(std::sqrt(root), c));
  if (q != 0) offer(r0 / q);
  offer(q / (3 * d));
  return best;
}

}  // namespace

/// Which event functions change their sign in the step that has just been landed; h may be cut to
/// where a dip in between is. Fills fired_ and from_.
bool Engine::find_fired(Real h) {
  fired_.clear();
  from_.clear();
  is_immediate_ = false;
  const std::size_t count = samples_.size();
  Real dip = kNever;
  std::size_t dipping = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const EventValue &a = samples_[k], &b = next_samples_[k];
    // Beyond zero at the start already, and on its way: fired, wherever a long step ends.
    const bool is_due = a.value < 0 && a.has_rate && a.rate < 0;
    if (b.value < 0 || is_due) {
      fired_.push_back(k);
    } else if (a.has_rate && a.value > 0 && a.rate < 0 && b.rate > 0) {
      const Real theta = extremum(a, b, h);
      // The cubic says whether it is worth looking.
      if (theta < 0) continue;
      const Real value = hermite(a, b, h, theta);
      const Real size =
          std::abs(a.value) + std::abs(b.value) + h * (std::abs(a.rate) + std::abs(b.rate));
      if (value < -tolerance::kDip * size && theta * h < dip) {
        dip = theta * h;
        dipping = k;
      }
    }
  }
  if (dip < h) {
    try_step(dip);
    if (next_samples_[dipping].value < 0) {
      fired_.clear();  // others may have come before
      for (std::size_t k = 0; k < count; ++k)
        if (next_samples_[k].value < 0) fired_.push_back(k);
      dip_ = dip;
      return true;
    }
    try_step(h);
  }
  dip_ = h;
  return !fired_.empty() || (options_.integrator == "adaptive" && scan_dense_output(h));
}

namespace {

/// Where a cubic through two samples dips below zero, if before `dip`.
void offer_dip(const EventValue& a, const EventValue& b, Real from, Real length, Real& dip) {
  if (b.value < 0) {
    dip = std::min(dip, from + length);
    return;
  }
  if (!(a.rate < 0 && b.rate > 0)) return;
  const Real theta = extremum(a, b, length);
  if (theta > 0 && hermite(a, b, length, theta) < 0) dip = std::min(dip, from + theta * length);
}

}  // namespace

/// The first dip of an open gap that is small against the way of the step, from the gaps at its
/// quarters.
Real Engine::dip_of_gaps(Real h) {
  Real dip = kNever;
  std::vector<std::size_t> near;
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const auto [kind, i] = functions_.list()[k];
    if (kind != Kind::gap_closes || !(samples_[k].value > 0)) continue;
    const Real reach = h * std::max(fastest(x_, i), fastest(next_, i));
    if (std::min(samples_[k].value, next_samples_[k].value) < reach) near.push_back(k);
  }
  if (near.empty()) return dip;
  std::vector<EventValue> last;
  last.reserve(near.size());
  for (const std::size_t k : near) last.push_back(samples_[k]);
  for (Index part = 1; part <= kParts; ++part) {
    const Real theta = static_cast<Real>(part) / kParts;
    if (part < kParts) integrator_->interpolate(theta, h, x_, k_, next_, next_k_, inside_);
    for (std::size_t n = 0; n < near.size(); ++n) {
      const EventValue now = part == kParts
                                 ? next_samples_[near[n]]
                                 : functions_.gap_sample(functions_.list()[near[n]].index, inside_);
      offer_dip(last[n], now, (theta - Real(1) / kParts) * h, h / kParts, dip);
      last[n] = now;
    }
  }
  return dip;
}

/// The first dip of a normal force or of what is left of a stick, from their values at the thirds.
Real Engine::dip_of_forces(Real h) {
  Real dip = kNever;
  std::array<std::vector<EventValue>, 2> third;
  for (Index t = 0; t < 2; ++t) {
    const Real theta = static_cast<Real>(t + 1) / 3;
    integrator_->interpolate(theta, h, x_, k_, next_, next_k_, inside_);
    phase_.evaluate(time_ + theta * h, inside_, inside_k_);
    functions_.observe(inside_, inside_k_, phase_, third[static_cast<std::size_t>(t)]);
  }
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const Kind kind = functions_.list()[k].kind;
    if (kind != Kind::normal_ends && kind != Kind::stick_ends) continue;
    // The cubic through four values, its slopes at the thirds as finite differences.
    const Real f0 = samples_[k].value, f1 = third[0][k].value, f2 = third[1][k].value,
               f3 = next_samples_[k].value;
    if (!(f0 > 0)) continue;
    const Real d = h / 3;
    const std::array<EventValue, 4> at{
        EventValue{f0, (-11 * f0 + 18 * f1 - 9 * f2 + 2 * f3) / (6 * d), true},
        EventValue{f1, (-2 * f0 - 3 * f1 + 6 * f2 - f3) / (6 * d), true},
        EventValue{f2, (f0 - 6 * f1 + 3 * f2 + 2 * f3) / (6 * d), true},
        EventValue{f3, (-2 * f0 + 9 * f1 - 18 * f2 + 11 * f3) / (6 * d), true}};
    for (std::size_t t = 0; t < 3; ++t)
      offer_dip(at[t], at[t + 1], static_cast<Real>(t) * d, d, dip);
  }
  return dip;
}

/// Looks for event functions that are negative only in between the ends of a long step, on the
/// dense output: gaps at the quarters of the step, forces at its thirds, with cubics in between; a
/// cubic's dip is looked at on the integrator itself. Leaves the step landed as it was where there
/// is nothing.
bool Engine::scan_dense_output(Real h) {
  const bool has_forces =
      std::any_of(functions_.list().begin(), functions_.list().end(), [](const EventFunction& one) {
        return one.kind == Kind::normal_ends || one.kind == Kind::stick_ends;
      });
  Real dip = dip_of_gaps(h);
  if (has_forces && elements_.contact_count > 0) dip = std::min(dip, dip_of_forces(h));
  if (dip < h) {
    try_step(dip);
    for (std::size_t k = 0; k < samples_.size(); ++k)
      if (next_samples_[k].value < 0) fired_.push_back(k);
    if (!fired_.empty()) {
      dip_ = dip;
      return true;
    }
  }
  if (has_forces || dip < h) try_step(h);
  return false;
}

/// No gap changes faster: the speeds of both bodies at the contact, all parts taken together.
Real Engine::fastest(const Point& x, Index contact) const {
  ContactTerms terms;
  machine_.contact(contact, x.q, x.v, terms);
  if (terms.normal.is_general()) return kMargin * terms.normal.magnitude(x.v);
  Real sum = 0;
  if (machine_.mass().is_spatial()) {
    terms.normal.for_each([&](Index body, const auto& part) {
      sum += part.template head<3>().norm() * x.v.segment<3>(6 * body).norm() +
             part.template tail<3>().norm() * x.v.segment<3>(6 * body + 3).norm();
    });
    return kMargin * sum;
  }
  for (const auto& [body, part] : {std::pair(terms.normal.body_a, terms.normal.a),
                                   std::pair(terms.normal.body_b, terms.normal.b)})
    if (body >= 0) sum += x.v.segment<2>(3 * body).norm() + std::abs(x.v[3 * body + 2] * part[2]);
  return kMargin * sum;
}

/// From where on a fired event function was positive: 0 where it is so at the start; kNever where
/// it has just begun and never is.
Real Engine::positive_from(std::size_t k, const EventValue& end, Real h) {
  const EventValue& a = samples_[k];
  if (a.value > 0) return 0;
  // Its rate says so; the cubic guesses where, and there are earlier points if it is wrong.
  if (!a.has_rate || !(a.rate > 0)) return kNever;
  const Real theta = extremum(a, end, h);
  Real tau = theta > 0 ? theta * h : h / 2;
  for (Index attempt = 0; attempt < kMostRises; ++attempt, tau /= 4) {
    try_step(tau);
    if (next_samples_[k].value > 0) return tau;
  }
  return kNever;
}

/// What has just begun ends at once; the others have not come yet.
void Engine::try_step_of_zero() {
  std::vector<std::size_t> now;
  for (std::size_t i = 0; i < fired_.size(); ++i)
    if (samples_[fired_[i]].value <= 0 && from_[i] == 0) now.push_back(fired_[i]);
  fired_ = std::move(now);
  try_step(0);
  located_ = 0;
}

/// Narrows the first sign change of the fired event functions after `low` and lands just past it.
void Engine::narrow_first_change(Real low, Real h, Real at_high) {
  const auto least = [&](Real tau) {
    try_step(tau);
    Real value = kNever;
    for (std::size_t i = 0; i < fired_.size(); ++i)
      if (tau > from_[i] || from_[i] == 0) value = std::min(value, next_samples_[fired_[i]].value);
    return value;
  };
  Real at_low = kNever;
  for (std::size_t i = 0; i < fired_.size(); ++i)
    if (from_[i] == 0) at_low = std::min(at_low, samples_[fired_[i]].value);
  if (low > 0 || at_low == kNever) {
    at_low = least(low);
    if (at_low == kNever) at_low = -at_high;
  }
  const Real noise = tolerance::kTimeNoise * std::max({std::abs(time_), h, Real(0)});
  const Bracket bracket = narrow(least, {low, h, std::max(at_low, Real(0)), at_high},
                                 std::max(noise, std::numeric_limits<Real>::min()));
  try_step(bracket.high);
  located_ = bracket.high;
}

/// Keeps of the fired event functions those that have changed where the step has landed, with
/// others that have come and gone before, within a step too long to show them. @return whether
/// there are such.
bool Engine::keep_changed() {
  std::vector<std::size_t> now;
  for (const std::size_t k : fired_)
    if (next_samples_[k].value < 0) now.push_back(k);
  bool has_others = false;
  for (std::size_t k = 0; k < next_samples_.size(); ++k)
    if (next_samples_[k].value < 0 && samples_[k].value > 0 &&
        std::find(now.begin(), now.end(), k) == now.end()) {
      now.push_back(k);
      has_others = true;
    }
  fired_ = std::move(now);
  return has_others;
}

/// Finds the first sign change of the fired event functions and lands there, just past it.
void Engine::locate_event() {
  const Real h = dip_;
  Real low = kNever, at_high = kNever;
  for (const std::size_t k : fired_) at_high = std::min(at_high, next_samples_[k].value);
  const std::vector<EventValue> end = next_samples_;
  for (const std::size_t k : fired_) {
    Real from = positive_from(k, end[k], h);
    if (from == kNever) {
      is_immediate_ = true;
      from = 0;
    }
    from_.push_back(from);
    low = std::min(low, from);
  }
  if (is_immediate_) return try_step_of_zero();
  narrow_first_change(low, h, at_high);
  if (!keep_changed() || dip_ <= located_) return;
  std::sort(fired_.begin(), fired_.end());
  from_.clear();
  dip_ = located_;
  locate_event();
}

}  // namespace talus::stepping::event_driven
