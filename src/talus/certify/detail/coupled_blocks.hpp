#pragma once

#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include <talus/base/disjoint_sets.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::certify::detail {

/// Which blocks of rows are of one island: those that W couples, or M and H through velocities.
/// @param block of each row of W, of each column of H, in [0, count). Cost O(non-zeros).
[[nodiscard]] DisjointSets coupled_blocks(Index count, std::span<const Index> block,
                                          const problem::SparseMatrix& W);
[[nodiscard]] DisjointSets coupled_blocks(Index count, std::span<const Index> block,
                                          const problem::SparseMatrix& M,
                                          const Eigen::SparseMatrix<Real, Eigen::ColMajor>& H);

/// The block of each of `rows` rows, d rows each.
[[nodiscard]] std::vector<Index> blocks_of_size(Index rows, Index d);

}  // namespace talus::certify::detail
