#include <talus/linalg/small.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace talus::linalg {

Mat2 lu_inverse(const Mat2& A) { return A.partialPivLu().inverse(); }
Mat3 lu_inverse(const Mat3& A) { return A.partialPivLu().inverse(); }
Mat6 lu_inverse(const Mat6& A) { return A.partialPivLu().inverse(); }
Eigen::Matrix<Real, 4, 1> lu_solve(const Eigen::Matrix<Real, 4, 4>& A,
                                   const Eigen::Matrix<Real, 4, 1>& b) {
  return A.partialPivLu().solve(b);
}
Vec6 lu_solve(const Mat6& A, const Vec6& b) { return A.partialPivLu().solve(b); }
Vec3 ldlt_solve(const Mat3& A, const Vec3& b) { return A.ldlt().solve(b); }
Mat2 cholesky_factor(const Mat2& A) { return Eigen::LLT<Mat2>(A).matrixL(); }

}  // namespace talus::linalg
