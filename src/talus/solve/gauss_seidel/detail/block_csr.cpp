#include <talus/solve/gauss_seidel/detail/block_csr.hpp>

#include <algorithm>

namespace talus::solve::detail {

template <int d>
void BlockCsr<d>::assign(const problem::SparseMatrix& W) {
  const auto contacts = static_cast<std::size_t>(W.rows() / d);
  row_start.assign(1, 0);
  column.clear();
  block.clear();
  diagonal.assign(contacts, Block::Zero());
  std::vector<std::uint32_t> neighbours;
  for (std::size_t i = 0; i < contacts; ++i) {
    neighbours.clear();
    for (int k = 0; k < d; ++k)
      for (problem::SparseMatrix::InnerIterator entry(W, static_cast<Index>(i) * d + k); entry;
           ++entry)
        neighbours.push_back(static_cast<std::uint32_t>(entry.col() / d));
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
    std::erase(neighbours, static_cast<std::uint32_t>(i));

    const std::size_t first = column.size();
    column.insert(column.end(), neighbours.begin(), neighbours.end());
    block.resize(column.size(), Block::Zero());
    for (int k = 0; k < d; ++k)
      for (problem::SparseMatrix::InnerIterator entry(W, static_cast<Index>(i) * d + k); entry;
           ++entry) {
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

template struct BlockCsr<2>;
template struct BlockCsr<3>;

}  // namespace talus::solve::detail
