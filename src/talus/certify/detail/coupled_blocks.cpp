#include <talus/certify/detail/coupled_blocks.hpp>

#include <vector>

namespace talus::certify::detail {

DisjointSets coupled_blocks(Index count, std::span<const Index> block,
                            const problem::SparseMatrix& W) {
  DisjointSets coupled(count);
  for (Index row = 0; row < W.outerSize(); ++row)
    for (problem::SparseMatrix::InnerIterator entry(W, row); entry; ++entry)
      if (entry.value() != 0) coupled.join(block[row], block[entry.col()]);
  return coupled;
}

/// Velocities first, then the blocks.
DisjointSets coupled_blocks(Index count, std::span<const Index> block,
                            const problem::SparseMatrix& M,
                            const Eigen::SparseMatrix<Real, Eigen::ColMajor>& H) {
  const Index n = M.rows();
  DisjointSets all(n + count);
  for (Index k = 0; k < M.outerSize(); ++k)
    for (problem::SparseMatrix::InnerIterator entry(M, k); entry; ++entry)
      if (entry.value() != 0) all.join(entry.row(), entry.col());
  for (Index column = 0; column < H.outerSize(); ++column)
    for (Eigen::SparseMatrix<Real, Eigen::ColMajor>::InnerIterator entry(H, column); entry; ++entry)
      if (entry.value() != 0) all.join(entry.row(), n + block[column]);
  DisjointSets coupled(count);
  std::vector<Index> first(n + count, -1);
  for (Index i = 0; i < count; ++i) {
    Index& of_set = first[all.root(n + i)];
    if (of_set < 0) of_set = i;
    coupled.join(of_set, i);
  }
  return coupled;
}

std::vector<Index> blocks_of_size(Index rows, Index d) {
  std::vector<Index> block(rows);
  for (Index row = 0; row < rows; ++row) block[row] = row / d;
  return block;
}

}  // namespace talus::certify::detail
