#pragma once

#include <talus/solve/gauss_seidel/local/local_solution.hpp>

namespace talus::solve {

/// Solves the cone complementarity law at one contact in 3-D (Anitescu & Tasora 2010, key
/// `anitescu_2010`): the convex relaxation of Coulomb's law.
///
/// Finds r with K_μ ∋ r ⟂ u ∈ K_μ*, u = A r + b, which is the minimum of ½rᵀA r + bᵀr over K_μ:
/// r = 0 where b_N ≥ μ‖b_T‖, r = −A⁻¹b where that is in K_μ, else r = r_N(1, μd) and u = s(μ, −d),
/// s > 0: a contact that slides lifts off by u_N = μ‖u_T‖. With G = diag(μ², −1, −1) sliding is
///   r(λ) = −(A − λG)⁻¹ b,  rᵀG r = 0,  r_N > 0,  λ = s/(μ r_N) > 0.
/// In the eigenvectors of the pencil (A, G), of which one has a positive eigenvalue, r(λ) enters
/// K_μ once: the signs of det(A − λG), rᵀG r and r_N together say on which side of the root λ lies.
/// Newton on ‖r_T‖/(μ r_N) = 1 inside that bracket, then Newton on the equations of r and λ, which
/// stay regular where det(A − λG) = 0. The solution is unique for a positive definite A.
///
/// Limits: μ = 0: r = (max(0, −b_N/a), 0, 0). diag(a, δ, δ): closed form. A singular A
/// gives the limit from definite ones where it is bounded, b ∈ range A + K_μ*, and a huge impulse
/// elsewhere (A of a body with mass is never singular in 3-D). NaN or infinity in gives NaN out.
/// Arguments as in solve_maximum_dissipation. Cost: no allocation. Deterministic. Thread-safe.
[[nodiscard]] LocalSolution solve_cone_complementarity(const Mat3& A, const Vec3& b, Real friction,
                                                       const Vec3& previous) noexcept;

/// The same in 2-D: the better of two rays where neither r = 0 nor r = −A⁻¹b is the answer.
[[nodiscard]] LocalSolution2 solve_cone_complementarity_2d(const Mat2& A, const Vec2& b,
                                                           Real friction) noexcept;

}  // namespace talus::solve
