#include <talus/stepping/detail/redundancy.hpp>

#include <Eigen/QR>
#include <algorithm>

namespace talus::stepping::detail {
namespace {
constexpr Real kDependent = 1e-6;
}

std::vector<Index> independent_columns(const MatX& G, const Eigen::LLT<MatX>& mass) {
  MatX scaled = mass.matrixL().solve(G);
  for (Index i = 0; i < scaled.cols(); ++i) {
    const Real length = scaled.col(i).norm();
    if (length > 0) scaled.col(i) /= length;
  }
  Eigen::ColPivHouseholderQR<MatX> qr;
  qr.setThreshold(kDependent);
  qr.compute(scaled);
  const auto& order = qr.colsPermutation().indices();
  std::vector<Index> columns(order.data(), order.data() + qr.rank());
  std::sort(columns.begin(), columns.end());
  return columns;
}

MatX smallest_impulses(const MatX& G, const MatX& force) {
  Eigen::CompleteOrthogonalDecomposition<MatX> decomposition;
  decomposition.setThreshold(kDependent);
  decomposition.compute(G);
  return decomposition.solve(force);
}

}  // namespace talus::stepping::detail
