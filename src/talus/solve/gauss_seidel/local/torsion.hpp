#pragma once

#include <talus/math/vector.hpp>

namespace talus::solve {

/// Impulse of one contact that resists spinning, rows (N, T1, T2, S) [N·s, N·s·m].
struct TorsionLocal {
  Eigen::Matrix<Real, 4, 1> impulse = Eigen::Matrix<Real, 4, 1>::Zero();
  Real residual = 0;  ///< as of solve_resisting: round-off where it was solved
};

/// Solves one contact that may slide and spin about its normal: Coulomb friction, and the moment
/// r_S is the largest opponent of the spin u_S in |r_S| ≤ μ_s r_N (torsional resistance, as of a
/// contact patch of radius about 3μ_s/2μ).
///
/// It is solve_resisting without its rows of rolling; limits and cost are there.
/// @param A diagonal block of W, 4×4, A_NN > 0. @param b velocity without this contact's impulse.
/// @param friction μ ≥ 0. @param torsion μ_s ≥ 0 [m]. @param previous last impulse or zero.
[[nodiscard]] TorsionLocal solve_torsion(const Eigen::Matrix<Real, 4, 4>& A,
                                         const Eigen::Matrix<Real, 4, 1>& b, Real friction,
                                         Real torsion,
                                         const Eigen::Matrix<Real, 4, 1>& previous) noexcept;

}  // namespace talus::solve
