#pragma once

#include <talus/math/vector.hpp>

// Factorisations of small matrices of fixed size, compiled once. Nothing allocates. Where A is
// singular the result is not finite.

namespace talus::linalg {

/// A⁻¹ by LU with row pivoting.
[[nodiscard]] Mat2 lu_inverse(const Mat2& A);
[[nodiscard]] Mat3 lu_inverse(const Mat3& A);
[[nodiscard]] Mat6 lu_inverse(const Mat6& A);
/// A⁻¹ b by LU with row pivoting.
[[nodiscard]] Eigen::Matrix<Real, 4, 1> lu_solve(const Eigen::Matrix<Real, 4, 4>& A,
                                                 const Eigen::Matrix<Real, 4, 1>& b);
[[nodiscard]] Vec6 lu_solve(const Mat6& A, const Vec6& b);
/// A⁻¹ b of a symmetric A by P A Pᵀ = L D Lᵀ with diagonal pivoting; what belongs to pivots that
/// are 0 is left out.
[[nodiscard]] Vec3 ldlt_solve(const Mat3& A, const Vec3& b);
/// The lower triangle L of A = L Lᵀ; A symmetric positive definite.
[[nodiscard]] Mat2 cholesky_factor(const Mat2& A);

}  // namespace talus::linalg
