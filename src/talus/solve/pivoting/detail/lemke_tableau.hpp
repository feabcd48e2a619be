#pragma once

#include <vector>

#include <talus/math/vector.hpp>

namespace talus::solve::detail {

/// Condensed tableau x_B + T x_N = q̄ of Lemke's system w − M z − d z₀ = q.
///
/// Variables are numbered w₀ … w_{n−1}, z₀ … z_{n−1}, and 2n for the artificial one. Only the n+1
/// non-basic columns are stored; basic ones are unit vectors. Memory is taken once in the
/// constructor.
class LemkeTableau {
 public:
  explicit LemkeTableau(Index size);

  /// Starts from the basis w: T = [−M, −d], q̄ = q.
  void reset(const MatX& M, const VecX& q, const VecX& covering);

  [[nodiscard]] Index size() const { return size_; }
  [[nodiscard]] Index artificial() const { return 2 * size_; }
  [[nodiscard]] Index complement(Index variable) const {
    return variable < size_ ? variable + size_ : variable - size_;
  }
  [[nodiscard]] bool is_basic(Index variable) const { return row_[slot(variable)] >= 0; }
  [[nodiscard]] Real value(Index variable) const {
    const Index row = row_[slot(variable)];
    return row < 0 ? Real(0) : tableau_(row, size_ + 1);
  }
  /// How fast a variable grows with `entering`, which is not basic.
  [[nodiscard]] Real slope(Index variable, Index entering) const {
    const Index row = row_[slot(variable)];
    if (row < 0) return variable == entering ? Real(1) : Real(0);
    return -tableau_(row, column_[slot(entering)]);
  }
  [[nodiscard]] bool is_finite() const { return tableau_.allFinite(); }

  /// Row that the artificial variable takes first: largest −q/d, ties to the largest index, which
  /// makes every row lexicographically positive.
  [[nodiscard]] Index first_row(const VecX& covering, Real tie_tolerance) const;

  /// Row that leaves when `entering` grows, or −1 on a ray. Rows whose basic variable would become
  /// zero within the tie tolerance tie; the artificial variable wins, else the lexicographic rule.
  [[nodiscard]] Index leaving_row(Index entering, Real tie_tolerance);

  /// Exchanges the basic variable of `row` with `entering`; returns the variable that left.
  Index pivot(Index row, Index entering);

 private:
  static std::size_t slot(Index i) { return static_cast<std::size_t>(i); }
  /// Entry (row, j) of the basis inverse: the column of w_j.
  [[nodiscard]] Real inverse_entry(Index row, Index j) const {
    const Index column = column_[slot(j)];
    return column >= 0 ? tableau_(row, column) : Real(row_[slot(j)] == row ? 1 : 0);
  }

  using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Index size_;
  RowMajor tableau_;           // n×(n+2): the non-basic columns, then q̄
  std::vector<Index> basic_;   // variable of each row
  std::vector<Index> row_;     // row of each variable, −1 if non-basic
  std::vector<Index> column_;  // column of each variable, −1 if basic
  std::vector<Index> tied_;    // rows in a tie
};

}  // namespace talus::solve::detail
