#include <talus/problem/convert_bounded.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/contract.hpp>

namespace talus::problem {

PolyhedralLcp to_lcp(const BoundedFriction& problem, Index directions) {
  const Index d = problem.dimension, m = problem.joint_count();
  const Index k = d == 1 ? 2 : directions;
  TALUS_DEMAND(k >= 2 && k % 2 == 0);
  const Index slips = k * m, size = (k + 1) * m;

  PolyhedralLcp result;
  std::vector<Eigen::Triplet<Real>> entries;
  for (Index c = 0; c < m; ++c)
    for (Index j = 0; j < k; ++j) {
      const Real angle = 2 * std::numbers::pi * static_cast<Real>(j) / static_cast<Real>(k);
      const auto row = static_cast<int>(d * c), column = static_cast<int>(k * c + j);
      entries.emplace_back(row, column, d == 1 ? (j == 0 ? 1 : -1) : std::cos(angle));
      if (d == 2) entries.emplace_back(row + 1, column, std::sin(angle));
    }
  result.impulse.resize(d * m, size);
  result.impulse.setFromTriplets(entries.begin(), entries.end());

  const SparseMatrix product =
      result.impulse.transpose() * SparseMatrix(problem.W * result.impulse);
  result.lcp.M = product;
  result.lcp.q = result.impulse.transpose() * problem.b;
  result.lcp.q.tail(m) = problem.bound;
  for (Index c = 0; c < m; ++c) {
    result.lcp.M.block(k * c, slips + c, k, 1).setOnes();
    result.lcp.M.block(slips + c, k * c, 1, k).setConstant(-1);
  }
  return result;
}

}  // namespace talus::problem
