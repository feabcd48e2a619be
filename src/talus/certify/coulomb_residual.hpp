#pragma once

#include <cmath>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/certify/detail/island_sums.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/math/vector.hpp>

namespace talus::certify {

/// Nearest point of the friction cone K_μ = {‖r_T‖ ≤ μ r_N}: r itself inside, else the foot on the
/// generator in the plane of r and the axis, or the apex. Written apart from the solvers'
/// projection.
[[nodiscard]] Vec3 nearest_in_friction_cone(const Vec3& r, Real friction);

/// How far one contact is from its law: vectors of impulse [N·s] whose squares are summed.
struct ContactErrors {
  Vec3 natural;  ///< r − P_K(r − ρû), or r minus the law's answer to what acts on the contact
  Vec3 plain;    ///< the same with ρ = 1
  Vec3 primal;   ///< r − P_K(r)
  Vec3 dual;     ///< ρ(û − P_K*(û))
  Vec3 free;     ///< P_K(−ρb): the scale where r = 0
  Real power = 0;   ///< |r·û|
  Real normal = 0;  ///< how far the contact is from 0 ≤ r_N ⟂ u_N ≥ 0 [m/s], signorini_error
};

/// |min(r_N/ρ, u_N)| [m/s], Signorini's law alone: where μ is large K_μ is nearly a half-space,
/// from which a contact that closes by |u_N| is no farther than |u_N|/√(1 + μ²).
[[nodiscard]] inline Real signorini_error(Real r_N, Real u_N, Real rho) {
  return std::abs(r_N < rho * u_N ? r_N / rho : u_N);  // NaN stays
}

/// The errors of exact Coulomb friction. Arguments as in CoulombResidual::add; μ ≥ 0.
[[nodiscard]] ContactErrors coulomb_errors(const Vec3& r, const Vec3& u, const Vec3& b,
                                           Real friction, Real rho);

/// Accumulates the certificate of contacts under any law, one by one (formulas: Certificate).
///
/// For the forms of problems with r, u, b per contact; 2-D contacts have zero second tangents.
/// The sums are taken in the order of the calls.
class CoulombResidual {
 public:
  explicit CoulombResidual(Index islands) : islands_(islands) {}

  /// Adds the next contact. @param r impulse [N·s]. @param u relative velocity with all impulses
  /// [m/s]. @param b the same with none. @param rho d/tr A, A its Delassus block [kg].
  void add(const ContactErrors& errors, const Vec3& r, const Vec3& u, const Vec3& b, Real rho,
           const detail::ContactScale& scale);

  /// The certificate of the contacts added; equation_of_motion as given.
  [[nodiscard]] Certificate finish(Real equation_of_motion = 0) const;

 private:
  std::vector<detail::IslandSum> islands_;
  Index count_ = 0, worst_contact_ = -1, worst_island_ = 0;
  Real violation_ = -1, worst_error_ = 0, worst_velocity_ = 0;
  Real plain_ = 0, primal_ = 0, dual_ = 0;  // sums of squares, the last two over ρ
  Real r_ = 0, u_ = 0, b_ = 0, power_ = 0;  // sums of squares; Σ|r·û|
  bool is_finite_ = true;
};

}  // namespace talus::certify
