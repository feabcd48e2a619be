#include <talus/solve/gauss_seidel/local/torsion.hpp>

#include <talus/solve/gauss_seidel/local/rolling.hpp>

namespace talus::solve {

TorsionLocal solve_torsion(const Eigen::Matrix<Real, 4, 4>& A, const Eigen::Matrix<Real, 4, 1>& b,
                           Real friction, Real torsion,
                           const Eigen::Matrix<Real, 4, 1>& previous) noexcept {
  Mat5 padded = Mat5::Zero();
  padded.topLeftCorner<4, 4>() = A;
  padded(4, 4) = A(3, 3);
  Vec5 free, last;
  free << b, 0;
  last << previous, 0;
  const RollingLocal local = solve_rolling(padded, free, friction, torsion, last);
  return {local.impulse.head<4>(), local.residual};
}

}  // namespace talus::solve
