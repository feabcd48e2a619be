#include <talus/certify/coulomb_residual.hpp>

#include <algorithm>
#include <cmath>

#include <talus/certify/detail/ratio.hpp>

namespace talus::certify {
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
          std::abs(r.dot(shifted)),
          signorini_error(r[0], u[0], rho)};
}

void CoulombResidual::add(const ContactErrors& errors, const Vec3& r, const Vec3& u, const Vec3& b,
                          Real rho, const detail::ContactScale& scale) {
  const Real velocity = errors.natural.norm() / rho;
  const Real rounding = detail::kVelocityRoundOff * (u.norm() + b.norm());
  const Real above = velocity - rounding;
  const Real miss = above < 0 ? Real(0) : above;  // NaN stays
  const Real error = rho * miss * miss;
  detail::IslandSum& island = islands_[scale.island];
  island.error += error;
  island.answer += r.squaredNorm() / rho;
  island.free += errors.free.squaredNorm() / rho;
  plain_ += errors.plain.squaredNorm();
  primal_ += errors.primal.squaredNorm() / rho;
  dual_ += errors.dual.squaredNorm() / rho;
  r_ += r.squaredNorm();
  u_ += u.squaredNorm();
  b_ += b.squaredNorm();
  power_ += errors.power;
  const Real unseen = detail::kImpulseRoundOff * r.norm() / rho;
  const Real most = std::max(unseen, errors.normal - rounding);
  const Real violation = (most > miss ? most : miss) / scale.speed;  // NaN of both stays
  if (worst_contact_ < 0 || violation > violation_) {
    violation_ = violation;
    worst_error_ = error;
    worst_contact_ = count_;
    worst_island_ = scale.island;
  }
  worst_velocity_ = std::max(worst_velocity_, velocity);
  is_finite_ = is_finite_ && std::isfinite(velocity) && std::isfinite(rho);
  ++count_;
}

Certificate CoulombResidual::finish(Real equation_of_motion) const {
  const detail::IslandVerdict verdict = detail::judge(islands_);
  Certificate c;
  c.natural_map = verdict.natural_map;
  c.plain = detail::ratio(std::sqrt(plain_), std::sqrt(std::max({b_, r_, u_})));
  c.primal = verdict.ratio(primal_);
  c.dual = verdict.ratio(dual_);
  c.complementarity = verdict.answer > 0 ? detail::ratio(power_, verdict.answer) : Real(0);
  c.equation_of_motion = equation_of_motion;
  c.worst_velocity = worst_velocity_;
  c.violation = std::max(Real(0), violation_);
  c.worst_contact = worst_contact_;
  if (worst_contact_ >= 0)
    c.worst_share = detail::ratio(worst_error_, islands_[worst_island_].error);
  c.is_finite = is_finite_;
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.equation_of_motion, c.worst_velocity, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

}  // namespace talus::certify
