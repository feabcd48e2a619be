#pragma once

#include <cstdint>
#include <vector>

#include <talus/problem/friction_contact.hpp>

namespace talus::solve::detail {

/// Delassus matrix of d-dimensional contacts as rows of dense d×d blocks, diagonal blocks apart.
template <int d>
struct BlockCsr {
  using Block = Eigen::Matrix<Real, d, d>;
  std::vector<std::size_t>
      row_start;  // m+1; blocks row_start[i] … row_start[i+1]−1 belong to contact i
  std::vector<std::uint32_t> column;  // contact of each off-diagonal block, rising in a row
  std::vector<Block> block;
  std::vector<Block> diagonal;  // m

  /// @param W dm×dm, row-major; entries that are stored but zero still make a block.
  void assign(const problem::SparseMatrix& W);
};

extern template struct BlockCsr<2>;
extern template struct BlockCsr<3>;

}  // namespace talus::solve::detail
