#pragma once

#include <talus/solve/gauss_seidel/local/local_solution.hpp>

namespace talus::solve {

/// Solves the maximum dissipation law at one contact in 3-D (Preclik et al. 2017, key
/// `preclik_2017`).
///
/// Finds r = argmin E(r) = ½rᵀA r + bᵀr over K_μ ∩ {u_N = 0}, u = A r + b, where b_N < 0; r = 0
/// where b_N ≥ 0. With Â, b̂, e, β, x = r_T as in solve_coulomb the set is {‖x‖ + e·x ≤ β}: convex,
/// bounded by a conic with a focus at 0 and eccentricity ε = ‖e‖ (ellipse, parabola, one branch of
/// a hyperbola). Stick is x* = −Â⁻¹b̂ where it lies in the set, else x = β d/w with a unit d, w = 1
/// + e·d > 0, dE/dφ = β g(φ)/w³ = 0 for d = (cos φ, sin φ),
///   g = (β Â d + w b̂)ᵀ J (d + e),   u_T = −κ(d + e), κ ≥ 0.
/// The boundary seen from x* is the arc with d·x* > μ r*_N, an interval around φ₀ = arg x* of known
/// ends; E has one stationary point on it, downhill from φ₀. It is found by Newton in the tangent
/// of the half angle from φ₀, kept in a bracket, and polished by Newton in (x, κ), because r = β/w
/// loses digits near an asymptote. The solution is unique; `previous` is only a start.
///
/// Limits: b_N ≥ 0 gives r = 0; at b_N = 0 with ε > 1 the solution jumps there. μ = 0: r =
/// (−b_N/a, 0, 0). diag(a, δ, δ) up to round-off: closed form, as Coulomb's. c = 0: Coulomb's
/// solution. Â (nearly) singular: shifted as in solve_coulomb. NaN or infinity in gives NaN out.
///
/// @param A diagonal block of the Delassus matrix, 3×3 [1/kg], normal first, A_NN > 0, symmetric
///          positive semidefinite (not checked); of an unsymmetric one the symmetric part is used.
/// @param b relative velocity without this contact's impulse [m/s]. @param friction μ ≥ 0.
/// @param previous last impulse of this contact, or zero [N·s].
/// Cost: no allocation; a closed form for spheres, else a few Newton steps (bench/kernels/
/// local_bench). Deterministic. Thread-safe.
[[nodiscard]] LocalSolution solve_maximum_dissipation(const Mat3& A, const Vec3& b, Real friction,
                                                      const Vec3& previous) noexcept;

/// The same by the roots of a quartic in tan(φ/2), as the paper has it: all real roots in closed
/// form, φ = π and φ₀ as further candidates, four Newton steps on g each, and of those with w > 0
/// on the arc seen from x* the one with the least |g|, polished as above. Slower; the check of
/// solve_maximum_dissipation.
[[nodiscard]] LocalSolution solve_maximum_dissipation_quartic(const Mat3& A, const Vec3& b,
                                                              Real friction) noexcept;

}  // namespace talus::solve
