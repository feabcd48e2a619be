#include <talus/solve/gauss_seidel/local/torsion.hpp>

#include <talus/solve/gauss_seidel/local/resisting.hpp>

namespace talus::solve {

TorsionLocal solve_torsion(const Eigen::Matrix<Real, 4, 4>& A, const Eigen::Matrix<Real, 4, 1>& b,
                           Real friction, Real torsion,
                           const Eigen::Matrix<Real, 4, 1>& previous) noexcept {
  Mat6 block = Mat6::Zero();
  block.topLeftCorner<3, 3>() = A.topLeftCorner<3, 3>();
  block.topRightCorner<3, 1>() = A.topRightCorner<3, 1>();
  block.bottomLeftCorner<1, 3>() = A.bottomLeftCorner<1, 3>();
  block(5, 5) = A(3, 3);
  Vec6 free = Vec6::Zero(), last = Vec6::Zero();
  free.head<3>() = b.head<3>();
  free[5] = b[3];
  last.head<3>() = previous.head<3>();
  last[5] = previous[3];
  const ResistingLocal local = solve_resisting(block, free, {friction, 0, torsion}, last);
  TorsionLocal result{{}, local.residual};
  result.impulse << local.impulse.head<3>(), local.impulse[5];
  return result;
}

}  // namespace talus::solve
