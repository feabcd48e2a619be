#pragma once

#include <talus/math/vector.hpp>

namespace talus::solve {

using Mat5 = Eigen::Matrix<Real, 5, 5>;

/// What the one-contact solver found.
struct RollingLocal {
  Vec5 impulse = Vec5::Zero();
  Real residual = 0;  ///< as of solve_resisting: round-off where it was solved
};

/// Solves one contact that may slide and roll, rows (N, T1, T2, R1, R2): solve_resisting without
/// its last row; law, limits and cost are there.
/// @param A diagonal block of W, A_NN > 0. @param b velocity without this contact's impulse.
/// @param friction μ ≥ 0. @param rolling μ_r ≥ 0 [m]. @param previous last impulse or zero.
[[nodiscard]] RollingLocal solve_rolling(const Mat5& A, const Vec5& b, Real friction, Real rolling,
                                         const Vec5& previous) noexcept;

}  // namespace talus::solve
