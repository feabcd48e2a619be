#include <talus/problem/row_islands.hpp>

namespace talus::problem {

using Entry = SparseMatrix::InnerIterator;

void join_rows(const SparseMatrix& G, DisjointSets& sets) {
  for (Index i = 0; i < G.rows(); ++i)
    for (Entry entry(G, i); entry; ++entry)
      if (entry.value() != 0) sets.join(i, entry.col());
}

void join_rows(const MatX& G, DisjointSets& sets) {
  for (Index j = 0; j < G.cols(); ++j)
    for (Index i = 0; i < G.rows(); ++i)
      if (G(i, j) != 0) sets.join(i, j);
}

std::vector<std::vector<Index>> members_of(DisjointSets& sets) {
  std::vector<std::vector<Index>> all;
  std::vector<Index> place(static_cast<std::size_t>(sets.size()), -1);
  for (Index i = 0; i < sets.size(); ++i) {
    Index& at = place[static_cast<std::size_t>(sets.root(i))];
    if (at < 0) {
      at = static_cast<Index>(all.size());
      all.emplace_back();
    }
    all[static_cast<std::size_t>(at)].push_back(i);
  }
  return all;
}

SparseMatrix block_of(const SparseMatrix& G, const std::vector<Index>& rows,
                      std::vector<Index>& place) {
  const auto n = static_cast<Index>(rows.size());
  for (Index i = 0; i < n; ++i)
    place[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])] = i;
  SparseMatrix block(n, n);
  for (Index i = 0; i < n; ++i) {
    block.startVec(i);
    for (Entry entry(G, rows[static_cast<std::size_t>(i)]); entry; ++entry)
      if (const Index j = place[static_cast<std::size_t>(entry.col())]; j >= 0)
        block.insertBack(i, j) = entry.value();
  }
  block.finalize();
  for (const Index row : rows) place[static_cast<std::size_t>(row)] = -1;
  return block;
}

}  // namespace talus::problem
