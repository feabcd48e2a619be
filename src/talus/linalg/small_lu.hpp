#pragma once

#include <talus/math/vector.hpp>

// LU with row pivoting of small matrices of fixed size, compiled once. Nothing allocates. Where A
// is singular the result is not finite.

namespace talus::linalg {

/// A⁻¹.
[[nodiscard]] Mat2 lu_inverse(const Mat2& A);
[[nodiscard]] Mat3 lu_inverse(const Mat3& A);
[[nodiscard]] Mat6 lu_inverse(const Mat6& A);
/// A⁻¹ b.
[[nodiscard]] Eigen::Matrix<Real, 4, 1> lu_solve(const Eigen::Matrix<Real, 4, 4>& A,
                                                 const Eigen::Matrix<Real, 4, 1>& b);
[[nodiscard]] Vec6 lu_solve(const Mat6& A, const Vec6& b);

}  // namespace talus::linalg
