#include <talus/dynamics/planar_delassus.hpp>

#include <utility>
#include <vector>

namespace talus::dynamics {

problem::SparseMatrix planar_delassus(std::span<const JacobianRow> rows,
                                      std::span<const ConstraintSolver::Response> responses,
                                      Index body_count) {
  std::vector<std::vector<std::size_t>> rows_of(static_cast<std::size_t>(body_count));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i].for_each(
        [&](Index body, const auto&) { rows_of[static_cast<std::size_t>(body)].push_back(i); });
  std::vector<std::vector<std::pair<Index, Real>>> entries(rows.size());  // (column, value)
  std::size_t count = 0;
  for (std::size_t j = 0; j < rows.size(); ++j)
    for (const auto& [body, change] : responses[j].parts)
      for (const std::size_t i : rows_of[static_cast<std::size_t>(body)]) {
        const auto column = static_cast<Index>(j);
        const Real value = rows[i].part(body).dot(change);
        if (!entries[i].empty() && entries[i].back().first == column) {
          entries[i].back().second += value;
        } else {
          entries[i].emplace_back(column, value);
          ++count;
        }
      }
  const auto n = static_cast<Index>(rows.size());
  problem::SparseMatrix G(n, n);
  G.reserve(static_cast<Index>(count));
  for (Index i = 0; i < n; ++i) {
    G.startVec(i);
    for (const auto& [j, value] : entries[static_cast<std::size_t>(i)]) G.insertBack(i, j) = value;
  }
  G.finalize();
  return G;
}

}  // namespace talus::dynamics
