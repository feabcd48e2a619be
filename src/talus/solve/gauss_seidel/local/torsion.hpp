#pragma once

#include <talus/math/vector.hpp>

namespace talus::solve {

/// Impulse of one contact that resists spinning, rows (N, T1, T2, S) [N·s, N·s·m].
struct TorsionLocal {
  Eigen::Matrix<Real, 4, 1> impulse = Eigen::Matrix<Real, 4, 1>::Zero();
  Real residual = 0;  ///< as of solve_rolling: round-off where it was solved
};

/// Solves one contact that may slide and spin about its normal: Coulomb friction, and the moment
/// r_S is the largest opponent of the spin u_S in |r_S| ≤ μ_s r_N (torsional resistance, as of a
/// contact patch of radius about 3μ_s/2μ).
///
/// The rolling law (solve_rolling) with a disc in the place of the interval: its second row is
/// uncoupled and at rest, so that its moment is zero and the disc is the interval.
/// @param A diagonal block of W, 4×4, A_NN > 0. @param b velocity without this contact's impulse.
/// @param friction μ ≥ 0. @param torsion μ_s ≥ 0 [m]. @param previous last impulse or zero.
/// Cost and limits: those of solve_rolling.
[[nodiscard]] TorsionLocal solve_torsion(const Eigen::Matrix<Real, 4, 4>& A,
                                         const Eigen::Matrix<Real, 4, 1>& b, Real friction,
                                         Real torsion,
                                         const Eigen::Matrix<Real, 4, 1>& previous) noexcept;

}  // namespace talus::solve
