#include <talus/dynamics/planar_delassus.hpp>

#include <utility>
#include <vector>

namespace talus::dynamics {
namespace {

problem::SparseMatrix general_delassus(std::span<const JacobianRow> rows,
                                       std::span<const ConstraintFactor::Response> responses) {
  const auto n = static_cast<Index>(rows.size());
  MatX G(n, n);
  for (Index j = 0; j < n; ++j) {
    VecX change = VecX::Zero(rows[0].width);
    responses[static_cast<std::size_t>(j)].add_to(change, 1);
    for (Index i = 0; i < n; ++i) G(i, j) = rows[static_cast<std::size_t>(i)].times(change);
  }
  return G.sparseView(0, 0);
}

}  // namespace

problem::SparseMatrix planar_delassus(std::span<const JacobianRow> rows,
                                      std::span<const ConstraintFactor::Response> responses,
                                      Index body_count) {
  if (!rows.empty() && rows[0].is_general()) return general_delassus(rows, responses);
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
