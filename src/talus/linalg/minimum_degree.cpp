#include <talus/linalg/minimum_degree.hpp>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include <algorithm>

#include <talus/base/types.hpp>

namespace talus::linalg {

std::vector<int> minimum_degree(const Graph& graph) {
  const auto n = static_cast<int>(graph.size());
  Eigen::SparseMatrix<Real> pattern(n, n);
  std::vector<int> sizes(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) sizes[i] = static_cast<int>(graph[i].size()) + 1;
  pattern.reserve(sizes);
  for (int i = 0; i < n; ++i) {
    const auto& row = graph[static_cast<std::size_t>(i)];
    const auto middle = std::lower_bound(row.begin(), row.end(), i);
    for (auto j = row.begin(); j != middle; ++j) pattern.insert(*j, i) = 1;
    pattern.insert(i, i) = 1;
    for (auto j = middle; j != row.end(); ++j) pattern.insert(*j, i) = 1;
  }
  pattern.makeCompressed();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(pattern, order);
  return {order.indices().data(), order.indices().data() + n};
}

}  // namespace talus::linalg
