#include <talus/certify/force_residual.hpp>

#include <algorithm>
#include <cmath>

namespace talus::certify {
namespace {

Real square(Real x) { return x * x; }

}  // namespace

void ForceResidual::violate(Real by) {
  is_finite_ = is_finite_ && std::isfinite(by);
  laws_ += square(by);
  if (std::abs(by) > worst_) {
    worst_ = std::abs(by);
    worst_contact_ = contact_;
  }
}

void ForceResidual::add_equation(Real mass, Real acceleration, Real force, Real size) {
  is_finite_ = is_finite_ && std::isfinite(acceleration) && std::isfinite(force);
  motion_ += square(mass * acceleration - force) / mass;
  size_ += square(size) / mass;
}

void ForceResidual::add_constraint(Real acceleration, Real size, Real own) {
  if (!(own > 0)) return;
  violate(acceleration / std::sqrt(own));
  size_ += square(size) / own;
}

void ForceResidual::add_normal(Real force, Real acceleration, Real own) {
  if (!(own > 0)) return;
  const Real root = std::sqrt(own);
  violate(std::min(root * force, acceleration / root));
  primal_ += square(std::min(root * force, Real(0)));
  dual_ += square(std::min(acceleration / root, Real(0)));
}

void ForceResidual::add_force(Real force, Real by_law, Real own) {
  if (!(own > 0)) return;
  violate(std::sqrt(own) * (force - by_law));
  size_ += own * square(by_law);
}

void ForceResidual::add_friction_at_rest(Real force, Real lower, Real upper, Real slip_plus,
                                         Real slip_minus, Real acceleration, Real own) {
  if (!(own > 0)) return;
  const Real root = std::sqrt(own);
  const Real stick =
      root * (force - std::clamp(force - acceleration / own, std::min(lower, upper), upper));
  Real violation = stick;
  for (const Real kinetic : {slip_plus, slip_minus}) {  // just after, or just before
    const Real slip = root * (force - kinetic);
    if (std::abs(slip) < std::abs(violation)) violation = slip;
  }
  violate(violation);
  size_ += own * std::max(square(slip_plus), square(slip_minus));
  primal_ += square(root * (force - std::clamp(force, std::min(lower, upper), upper)));
}

void ForceResidual::add_bound(Real force, Real bound, Real own) {
  if (!(own > 0)) return;
  const Real beyond = std::sqrt(own) * std::max(std::abs(force) - bound, Real(0));
  violate(beyond);
  primal_ += square(beyond);
}

Certificate ForceResidual::certificate() const {
  Certificate c;
  const Real size = std::sqrt(size_);
  const auto ratio = [&](Real sum) { return sum == 0 ? Real(0) : std::sqrt(sum) / size; };
  c.natural_map = c.plain = ratio(laws_);
  c.equation_of_motion = ratio(motion_);
  c.primal = ratio(primal_);
  c.dual = ratio(dual_);
  c.worst_contact = worst_contact_;
  c.worst_share = worst_ > 0 ? square(worst_) / laws_ : 0;
  c.is_finite = is_finite_ && std::isfinite(c.natural_map) && std::isfinite(c.equation_of_motion);
  return c;
}

}  // namespace talus::certify
