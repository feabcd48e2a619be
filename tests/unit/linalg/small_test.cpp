#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/small.hpp>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

template <int rows, int columns>
Eigen::Matrix<Real, rows, columns> random_matrix(Random& random) {
  return Eigen::Matrix<Real, rows, columns>::NullaryExpr([&] { return random.uniform(-1, 1); });
}

/// Symmetric with eigenvalues from 1 on: what is computed with it loses next to no digits.
template <int n>
Eigen::Matrix<Real, n, n> random_definite(Random& random) {
  const auto R = random_matrix<n, n>(random);
  return R * R.transpose() + Eigen::Matrix<Real, n, n>::Identity();
}

// A⁻¹ A = I, A (A⁻¹ b) = b and L Lᵀ = A, in every size there is.
RC_GTEST_PROP(Small, SolvesEverySize, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  constexpr Real kTolerance = 1e-13;
  const Mat2 A2 = random_definite<2>(random);
  const Mat3 A3 = random_definite<3>(random);
  const Eigen::Matrix<Real, 4, 4> A4 = random_definite<4>(random);
  const Mat6 A6 = random_definite<6>(random);
  RC_ASSERT((lu_inverse(A2) * A2 - Mat2::Identity()).norm() <= kTolerance);
  RC_ASSERT((lu_inverse(A3) * A3 - Mat3::Identity()).norm() <= kTolerance);
  RC_ASSERT((lu_inverse(A6) * A6 - Mat6::Identity()).norm() <= kTolerance);
  const Eigen::Matrix<Real, 4, 1> b4 = random_matrix<4, 1>(random);
  const Vec6 b6 = random_matrix<6, 1>(random);
  const Vec3 b3 = random_matrix<3, 1>(random);
  RC_ASSERT((A4 * lu_solve(A4, b4) - b4).norm() <= kTolerance);
  RC_ASSERT((A6 * lu_solve(A6, b6) - b6).norm() <= kTolerance);
  RC_ASSERT((A3 * ldlt_solve(A3, b3) - b3).norm() <= kTolerance);
  const Mat2 L = cholesky_factor(A2);
  RC_ASSERT((L * L.transpose() - A2).norm() <= kTolerance && L(0, 1) == 0);
}

// Rows are exchanged where the first pivot is 0; a singular matrix has no finite inverse.
TEST(Small, Pivots) {
  Mat3 A = Mat3::Zero();
  A(0, 1) = A(1, 2) = A(2, 0) = 1;
  EXPECT_EQ(lu_inverse(A), Mat3(A.transpose()));
  EXPECT_FALSE(lu_inverse(Mat3(Mat3::Zero())).allFinite());
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
