#include <talus/solve/pivoting/detail/lemke_tableau.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::solve::detail {
namespace {

/// Column entries below this share of the largest one are round-off, not pivots.
constexpr Real kPivotTolerance = 1e-11;

}  // namespace

LemkeTableau::LemkeTableau(Index size)
    : size_(size),
      tableau_(size, size + 2),
      basic_(slot(size)),
      row_(slot(2 * size + 1)),
      column_(slot(2 * size + 1)) {
  tied_.reserve(slot(size));
}

void LemkeTableau::reset(const MatX& M, const VecX& q, const VecX& covering) {
  tableau_.leftCols(size_) = -M;
  tableau_.col(size_) = -covering;
  tableau_.col(size_ + 1) = q;
  for (Index i = 0; i < size_; ++i) {
    basic_[slot(i)] = i;
    row_[slot(i)] = i;
    row_[slot(size_ + i)] = -1;
    column_[slot(i)] = -1;
    column_[slot(size_ + i)] = i;
  }
  row_[slot(artificial())] = -1;
  column_[slot(artificial())] = size_;
}

Index LemkeTableau::first_row(const VecX& covering, Real tie_tolerance) const {
  const auto q = tableau_.col(size_ + 1);
  const Real largest = (-q.array() / covering.array()).maxCoeff();
  Index row = -1;
  for (Index i = 0; i < size_; ++i)
    if (-q[i] / covering[i] >= largest - tie_tolerance * std::max(Real(1), largest)) row = i;
  return row;
}

Index LemkeTableau::leaving_row(Index entering, Real tie_tolerance) {
  const auto column = tableau_.col(column_[slot(entering)]);
  const auto q = tableau_.col(size_ + 1);
  const Real threshold = kPivotTolerance * std::max(Real(1), column.cwiseAbs().maxCoeff());
  Real step = std::numeric_limits<Real>::infinity();
  for (Index i = 0; i < size_; ++i)
    if (column[i] > threshold) step = std::min(step, std::max(q[i], Real(0)) / column[i]);
  if (step == std::numeric_limits<Real>::infinity()) return -1;

  tied_.clear();
  for (Index i = 0; i < size_; ++i) {
    if (column[i] <= threshold) continue;
    const Real spent = step * column[i];
    if (q[i] - spent > tie_tolerance * std::max(Real(1), spent)) continue;
    if (basic_[slot(i)] == artificial()) return i;
    tied_.push_back(i);
  }
  // The lexicographically least of rows (row of the basis inverse)/pivot (`cottle_2009` §4.9).
  for (Index j = 0; j < size_ && tied_.size() > 1; ++j) {
    Real least = std::numeric_limits<Real>::infinity();
    for (const Index i : tied_) least = std::min(least, inverse_entry(i, j) / column[i]);
    const Real limit = least + tie_tolerance * std::max(Real(1), std::abs(least));
    std::erase_if(tied_, [&](Index i) { return inverse_entry(i, j) / column[i] > limit; });
  }
  // Rows equal to the tolerance in every entry: the largest pivot is the safest one.
  return *std::max_element(tied_.begin(), tied_.end(),
                           [&](Index a, Index b) { return column[a] < column[b]; });
}

Index LemkeTableau::pivot(Index row, Index entering) {
  const Index s = column_[slot(entering)];
  const Index leaving = basic_[slot(row)];
  const Real inverse = 1 / tableau_(row, s);
  tableau_(row, s) = 1;
  tableau_.row(row) *= inverse;
  for (Index i = 0; i < size_; ++i) {
    const Real factor = tableau_(i, s);
    if (i == row || factor == 0) continue;
    tableau_(i, s) = 0;
    tableau_.row(i).noalias() -= factor * tableau_.row(row);
  }
  basic_[slot(row)] = entering;
  row_[slot(entering)] = row;
  column_[slot(entering)] = -1;
  row_[slot(leaving)] = -1;
  column_[slot(leaving)] = s;
  return leaving;
}

}  // namespace talus::solve::detail
