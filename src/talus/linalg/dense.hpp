#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include <complex>
#include <vector>

#include <talus/linalg/rank.hpp>
#include <talus/math/vector.hpp>

// Factorisations of dense matrices whose size is known when the program runs. They are Eigen's own,
// compiled here once for the whole engine: what one of these classes computes has the bits of the
// Eigen object inside it. Default-constructed ones hold nothing until compute(). Right-hand sides
// and answers have as many rows as A has rows and columns. Nothing throws.

namespace talus::linalg {

/// P A = L U with row pivoting; A n×n and regular. Cost 2n³/3, and 2n² per right-hand side.
class PartialPivLu {
 public:
  PartialPivLu() = default;
  explicit PartialPivLu(const MatX& A) { compute(A); }
  void compute(const MatX& A);
  /// A⁻¹ b; not finite where A is exactly singular.
  [[nodiscard]] VecX solve(const VecX& b) const;
  [[nodiscard]] MatX solve(const MatX& B) const;
  /// x = A⁻¹ b, then x += A⁻¹ (b − A x): one step of iterative refinement. @param A as factorised.
  [[nodiscard]] VecX solve_refined(const MatX& A, const VecX& b) const;
  [[nodiscard]] MatX solve_refined(const MatX& A, const MatX& B) const;
  /// Whether every pivot is finite and not 0.
  [[nodiscard]] bool has_pivots() const;
  /// min |uᵢᵢ|, 0 of an empty matrix.
  [[nodiscard]] Real least_pivot() const;
  /// Estimate of 1/(‖A‖₁ ‖A⁻¹‖₁); pivots that are 0 must be ruled out before.
  [[nodiscard]] Real reciprocal_condition() const;

 private:
  Eigen::PartialPivLU<MatX> lu_;
};

/// P A Q = L U with complete pivoting, which reveals the rank of A, m×n. Cost 2n³/3 and n³/3
/// comparisons, and 2n² per right-hand side.
class FullPivLu {
 public:
  FullPivLu() = default;
  explicit FullPivLu(const MatX& A) { compute(A); }
  /// @param A m×n; of an empty one least_pivot() alone may be read.
  void compute(const MatX& A);
  /// What solve() and kernel() take for the rank.
  void set_tolerance(RankTolerance tolerance);
  /// One x with A x = b, its free unknowns 0; where there is none, what meets the pivots' rows.
  [[nodiscard]] VecX solve(const VecX& b) const;
  [[nodiscard]] MatX solve(const MatX& B) const;
  /// The solution with one step of iterative refinement. @param A as factorised.
  [[nodiscard]] VecX solve_refined(const MatX& A, const VecX& b) const;
  /// Whether the smallest pivot exceeds the tolerance times the largest; A n×n, n > 0.
  [[nodiscard]] bool is_regular(RankTolerance tolerance) const;
  /// min |uᵢᵢ|, 0 of an empty matrix.
  [[nodiscard]] Real least_pivot() const;
  [[nodiscard]] Real determinant() const;
  /// Columns that span what A maps to 0; one column of zeros where that is nothing but 0.
  [[nodiscard]] MatX kernel() const;

 private:
  Eigen::FullPivLU<MatX> lu_;
};

/// A = L Lᵀ; A n×n, symmetric positive definite, of which the lower triangle is read. Cost n³/3,
/// and 2n² per right-hand side; a diagonal A is recognised: n², and 2n per right-hand side.
class Cholesky {
 public:
  /// @return false if A is not positive definite.
  [[nodiscard]] bool compute(const MatX& A);
  /// A⁻¹ b.
  [[nodiscard]] VecX solve(const VecX& b) const;
  /// L⁻¹ B.
  [[nodiscard]] MatX solve_lower(const MatX& B) const;
  /// J A⁻¹ Jᵀ. @param J m×n.
  [[nodiscard]] MatX inverse_congruence(const MatX& J) const;

 private:
  Eigen::LLT<MatX> llt_;
  bool is_diagonal_ = false;
  VecX root_;  // L of a diagonal A
};

/// A P = Q R, Householder's with column pivoting, which reveals the rank of A, m×n. Cost
/// 2n²(m − n/3), and 4mn per right-hand side (Golub & Van Loan 2013, §5.4, key `golub_2013`).
class ColPivQr {
 public:
  explicit ColPivQr(RankTolerance tolerance = kStoredRank) : tolerance_(tolerance) {}
  void compute(const MatX& A);
  [[nodiscard]] Index rank() const;
  /// The columns of A that were pivots, as many as the rank, rising: they are independent.
  [[nodiscard]] std::vector<Index> pivot_columns() const;
  /// The x with the least ‖A x − b‖₂ for A of full column rank.
  [[nodiscard]] VecX solve(const VecX& b) const;

 private:
  RankTolerance tolerance_;
  Eigen::ColPivHouseholderQR<MatX> qr_;
};

/// A P = Q T Z with T triangular and of full rank: least squares of matrices of any rank. Cost as
/// ColPivQr and 2r²(n − r/3) more for rank r.
class CompleteOrthogonal {
 public:
  explicit CompleteOrthogonal(RankTolerance tolerance = kStoredRank) : tolerance_(tolerance) {}
  void compute(const MatX& A);
  [[nodiscard]] Index rank() const;
  /// A⁺ b: of all x with the least ‖A x − b‖₂ the one with the least ‖x‖₂.
  [[nodiscard]] VecX solve(const VecX& b) const;
  [[nodiscard]] MatX solve(const MatX& B) const;

 private:
  RankTolerance tolerance_;
  Eigen::CompleteOrthogonalDecomposition<MatX> decomposition_;
};

/// A B, A m×k, B k×n; C += A B and C −= A B, C m×n. Cost 2mkn.
[[nodiscard]] MatX product(const MatX& A, const MatX& B);
void add_product(const MatX& A, const MatX& B, MatX& C);
void subtract_product(const MatX& A, const MatX& B, MatX& C);
/// Aᵀ diag(w) B, A m×k, B m×n.
[[nodiscard]] MatX weighted_product(const MatX& A, const VecX& w, const MatX& B);

/// Columns of A that are linearly independent, as many as there are, rising: by QR with column
/// pivoting of A with columns scaled to length 1.
[[nodiscard]] std::vector<Index> independent_columns(MatX A, RankTolerance tolerance);
/// Orthonormal columns that span what A, m×n, maps to 0, from its singular values; n − rank of
/// them. A may have no rows. Cost O(n³), some ten times that of QR.
[[nodiscard]] MatX null_space(const MatX& A, RankTolerance tolerance);
/// The m×m matrix Q of A = Q R, A m×n: its last m − n columns are orthogonal to those of A.
[[nodiscard]] MatX orthogonal_factor(const MatX& A);
/// Eigenvalues of a square matrix, in no order. Cost O(n³).
[[nodiscard]] std::vector<std::complex<Real>> eigenvalues(const MatX& A);
/// Eigenvalues of a symmetric matrix, rising. Cost O(n³).
[[nodiscard]] VecX symmetric_eigenvalues(const MatX& A);
/// det A of a square matrix, 1 of an empty one. Cost 2n³/3.
[[nodiscard]] Real determinant(const MatX& A);

}  // namespace talus::linalg
