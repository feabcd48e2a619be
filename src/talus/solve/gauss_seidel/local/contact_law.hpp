#pragma once

#include <talus/problem/friction_law.hpp>
#include <talus/solve/gauss_seidel/local/polyhedral.hpp>

namespace talus::solve {

/// Every law of one contact behind one function, and restitution in it.

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
