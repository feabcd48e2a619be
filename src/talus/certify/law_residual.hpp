#pragma once

#include <talus/certify/coulomb_residual.hpp>
#include <talus/problem/friction_law.hpp>

namespace talus::certify {

// The errors of one contact under every law. Written apart from the solvers: the certificate
// derives for itself what it checks.

/// Nearest point of the cone {r_T ∈ μ r_N P}, P the regular polygon with k corners of radius 1, the
/// first on the first tangent. The cone is symmetric about the planes through its axis and a
/// corner, so the nearest point stays in the sector of r: r itself, its foot on the sector's face,
/// on one of the face's edges, or the apex.
[[nodiscard]] Vec3 nearest_in_polygon_cone(const Vec3& r, Real friction, Index directions);

/// The answer of the maximum dissipation law to a block A and the velocity b without the contact's
/// impulse: the least ½rᵀA r + bᵀr over K_μ ∩ {u_N = 0} if b_N < 0, else 0.
///
/// Where −A⁻¹b is outside K_μ: the points of the conic r(φ) = −b_N/(a + μ c·d)·(1, μd) from which
/// −A⁻¹b can be seen across the cone's surface are those with (−A⁻¹b)·(−μ, d) > 0, an interval
/// about its own direction φ₀; on it dE/dφ = u·r'(φ) changes sign once. Bisection to the last bit.
/// @param A symmetric (its symmetric part is used). @param friction μ ≥ 0.
[[nodiscard]] Vec3 most_dissipative(const Mat3& A, const Vec3& b, Real friction);

/// A law and, for the polyhedral one, its polygon.
struct CertifiedLaw {
  problem::FrictionLaw law = problem::FrictionLaw::coulomb;
  Index directions = 8;
  bool is_planar = false;  ///< 2-D: polygons are exact there, and so is maximum dissipation
};

/// The errors of one contact under a law:
///   Coulomb, frictionless (μ = 0)  r − P_K(r − ρû), û = u + μ‖u_T‖ n
///   cone complementarity           the same with û = u
///   polyhedral                     the same with the polygon's cone and û = u + μ maxⱼ(−dⱼ·u_T) n
///   maximum dissipation            r − most_dissipative(A, u − A r, μ); dual: ρ max(0, −u_N),
///   power:
///                                  |r_N u_N|
/// @param A the contact's diagonal block; used by maximum dissipation alone. Others as in
/// CoulombResidual::add.
[[nodiscard]] ContactErrors law_errors(const CertifiedLaw& law, const Mat3& A, const Vec3& r,
                                       const Vec3& u, const Vec3& b, Real friction, Real rho);

}  // namespace talus::certify
