#include <talus/linalg/dense.hpp>

// Products, and Gaussian elimination: LU and Cholesky factors.

namespace talus::linalg {
namespace {

/// x + A⁻¹ (b − A x). The product is formed first, then taken off.
template <class Factors, class Right>
Right refined(const Factors& factors, const MatX& A, const Right& b) {
  Right x = factors.solve(b);
  Right defect = A * x;
  defect = b - defect;
  x += factors.solve(defect);
  return x;
}

template <class Factors>
Real least_pivot_of(const Factors& lu) {
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  return pivots.size() > 0 ? pivots.minCoeff() : Real(0);
}

}  // namespace

void PartialPivLu::compute(const MatX& A) { lu_.compute(A); }
VecX PartialPivLu::solve(const VecX& b) const { return lu_.solve(b); }
MatX PartialPivLu::solve(const MatX& B) const { return lu_.solve(B); }
VecX PartialPivLu::solve_refined(const MatX& A, const VecX& b) const {
  return refined(*this, A, b);
}
MatX PartialPivLu::solve_refined(const MatX& A, const MatX& B) const {
  return refined(*this, A, B);
}
bool PartialPivLu::has_pivots() const {
  const auto pivots = lu_.matrixLU().diagonal().array();
  return pivots.isFinite().all() && !(pivots == 0).any();
}
Real PartialPivLu::least_pivot() const { return least_pivot_of(lu_); }
Real PartialPivLu::reciprocal_condition() const { return lu_.rcond(); }

void FullPivLu::compute(const MatX& A) {
  if (A.size() == 0)
    lu_ = {};  // Eigen's would look for the largest of no columns
  else
    lu_.compute(A);
}
void FullPivLu::set_tolerance(RankTolerance tolerance) {
  lu_.setThreshold(tolerance.of(lu_.rows(), lu_.cols()));
}
VecX FullPivLu::solve(const VecX& b) const { return lu_.solve(b); }
MatX FullPivLu::solve(const MatX& B) const { return lu_.solve(B); }
VecX FullPivLu::solve_refined(const MatX& A, const VecX& b) const { return refined(*this, A, b); }
bool FullPivLu::is_regular(RankTolerance tolerance) const {
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  return pivots.minCoeff() > tolerance.of(lu_.rows(), lu_.cols()) * pivots.maxCoeff();
}
Real FullPivLu::least_pivot() const { return lu_.rows() == 0 ? Real(0) : least_pivot_of(lu_); }
Real FullPivLu::determinant() const { return lu_.determinant(); }
MatX FullPivLu::kernel() const { return lu_.kernel(); }

bool Cholesky::compute(const MatX& A) {
  is_diagonal_ = A.isDiagonal(0);
  if (is_diagonal_) {
    root_ = A.diagonal().cwiseSqrt();
    return A.allFinite() && (root_.array() > 0).all();
  }
  llt_.compute(A);
  return llt_.info() == Eigen::Success;
}
VecX Cholesky::solve(const VecX& b) const {
  if (is_diagonal_) return b.cwiseQuotient(root_).cwiseQuotient(root_);
  return llt_.solve(b);
}
MatX Cholesky::solve_lower(const MatX& B) const {
  if (is_diagonal_) return root_.cwiseInverse().asDiagonal() * B;
  return llt_.matrixL().solve(B);
}
MatX Cholesky::inverse_congruence(const MatX& J) const {
  if (!is_diagonal_) return J * llt_.solve(J.transpose());
  const MatX half = solve_lower(J.transpose());
  return J * solve_lower(half);
}

MatX product(const MatX& A, const MatX& B) { return A * B; }
void add_product(const MatX& A, const MatX& B, MatX& C) { C.noalias() += A * B; }
void subtract_product(const MatX& A, const MatX& B, MatX& C) { C.noalias() -= A * B; }
MatX weighted_product(const MatX& A, const VecX& w, const MatX& B) {
  return A.transpose() * w.asDiagonal() * B;
}

Real determinant(const MatX& A) { return A.determinant(); }

}  // namespace talus::linalg
