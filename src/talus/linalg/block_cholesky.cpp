#include <talus/linalg/block_cholesky.hpp>

namespace talus::linalg {

bool BlockCholesky::compute(const MatX& blocks) {
  width_ = blocks.cols();
  blocks_.resize(static_cast<std::size_t>(width_ > 0 ? blocks.rows() / width_ : 0));
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (!blocks_[i].compute(blocks.middleRows(static_cast<Index>(i) * width_, width_)))
      return false;
  return true;
}

/// The rows of every block's part(factors, its rows of B), one below the other.
template <class Part>
MatX BlockCholesky::by_blocks(const MatX& B, const Part& part) const {
  MatX X(B.rows(), B.cols());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Index first = static_cast<Index>(i) * width_;
    X.middleRows(first, width_) = part(blocks_[i], B.middleRows(first, width_));
  }
  return X;
}

VecX BlockCholesky::solve(const VecX& b) const {
  return by_blocks(b, [](const Cholesky& block, const VecX& rows) { return block.solve(rows); });
}

MatX BlockCholesky::solve_lower(const MatX& B) const {
  return by_blocks(B,
                   [](const Cholesky& block, const MatX& rows) { return block.solve_lower(rows); });
}

/// J A⁻¹: a row fills the blocks that it touches.
SparseRows BlockCholesky::times_inverse(const SparseRows& J) const {
  SparseRows product(J.rows(), J.cols());
  VecX part(width_);
  for (Index row = 0; row < J.rows(); ++row) {
    product.startVec(row);
    for (SparseRows::InnerIterator entry(J, row); entry;) {
      const Index block = entry.col() / width_, first = block * width_;
      part.setZero();
      for (; entry && entry.col() < first + width_; ++entry)
        part[entry.col() - first] = entry.value();
      part = blocks_[static_cast<std::size_t>(block)].solve(part);
      for (Index k = 0; k < width_; ++k) product.insertBack(row, first + k) = part[k];
    }
  }
  product.finalize();
  return product;
}

SparseRows BlockCholesky::inverse_congruence(const SparseRows& J) const {
  if (blocks_.size() == 1) return blocks_.front().inverse_congruence(MatX(J)).sparseView();
  return times_inverse(J) * SparseRows(J.transpose());
}

}  // namespace talus::linalg
