#pragma once

#include <Eigen/SparseCore>

#include <cstdint>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::linalg {

/// Sparse matrix as rows of dense d×d blocks, diagonal blocks apart: one block row per contact.
template <int d>
struct BlockCsr {
  using Block = Eigen::Matrix<Real, d, d>;
  std::vector<std::size_t>
      row_start;  // m+1; blocks row_start[i] … row_start[i+1]−1 belong to block row i
  std::vector<std::uint32_t> column;  // block column of each off-diagonal block, rising in a row
  std::vector<Block> block;
  std::vector<Block> diagonal;  // m

  /// Number of block rows m.
  [[nodiscard]] std::size_t size() const { return diagonal.size(); }

  /// @param A dm×dm; entries that are stored but zero still make a block. Cost: linear in them but
  /// for sorting the neighbours of each row.
  void assign(const Eigen::SparseMatrix<Real, Eigen::RowMajor>& A);

  /// A ← S A S with S = diag(sᵢ I). @param s m numbers.
  void scale(const VecX& s);

  /// y ← A x + b. @param x,b,y dm numbers; y is not x. Sums run in the order of the columns.
  void multiply(const VecX& x, const VecX& b, VecX& y) const;
};

extern template struct BlockCsr<2>;
extern template struct BlockCsr<3>;
extern template struct BlockCsr<5>;

}  // namespace talus::linalg
