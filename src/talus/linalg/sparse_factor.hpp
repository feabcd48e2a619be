#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <talus/math/vector.hpp>

// Factorisations of sparse matrices by columns. They are Eigen's own, compiled here once for the
// whole engine. The pattern may be analysed once for many matrices that have it.

namespace talus::linalg {

using SparseColumns = Eigen::SparseMatrix<Real, Eigen::ColMajor>;
using SparseRows = Eigen::SparseMatrix<Real, Eigen::RowMajor>;

/// P A Q = L U, Q from column minimum degree, P by partial pivoting; A n×n, compressed.
class SparseLu {
 public:
  void analyse(const SparseColumns& A);
  /// @param A with the pattern analysed. @return false if it is singular.
  [[nodiscard]] bool factorise(const SparseColumns& A);
  /// A⁻¹ b.
  [[nodiscard]] VecX solve(const VecX& b) const;

 private:
  Eigen::SparseLU<SparseColumns> lu_;
};

/// P A Pᵀ = L D Lᵀ, P from minimum degree, no pivoting; A n×n, symmetric, of which the lower
/// triangle is read. For definite and quasidefinite matrices.
class SparseLdlt {
 public:
  void analyse(const SparseColumns& A);
  /// @param A with the pattern analysed. @return false if a pivot is 0.
  [[nodiscard]] bool factorise(const SparseColumns& A);
  /// x = A⁻¹ b. Nothing allocates after the first solve. @param x may be b.
  void solve(const VecX& b, VecX& x);

 private:
  Eigen::SimplicialLDLT<SparseColumns> ldlt_;
  VecX inverse_pivot_, work_;
};

/// Σ c², c the entries of the columns of L: the multiplications of SparseLdlt::factorise, counted
/// on the pattern of A without a number.
[[nodiscard]] Real ldlt_work(const SparseColumns& A);

}  // namespace talus::linalg
