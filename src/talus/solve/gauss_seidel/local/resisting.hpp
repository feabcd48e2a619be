#pragma once

#include <talus/math/vector.hpp>

namespace talus::solve {

/// How much one contact resists at a normal impulse r_N.
struct ContactResistance {
  Real friction = 0;  ///< μ ≥ 0: ‖r_T‖ ≤ μ r_N
  Real rolling = 0;   ///< μ_r ≥ 0 [m]: ‖r_R‖ ≤ μ_r r_N
  Real torsion = 0;   ///< μ_s ≥ 0 [m]: |r_S| ≤ μ_s r_N
};

/// What the one-contact solver found.
struct ResistingLocal {
  Vec6 impulse = Vec6::Zero();
  Real residual = 0;  ///< ‖F‖ of the law over the impulse, scaled: round-off where it was solved
};

/// Solves one contact that may slide, roll and spin, exact law: rows (N, T1, T2, R1, R2, S), R the
/// relative angular velocity about the two tangents and its moment, S those about the normal.
///
/// Finds r with u = A r + b, 0 ≤ u_N ⟂ r_N ≥ 0, r_T the largest opponent of u_T in ‖r_T‖ ≤ μ r_N,
/// r_R that of u_R in ‖r_R‖ ≤ μ_r r_N, r_S that of u_S in |r_S| ≤ μ_s r_N; without S the same as
/// K ∋ r ⟂ û ∈ K* with û = u + (μ‖u_T‖ + μ_r‖u_R‖) n (problem/rolling_contact). b_N ≥ 0 gives r =
/// 0. Otherwise Newton from `previous` on
///   F = (r_N − [r_N − u_N]₊, r_T − P_{μ r_N}(r_T − u_T), r_R − P_{μ_r r_N}(r_R − u_R), the same of
///   S)
/// (Alart & Curnier 1991, key `alart_1991`, with more discs); where that does not end at
/// round-off, the root r_N of u_N(r_N), (r_T, r_R, r_S) being the least of a convex function over
/// discs of given radii, found by bracketing: it exists for every symmetric positive definite A,
/// since u_N(0) = b_N < 0 and u_N grows without bound. Several solutions can exist; the answer is a
/// function of the arguments alone.
///
/// Rows are scaled inside, so that the unit of length does not matter. A may be slightly
/// unsymmetric: then the bracketing is a start for Newton only. Rows and columns of zeros, with
/// b = 0 there, are rows that the contact does not have: r = 0 in them.
/// @param A diagonal block of W, A_NN > 0. @param b velocity without this contact's impulse.
/// @param previous last impulse or zero.
/// Cost: no allocation; a few 6×6 factorisations, some hundred microseconds where it brackets.
/// Deterministic. NaN in gives NaN or a residual that is not finite out.
[[nodiscard]] ResistingLocal solve_resisting(const Mat6& A, const Vec6& b,
                                             const ContactResistance& resistance,
                                             const Vec6& previous) noexcept;

}  // namespace talus::solve
