#pragma once

#include <talus/solve/gauss_seidel/local/contact_law.hpp>

/// One contact with more than round friction, solved by changes of variables that lead back to it:
/// what sweeps in lanes are compared with.
namespace talus::test {

/// Friction with two coefficients: the cone ‖(r₁/μ₁, r₂/μ₂)‖ ≤ r_N about the axes (t1, t2), with
/// slip against the normal of its ellipse (associated rule: what maximum dissipation of the slip
/// velocity u_T in the ellipse gives).
///
/// With S = diag(1, μ₁/μ, μ₂/μ), μ = max(μ₁, μ₂), r = S r', u' = S u the law is that of the round
/// cone μ for (S A S, S b). Where one μ is zero the contact is solved in the plane of the other.
/// @param friction (μ₁, μ₂) ≥ 0.
[[nodiscard]] solve::LocalSolution solve_anisotropic(const solve::LocalLaw& law, const Mat3& A,
                                                     const Vec3& b, const Vec2& friction,
                                                     const Vec3& previous) noexcept;

/// Adhesion with a bounded impulse: the law holds for p = r + c n, so that −c ≤ r_N, ‖r_T‖ ≤
/// μ(r_N + c), and the contact opens where it is pulled by more than c; while it opens r = −c n.
/// @param cohesion c ≥ 0 [N·s], force times step. @param previous last r.
[[nodiscard]] solve::LocalSolution solve_cohesive(const solve::LocalLaw& law, const Mat3& A,
                                                  const Vec3& b, Real friction, Real cohesion,
                                                  const Vec3& previous) noexcept;

/// All that the surfaces of one contact resist.
struct ContactSurface {
  Vec2 friction = Vec2::Zero();  ///< (μ₁, μ₂) ≥ 0 along t1 and t2
  Real rolling = 0;              ///< μ_r ≥ 0 [m], of Coulomb's law only
  Real torsion = 0;              ///< μ_s ≥ 0 [m], of Coulomb's law only
  Real cohesion = 0;             ///< c ≥ 0 [N·s]
};

/// Solves one contact with everything at once, rows (N, T1, T2, R1, R2, S) as in solve_resisting:
/// the changes of variables of solve_cohesive and solve_anisotropic, then the law.
/// @param law Coulomb's where rolling or torsion is above 0 (contract).
[[nodiscard]] Vec6 solve_surface(const solve::LocalLaw& law, const ContactSurface& surface,
                                 const Mat6& A, const Vec6& b, const Vec6& previous) noexcept;

}  // namespace talus::test
