#include <talus/certify/coulomb_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/certify/detail/ratio.hpp>

namespace talus::certify {
namespace {

// Of a relative velocity: some ten additions and products, each with half a unit of round-off.
constexpr Real kVelocityRoundOff = 8 * std::numeric_limits<Real>::epsilon();

}  // namespace

Vec3 nearest_in_friction_cone(const Vec3& r, Real friction) {
  const Real tangential = std::sqrt(r[1] * r[1] + r[2] * r[2]);
  if (r[0] >= 0 && tangential <= friction * r[0]) return r;  // r[0] < 0: μ = 0 has 0 ≤ −0
  const Real cosine = 1 / std::sqrt(1 + friction * friction), sine = friction * cosine;
  const Real along = cosine * r[0] + sine * tangential;  // foot on the generator (cos, sin)
  if (!(along > 0)) return along <= 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Constant(along));
  const Real share = tangential > 0 ? along * sine / tangential : Real(0);
  return {along * cosine, share * r[1], share * r[2]};
}

ContactErrors coulomb_errors(const Vec3& r, const Vec3& u, const Vec3& b, Real friction, Real rho) {
  const Vec3 shifted = u + Vec3(friction * std::sqrt(u[1] * u[1] + u[2] * u[2]), 0, 0);  // û
  // û − P_K*(û) = −P_K(−û) by Moreau's decomposition.
  return {r - nearest_in_friction_cone(r - rho * shifted, friction),
          r - nearest_in_friction_cone(r - shifted, friction),
          r - nearest_in_friction_cone(r, friction),
          rho * nearest_in_friction_cone(-shifted, friction),
          nearest_in_friction_cone(-rho * b, friction),
          std::abs(r.dot(shifted))};
}

void CoulombResidual::add(const Vec3& r, const Vec3& u, const Vec3& b, Real friction, Real rho) {
  add(coulomb_errors(r, u, b, friction, rho), r, u, b, rho);
}

void CoulombResidual::add(const ContactErrors& errors, const Vec3& r, const Vec3& u, const Vec3& b,
                          Real rho, Real scale) {
  const Real natural = errors.natural.squaredNorm();
  natural_ += natural;
  plain_ += errors.plain.squaredNorm();
  primal_ += errors.primal.squaredNorm();
  dual_ += errors.dual.squaredNorm();
  free_ += errors.free.squaredNorm();
  r_ += r.squaredNorm();
  u_ += u.squaredNorm();
  b_ += b.squaredNorm();
  power_ += errors.power;
  energy_ += r.squaredNorm() / rho;
  const Real velocity = std::sqrt(natural) / rho;
  const Real rank = scale > 0 ? velocity / scale : natural;
  if (worst_contact_ < 0 || rank > worst_) {
    worst_ = rank;
    worst_square_ = natural;
    worst_contact_ = count_;
  }
  worst_velocity_ = std::max(worst_velocity_, velocity);
  if (scale > 0) {
    const Real rounding = kVelocityRoundOff * (u.norm() + b.norm());
    violation_ = std::max(violation_, std::max(Real(0), velocity - rounding) / scale);
  }
  is_finite_ = is_finite_ && std::isfinite(natural) && std::isfinite(rho);
  ++count_;
}

Certificate CoulombResidual::finish(Real equation_of_motion) const {
  Certificate c;
  const Real scale = std::sqrt(r_ > 0 ? r_ : free_);
  c.natural_map = detail::ratio(std::sqrt(natural_), scale);
  c.plain = detail::ratio(std::sqrt(plain_), std::sqrt(std::max({b_, r_, u_})));
  c.primal = detail::ratio(std::sqrt(primal_), scale);
  c.dual = detail::ratio(std::sqrt(dual_), scale);
  c.complementarity = r_ > 0 ? detail::ratio(power_, energy_) : Real(0);
  c.equation_of_motion = equation_of_motion;
  c.worst_velocity = worst_velocity_;
  c.violation = violation_;
  c.worst_contact = worst_contact_;
  c.worst_share = detail::ratio(worst_square_, natural_);
  c.is_finite = is_finite_;
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.equation_of_motion, c.worst_velocity, c.violation, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

}  // namespace talus::certify
