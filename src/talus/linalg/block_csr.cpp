#include <talus/linalg/block_csr.hpp>

#include <algorithm>

namespace talus::linalg {

template <int d>
void BlockCsr<d>::assign(const Eigen::SparseMatrix<Real, Eigen::RowMajor>& A) {
  using Entry = Eigen::SparseMatrix<Real, Eigen::RowMajor>::InnerIterator;
  const auto contacts = static_cast<std::size_t>(A.rows() / d);
  row_start.assign(1, 0);
  column.clear();
  block.clear();
  diagonal.assign(contacts, Block::Zero());
  std::vector<std::uint32_t> neighbours;
  for (std::size_t i = 0; i < contacts; ++i) {
    neighbours.clear();
    for (int k = 0; k < d; ++k)
      for (Entry entry(A, static_cast<Index>(i) * d + k); entry; ++entry)
        neighbours.push_back(static_cast<std::uint32_t>(entry.col() / d));
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    std::erase(neighbours, static_cast<std::uint32_t>(i));

    const std::size_t first = column.size();
    column.insert(column.end(), neighbours.begin(), neighbours.end());
    block.resize(column.size(), Block::Zero());
    for (int k = 0; k < d; ++k)
      for (Entry entry(A, static_cast<Index>(i) * d + k); entry; ++entry) {
        const auto j = static_cast<std::uint32_t>(entry.col() / d);
        const int l = static_cast<int>(entry.col() % d);
        if (j == i) {
          diagonal[i](k, l) += entry.value();
          continue;
        }
        const auto place = std::lower_bound(neighbours.begin(), neighbours.end(), j);
        block[first + static_cast<std::size_t>(place - neighbours.begin())](k, l) += entry.value();
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
