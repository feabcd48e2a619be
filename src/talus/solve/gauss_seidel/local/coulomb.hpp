#pragma once

#include <array>

#include <talus/solve/gauss_seidel/local/local_solution.hpp>

namespace talus::solve {

/// Solves exact Coulomb friction at one contact in 3-D.
///
/// Finds r with u = A r + b and K_μ ∋ r ⟂ û ∈ K_μ*, û = u + μ‖u_T‖ n (De Saxcé & Feng 1998).
/// With A = [a c_Rᵀ; c_C D], Â = D − c_C c_Rᵀ/a, b̂ = b_T − (b_N/a) c_C, e = μ c_R/a, β = −μ b_N/a,
/// x = r_T: stick is x = −Â⁻¹b̂ where ‖x‖ + e·x ≤ β; slip is every κ > 0 with x = −(Â + κI)⁻¹b̂ and
/// ‖x‖ + e·x = β. Written with N = −adj(Â + κI) b̂, which is linear in κ, and D = det(Â + κI), slip
/// is f(κ) = ‖N‖ + e·N − β D = 0. All its roots satisfy the law (w = 1 + e·d > 0 and u_T opposite
/// to x come for free), f'' changes its sign at most twice, at points known in closed form, and
/// f(0) > 0 > f(∞) where stick fails: a slip solution always exists, and splitting the axis at the
/// inflections finds every one. The roots are those of the quartic g_C(φ) that has arg x as
/// unknown.
///
/// Several solutions can exist (with c ≠ 0: one or three). The answer is a function of the
/// arguments alone: stick if feasible; else the slip solution nearest to `previous`; else, if
/// previous = 0 or at equal distance, the one with the least E = ½rᵀA r + bᵀr (most dissipative).
/// Speed never changes it: Newton from the direction of `previous` is used only where uniqueness is
/// proven (f concave on κ > 0, or ε (λ_max(Â) + skew) < λ_min(Â), ε = ‖e‖), enumeration everywhere
/// else.
///
/// Limits: b_N ≥ 0 gives r = 0, also where jammed solutions exist (ε > 1), so the solution jumps at
/// b_N = 0. μ = 0 gives r = (−b_N/a, 0, 0). A block diagonal up to 4 units of round-off, D = δI, is
/// solved in closed form. If the smallest eigenvalue of Â is below 2⁻⁴⁶ times its largest entry
/// (singular, or indefinite, which no mechanical system has), Â is shifted by the missing multiple
/// of I: the solution is then the limit from positive definite blocks. NaN or infinity in gives NaN
/// out.
///
/// @param A diagonal block of the Delassus matrix, 3×3 [1/kg], normal first; A_NN > 0 (not
/// checked);
///          slightly unsymmetric allowed.
/// @param b relative velocity without this contact's impulse [m/s].
/// @param friction μ ≥ 0.
/// @param previous last impulse of this contact, or zero [N·s].
/// Cost: no allocation; 11 ns for a sphere block, 140–430 ns otherwise (measured, one core).
/// Deterministic. Thread-safe. Source: contact problem of `preclik_2017`; the scalar equation f is
/// this file's own derivation.
[[nodiscard]] LocalSolution solve_coulomb(const Mat3& A, const Vec3& b, Real friction,
                                          const Vec3& previous) noexcept;

/// The same in 2-D, where the solution is unique if |e| < 1 or A is symmetric positive definite.
[[nodiscard]] LocalSolution2 solve_coulomb_2d(const Mat2& A, const Vec2& b, Real friction,
                                              const Vec2& previous) noexcept;

/// All solutions of one contact in 3-D: stick first if feasible, then slips by falling κ.
struct CoulombSolutions {
  std::array<LocalSolution, 5> solutions;
  int count = 0;
};

/// Every solution of the problem of solve_coulomb with r ≠ 0, and r = 0 alone if b_N ≥ 0.
///
/// A double root of f (two solutions about to vanish) is found or missed according to round-off.
[[nodiscard]] CoulombSolutions enumerate_coulomb(const Mat3& A, const Vec3& b,
                                                 Real friction) noexcept;

}  // namespace talus::solve
