#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <talus/linalg/block_csr.hpp>

namespace talus::linalg {

/// Sparse LU of d×d blocks for the matrices of a semismooth Newton method,
///   A = P W + Q,   P = diag(Pᵢ), Q = diag(Qᵢ), rows that are not active: Aᵢ = identity.
///
/// W is the same from one matrix to the next, only Pᵢ, Qᵢ and which rows are active change: the
/// order of elimination and the pattern of the factors are chosen once for a set of rows (minimum
/// degree on the graph of blocks, Amestoy, Davis & Duff 1996, key `amestoy_1996`), and every matrix
/// whose active rows lie in that set is factorised on it, up-looking, row by row (Davis 2006, key
/// `davis_2006`). Pivots are chosen inside diagonal blocks only, never between them: meant for
/// matrices that a proximal term αI, α > 0, keeps away from singular. L is not kept: a
/// factorisation solves one right-hand side on its way. Deterministic; the same bits with and
/// without vector instructions.
template <int d>
class BlockLu {
 public:
  using Block = Eigen::Matrix<Real, d, d>;
  using Columns2 = Eigen::Matrix<Real, Eigen::Dynamic, 2>;

  /// Chooses order and pattern for a set of rows. @param W pattern, need not be symmetric (its
  /// symmetric hull is taken). @param members rows of W, rising. @param most products() that are
  /// allowed. @return false if there are more; members() is then empty. Cost: near-linear in the
  /// factors, of those that are refused in the part that was looked at.
  bool analyse(const BlockCsr<d>& W, std::span<const std::uint32_t> members,
               double most = std::numeric_limits<double>::infinity());

  /// The rows of the last analyse; rising. Empty before.
  [[nodiscard]] std::span<const std::uint32_t> members() const { return members_; }
  /// Number of d×d products of a factorisation in which every member is active.
  [[nodiscard]] double products() const { return products_; }

  /// Solves A x = y on the members, for one or two right-hand sides. @param W as analysed (values
  /// may differ). @param P, Q one block per row of W. @param is_active one per row of W, 0 for
  /// identity rows; active rows must be members. @param x in: y; out: the solution; d numbers per
  /// row of W; rows that are not members are left alone (and must be 0 where an active row of W
  /// meets them: their columns are not looked at).
  /// @param should_stop polled about every millisecond of a long factorisation; true ends it. May
  /// be empty.
  /// @return false if a pivot block is singular, a number is not finite or it was stopped; x is
  /// then undefined.
  [[nodiscard]] bool solve(const BlockCsr<d>& W, const std::vector<Block>& P,
                           const std::vector<Block>& Q, const std::vector<std::uint8_t>& is_active,
                           VecX& x, const std::function<bool()>& should_stop = {});
  [[nodiscard]] bool solve(const BlockCsr<d>& W, const std::vector<Block>& P,
                           const std::vector<Block>& Q, const std::vector<std::uint8_t>& is_active,
                           Columns2& x, const std::function<bool()>& should_stop = {});

  /// A d×d block in columns of four numbers, so that a column is one vector register.
  struct alignas(32) Panel {
    Real value[4 * d] = {};
  };

 private:
  template <int columns>
  bool factorise_and_solve(const BlockCsr<d>& W, const std::vector<Block>& P,
                           const std::vector<Block>& Q, const std::vector<std::uint8_t>& is_active,
                           std::vector<Eigen::Matrix<Real, d, columns>>& solution,
                           Eigen::Matrix<Real, Eigen::Dynamic, columns>& x,
                           const std::function<bool()>& should_stop);
  void scatter_row(const BlockCsr<d>& W, const std::vector<Block>& P, const std::vector<Block>& Q,
                   std::uint32_t row);

  std::vector<std::uint32_t> members_;
  std::vector<std::uint32_t> order_;  // order_[p]: the row of W eliminated at position p
  std::vector<std::uint32_t> place_;  // place_[row]: its position, or kNone
  // Row patterns of L and U without their diagonals, by position.
  std::vector<std::size_t> lower_start_, upper_start_;
  std::vector<std::uint32_t> lower_, upper_;
  double products_ = 0;

  std::vector<Panel> work_;                          // the row being eliminated, by position
  std::vector<Real> upper_block_;                    // d·d numbers per entry of upper_, by columns
  std::vector<Block> inverse_pivot_;                 // by position
  std::vector<Eigen::Matrix<Real, d, 1>> solution_;  // by position
  std::vector<Eigen::Matrix<Real, d, 2>> solution2_;
};

extern template class BlockLu<2>;
extern template class BlockLu<3>;

}  // namespace talus::linalg
