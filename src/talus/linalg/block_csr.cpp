#include <talus/linalg/block_csr.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace talus::linalg {
namespace {

using RowMatrix = Eigen::SparseMatrix<Real, Eigen::RowMajor>;

template <int d>
std::array<RowMatrix::InnerIterator, d> entries_of_rows(const RowMatrix& A, Index first) {
  return [&]<std::size_t... k>(std::index_sequence<k...>) {
    return std::array<RowMatrix::InnerIterator, d>{
        RowMatrix::InnerIterator(A, first + static_cast<Index>(k))...};
  }
  (std::make_index_sequence<d>());
}

}  // namespace

template <int d>
void BlockCsr<d>::assign(const RowMatrix& A) {
  using Entry = RowMatrix::InnerIterator;
  constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  const auto contacts = static_cast<std::size_t>(A.rows() / d);
  const auto most = static_cast<std::size_t>(A.nonZeros()) / d;  // exact where blocks are full
  row_start.clear();
  row_start.reserve(contacts + 1);
  row_start.push_back(0);
  column.clear();
  column.reserve(most);
  block.clear();
  block.reserve(most);
  diagonal.assign(contacts, Block::Zero());
  for (std::size_t i = 0; i < contacts; ++i) {
    // The d rows are merged: their columns rise.
    std::array<Entry, d> row = entries_of_rows<d>(A, static_cast<Index>(i) * d);
    while (true) {
      std::uint32_t next = kNone;
      for (const Entry& entry : row)
        if (entry) next = std::min(next, static_cast<std::uint32_t>(entry.col()) / d);
      if (next == kNone) break;
      if (next != i) {
        column.push_back(next);
        block.push_back(Block::Zero());
      }
      Block& place = next == i ? diagonal[i] : block.back();
      const Index first = static_cast<Index>(next) * d;
      for (int k = 0; k < d; ++k)
        for (Entry& entry = row[static_cast<std::size_t>(k)]; entry && entry.col() < first + d;
             ++entry)
          place(k, entry.col() - first) += entry.value();
    }
    row_start.push_back(column.size());
  }
}

template <int d>
void BlockCsr<d>::scale(const VecX& s) {
  for (std::size_t i = 0; i < size(); ++i) {
    const Real own = s[static_cast<Index>(i)];
    diagonal[i] *= own * own;
    for (std::size_t k = row_start[i]; k < row_start[i + 1]; ++k)
      block[k] *= own * s[static_cast<Index>(column[k])];
  }
}

template <int d>
void BlockCsr<d>::multiply(const VecX& x, const VecX& b, VecX& y) const {
  y.resize(b.size());
  for (std::size_t i = 0; i < size(); ++i) {
    const auto place = static_cast<Index>(d * i);
    Eigen::Matrix<Real, d, 1> sum = b.segment<d>(place);
    sum.noalias() += diagonal[i] * x.segment<d>(place);
    for (std::size_t k = row_start[i]; k < row_start[i + 1]; ++k)
      sum.noalias() += block[k] * x.segment<d>(d * static_cast<Index>(column[k]));
    y.segment<d>(place) = sum;
  }
}

template struct BlockCsr<2>;
template struct BlockCsr<3>;
template struct BlockCsr<5>;

}  // namespace talus::linalg
