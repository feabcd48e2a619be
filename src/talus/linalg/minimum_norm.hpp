#pragma once

#include <vector>

#include <talus/linalg/rank.hpp>
#include <talus/math/vector.hpp>

namespace talus::linalg {

/// Solves small square systems A x = b of any rank, by Gauss–Jordan elimination with complete
/// pivoting: x_B + F x_N = g for the pivots' unknowns x_B. Where unknowns are left over (x_N), of
/// all solutions the one with the least Σ xᵢ²/wᵢ is taken: (W_N + Fᵀ W_B F) x_N = Fᵀ W_B g with
/// W = diag(1/w). Nothing allocates after reserve(), if the size stays below.
class MinimumNorm {
 public:
  void reserve(Index size);
  /// Pivots of the scaled matrix that are no larger are zero.
  void set_least_pivot(Real pivot) { least_pivot_ = pivot; }
  /// The least pivot if nothing else is said.
  static constexpr Real kRounding = kGramRank.relative;
  /// Starts a system of n unknowns; its entries are then written through matrix() and
  /// right_side().
  void start(Index n);
  [[nodiscard]] Real& matrix(Index i, Index j) { return matrix_(i, j); }
  [[nodiscard]] Real& right_side(Index i) { return right_(i); }

  /// @param weight w > 0 of every unknown; null: 1. @param x n numbers.
  /// @param scale of row and column i, s > 0: the rank is judged on sᵢ A_ij s_j, whose entries
  ///   should be about 1. @return the rank.
  Index solve(const VecX& scale, const VecX* weight, VecX& x);
  /// Of the last solve: the largest |sᵢ(A x − b)ᵢ| in rows without a pivot; 0 where the rank is
  /// full.
  [[nodiscard]] Real inconsistency() const { return inconsistency_; }

 private:
  void share(Index rank, const VecX& scale, const VecX* weight);

  MatX matrix_, normal_;
  VecX right_, shared_;
  std::vector<Index> row_, column_;
  Index size_ = 0;
  Real inconsistency_ = 0;
  Real least_pivot_ = kRounding;
};

}  // namespace talus::linalg
