#pragma once

#include <talus/math/vector.hpp>

namespace talus::solve {

using Mat5 = Eigen::Matrix<Real, 5, 5>;

/// What the one-contact solver found.
struct RollingLocal {
  Vec5 impulse = Vec5::Zero();
  Real residual = 0;  ///< ‖F‖ of the law over the impulse, scaled: round-off where it was solved
};

/// Solves one contact that may slide and roll, exact law: rows (N, T1, T2, R1, R2).
///
/// Finds r with u = A r + b, 0 ≤ u_N ⟂ r_N ≥ 0, r_T the largest opponent of u_T in ‖r_T‖ ≤ μ r_N
/// and r_R that of u_R in ‖r_R‖ ≤ μ_r r_N; the same as K ∋ r ⟂ û ∈ K* with û = u + (μ‖u_T‖ +
/// μ_r‖u_R‖) n (problem/rolling_contact). b_N ≥ 0 gives r = 0. Otherwise Newton from `previous` on
///   F = (r_N − [r_N − u_N]₊, r_T − P_{μ r_N}(r_T − u_T), r_R − P_{μ_r r_N}(r_R − u_R))
/// (Alart & Curnier 1991, key `alart_1991`, with a second disc); where that does not end at
/// round-off, the root r_N of u_N(r_N), (r_T, r_R) being the least of a convex function over two
/// discs of given radii, found by bracketing: it exists for every symmetric positive definite A,
/// since u_N(0) = b_N < 0 and u_N grows without bound. Several solutions can exist; the answer is a
/// function of the arguments alone.
///
/// Rows are scaled inside, so that the unit of length does not matter. A may be slightly
/// unsymmetric: then the bracketing is a start for Newton only.
/// @param A diagonal block of W, A_NN > 0. @param b velocity without this contact's impulse.
/// @param friction μ ≥ 0. @param rolling μ_r ≥ 0 [m]. @param previous last impulse or zero.
/// Cost: no allocation; a few 5×5 factorisations, some hundred microseconds where it brackets.
/// Deterministic. NaN in gives NaN or a residual that is not finite out.
[[nodiscard]] RollingLocal solve_rolling(const Mat5& A, const Vec5& b, Real friction, Real rolling,
                                         const Vec5& previous) noexcept;

}  // namespace talus::solve
