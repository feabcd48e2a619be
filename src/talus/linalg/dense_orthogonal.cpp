#include <algorithm>

#include <talus/linalg/dense.hpp>

// QR factors.

namespace talus::linalg {

void ColPivQr::compute(const MatX& A) {
  qr_.setThreshold(tolerance_.of(A.rows(), A.cols()));
  qr_.compute(A);
}
Index ColPivQr::rank() const { return qr_.rank(); }
std::vector<Index> ColPivQr::pivot_columns() const {
  const auto& order = qr_.colsPermutation().indices();
  std::vector<Index> columns(order.data(), order.data() + qr_.rank());
  std::sort(columns.begin(), columns.end());
  return columns;
}
VecX ColPivQr::solve(const VecX& b) const { return qr_.solve(b); }

void CompleteOrthogonal::compute(const MatX& A) {
  decomposition_.setThreshold(tolerance_.of(A.rows(), A.cols()));
  decomposition_.compute(A);
}
Index CompleteOrthogonal::rank() const { return decomposition_.rank(); }
VecX CompleteOrthogonal::solve(const VecX& b) const { return decomposition_.solve(b); }
MatX CompleteOrthogonal::solve(const MatX& B) const { return decomposition_.solve(B); }

std::vector<Index> independent_columns(MatX A, RankTolerance tolerance) {
  for (Index i = 0; i < A.cols(); ++i) {
    const Real length = A.col(i).norm();
    if (length > 0) A.col(i) /= length;
  }
  ColPivQr qr(tolerance);
  qr.compute(A);
  return qr.pivot_columns();
}

MatX orthogonal_factor(const MatX& A) {
  const Eigen::HouseholderQR<MatX> qr(A);
  return qr.householderQ() * MatX::Identity(A.rows(), A.rows());
}

}  // namespace talus::linalg
