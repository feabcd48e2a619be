#pragma once

#include <vector>

#include <talus/linalg/dense.hpp>
#include <talus/linalg/sparse_factor.hpp>

namespace talus::linalg {

/// A = L Lᵀ of a matrix with blocks on its diagonal alone, all of one width w: mass matrices.
/// A single block is a dense matrix (Cholesky). ComponentLu finds its blocks itself, and takes
/// matrices that are not definite too. Cost n w² of n rows, and n w per right-hand side.
class BlockCholesky {
 public:
  /// @param blocks n×w, the blocks one below the other, n a multiple of w.
  /// @return false if A is not positive definite.
  [[nodiscard]] bool compute(const MatX& blocks);
  /// A⁻¹ b.
  [[nodiscard]] VecX solve(const VecX& b) const;
  /// L⁻¹ B.
  [[nodiscard]] MatX solve_lower(const MatX& B) const;
  /// J A⁻¹ Jᵀ. Rows without a common block have no entry. @param J m×n, columns of a row rising.
  [[nodiscard]] SparseRows inverse_congruence(const SparseRows& J) const;

 private:
  template <class Part>
  [[nodiscard]] MatX by_blocks(const MatX& B, const Part& part) const;
  [[nodiscard]] SparseRows times_inverse(const SparseRows& J) const;

  Index width_ = 0;
  std::vector<Cholesky> blocks_;
};

}  // namespace talus::linalg
