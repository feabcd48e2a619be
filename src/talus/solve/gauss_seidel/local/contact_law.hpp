#pragma once

#include <talus/problem/friction_law.hpp>
#include <talus/solve/gauss_seidel/local/polyhedral.hpp>

namespace talus::solve {

/// Every law of one contact behind one function, and what turns other laws into these.

/// A law and what it needs beside μ.
struct LocalLaw {
  problem::FrictionLaw law = problem::FrictionLaw::coulomb;
  FrictionPolygon polygon{8};  ///< of the polyhedral law
};

/// Solves one contact in 3-D: r with u = A r + b under the law. Arguments, limits and cost: those
/// of solve_coulomb, solve_maximum_dissipation, solve_cone_complementarity, solve_polyhedral;
/// without friction r = (max(0, −b_N/a), 0, 0). All are functions of their arguments alone, scale
/// as S(s A, t b) = (t/s) S(A, b), return r = 0 where b_N ≥ 0 (cone complementarity: where b is in
/// the dual cone), r in the cone of the law, and NaN for NaN or infinity.
[[nodiscard]] LocalSolution solve_contact(const LocalLaw& law, const Mat3& A, const Vec3& b,
                                          Real friction, const Vec3& previous) noexcept;

/// The same in 2-D, where maximum dissipation and the polygon are Coulomb's law.
[[nodiscard]] LocalSolution2 solve_contact(const LocalLaw& law, const Mat2& A, const Vec2& b,
                                           Real friction, const Vec2& previous) noexcept;

/// Friction with two coefficients: the cone ‖(r₁/μ₁, r₂/μ₂)‖ ≤ r_N about the axes (t1, t2), with
/// slip against the normal of its ellipse (associated rule: what maximum dissipation of the slip
/// velocity u_T in the ellipse gives).
///
/// With S = diag(1, μ₁/μ, μ₂/μ), μ = max(μ₁, μ₂), r = S r', u' = S u the law is that of the round
/// cone μ for (S A S, S b). Where one μ is zero the contact is solved in the plane of the other.
/// @param friction (μ₁, μ₂) ≥ 0.
[[nodiscard]] LocalSolution solve_anisotropic(const LocalLaw& law, const Mat3& A, const Vec3& b,
                                              const Vec2& friction, const Vec3& previous) noexcept;

/// Adhesion with a bounded impulse: the law holds for p = r + c n, so that −c ≤ r_N, ‖r_T‖ ≤
/// μ(r_N + c), and the contact opens where it is pulled by more than c; while it opens r = −c n.
/// @param cohesion c ≥ 0 [N·s], force times step. @param previous last r.
[[nodiscard]] LocalSolution solve_cohesive(const LocalLaw& law, const Mat3& A, const Vec3& b,
                                           Real friction, Real cohesion,
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
[[nodiscard]] Vec6 solve_surface(const LocalLaw& law, const ContactSurface& surface, const Mat6& A,
                                 const Vec6& b, const Vec6& previous) noexcept;

/// The free velocity with restitution: with b + (e_N u⁻_N, e_T u⁻_T) in the place of b each law
/// says of u + e u⁻ what it says of u alone (Moreau 1988, key `moreau_1988`): a contact that stays
/// closed and sticks leaves with u = −(e_N u⁻_N, e_T u⁻_T).
///
/// Energy does not rise where e_N = e_T ∈ [0, 1] and the law is Coulomb's or maximum dissipation at
/// a single contact; with e_T ≠ e_N it can.
/// @param before u⁻, relative velocity before the impact [m/s]; e_N counts where u⁻_N < 0 only.
[[nodiscard]] Vec3 with_restitution(const Vec3& b, const Vec3& before, Real normal,
                                    Real tangential) noexcept;

}  // namespace talus::solve
