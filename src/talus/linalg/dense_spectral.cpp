#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include <talus/linalg/dense.hpp>

// Singular values and eigenvalues.

namespace talus::linalg {

MatX null_space(const MatX& A, RankTolerance tolerance) {
  if (A.rows() == 0) return MatX::Identity(A.cols(), A.cols());
  const Eigen::JacobiSVD<MatX> svd(A, Eigen::ComputeFullV);
  const VecX& values = svd.singularValues();
  const Real relative = tolerance.of(A.rows(), A.cols());
  Index rank = 0;
  while (rank < values.size() && values[rank] > relative * values[0]) ++rank;
  return svd.matrixV().rightCols(A.cols() - rank);
}

std::vector<std::complex<Real>> eigenvalues(const MatX& A) {
  const Eigen::EigenSolver<MatX> solver(A, false);
  const auto& values = solver.eigenvalues();
  return {values.data(), values.data() + values.size()};
}

VecX symmetric_eigenvalues(const MatX& A) {
  return Eigen::SelfAdjointEigenSolver<MatX>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace talus::linalg
