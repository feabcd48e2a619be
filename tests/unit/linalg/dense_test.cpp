#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <talus/base/random.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/linalg/minimum_norm.hpp>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

MatX random_matrix(Random& random, Index rows, Index columns) {
  return MatX::NullaryExpr(rows, columns, [&] { return random.uniform(-1, 1); });
}

Real largest(const MatX& A) { return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0; }

/// Elimination solves (A + E) x = b with ‖E‖∞ ≤ 6 n³ ρ ε max|A| (Golub & Van Loan 2013, §3.4, key
/// `golub_2013`); the growth ρ of the largest entry is well below n.
Real backward_error(const MatX& A, const MatX& X) {
  const auto n = static_cast<Real>(A.rows());
  return 6 * n * n * n * n * kEpsilon * largest(A) * largest(X);
}

// Elimination solves a nearby system, for one right-hand side and for many, refined or not; the
// Cholesky factor does so for what is positive definite, and J A⁻¹ Jᵀ is what it says.
RC_GTEST_PROP(Elimination, SolvesRegularSystems, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index n = *rc::gen::inRange(1, 13), k = *rc::gen::inRange(1, 5);
  const MatX R = random_matrix(random, n, n), A = R + 0.1 * MatX::Identity(n, n);
  const MatX B = random_matrix(random, n, k);
  const VecX b = B.col(0);
  const auto is_solved = [&](const MatX& matrix, const MatX& X, const MatX& right) {
    return largest(matrix * X - right) <= backward_error(matrix, X);
  };
  const PartialPivLu lu(A);
  RC_ASSERT(is_solved(A, lu.solve(b), b) && is_solved(A, lu.solve(B), B));
  RC_ASSERT(is_solved(A, lu.solve_refined(A, b), b) && is_solved(A, lu.solve_refined(A, B), B));
  RC_ASSERT(lu.has_pivots() && lu.least_pivot() > 0 && lu.reciprocal_condition() > 0);
  const FullPivLu full(A);
  RC_ASSERT(is_solved(A, full.solve(b), b) && is_solved(A, full.solve(B), B));
  RC_ASSERT(is_solved(A, full.solve_refined(A, b), b));
  const MatX full_mass = R.transpose() * R + MatX::Identity(n, n);
  for (const MatX& M : {full_mass, MatX(full_mass.diagonal().asDiagonal())}) {
    Cholesky cholesky;
    RC_ASSERT(cholesky.compute(M));
    RC_ASSERT(is_solved(M, cholesky.solve(b), b));
    const MatX lower = cholesky.solve_lower(B);
    const MatX W = cholesky.inverse_congruence(B.transpose());
    RC_ASSERT(largest(W - lower.transpose() * lower) <= backward_error(M, W));
    RC_ASSERT(!cholesky.compute(-M));
  }
}

// Refinement takes off what the factors of a neighbouring matrix are wrong by, once.
TEST(Elimination, RefinesOnce) {
  const MatX A = MatX::Constant(1, 1, 2.);
  const PartialPivLu nearby(MatX::Constant(1, 1, 2.5));
  EXPECT_DOUBLE_EQ(nearby.solve(VecX::Ones(1).eval())[0], 0.4);
  EXPECT_DOUBLE_EQ(nearby.solve_refined(A, VecX::Ones(1).eval())[0], 0.48);
  EXPECT_DOUBLE_EQ(nearby.solve_refined(A, MatX::Ones(1, 1).eval())(0, 0), 0.48);
}

// Pivots that are 0 or not finite are no pivots.
TEST(Elimination, ReportsPivots) {
  MatX A = MatX::Identity(3, 3);
  A(2, 2) = 0;
  EXPECT_FALSE(PartialPivLu(A).has_pivots());
  EXPECT_EQ(PartialPivLu(A).least_pivot(), 0);
  A(2, 2) = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_FALSE(PartialPivLu(A).has_pivots());
  EXPECT_EQ(FullPivLu(MatX(0, 0)).least_pivot(), 0);
}

// Products are what their sums are, entry by entry; n products lose no more than n units.
RC_GTEST_PROP(Product, IsSummedEntryByEntry, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index m = *rc::gen::inRange(1, 9), k = *rc::gen::inRange(1, 9), n = *rc::gen::inRange(1, 9);
  const MatX A = random_matrix(random, m, k), B = random_matrix(random, k, n);
  const VecX w = random_matrix(random, k, 1);
  MatX expected = MatX::Zero(m, n), weighted = expected;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < k; ++l) {
        expected(i, j) += A(i, l) * B(l, j);
        weighted(i, j) += A(i, l) * w[l] * B(l, j);
      }
  const Real tolerance = 4. * static_cast<Real>(k + 1) * static_cast<Real>(k + 1) * kEpsilon;
  RC_ASSERT(largest(product(A, B) - expected) <= tolerance);
  RC_ASSERT(largest(weighted_product(A.transpose(), w, B) - weighted) <= tolerance);
  MatX C = MatX::Ones(m, n);
  add_product(A, B, C);
  RC_ASSERT(largest(C - MatX::Ones(m, n) - expected) <= tolerance);
  subtract_product(A, B, C);
  RC_ASSERT(largest(C - MatX::Ones(m, n)) <= tolerance);
}

// det AB = det A · det B, det of a triangle the product of its diagonal, of nothing 1.
RC_GTEST_PROP(Determinant, Multiplies, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index n = *rc::gen::inRange(1, 7);
  const MatX A = random_matrix(random, n, n), B = random_matrix(random, n, n);
  const Real tolerance = 1e-10;  // of entries below 1 and n ≤ 6: |det| ≤ 6³
  RC_ASSERT(std::abs(determinant(A * B) - determinant(A) * determinant(B)) <= tolerance);
  RC_ASSERT(std::abs(FullPivLu(A).determinant() - determinant(A)) <= tolerance);
  const MatX U = A.triangularView<Eigen::Upper>();
  RC_ASSERT(std::abs(determinant(U) - U.diagonal().prod()) <= tolerance);
  RC_ASSERT(determinant(MatX(0, 0)) == 1);
}

/// m×n of rank r, with singular values far from round-off.
MatX of_rank(Random& random, Index m, Index n, Index r) {
  const MatX U = orthogonal_factor(random_matrix(random, m, m));
  const MatX V = orthogonal_factor(random_matrix(random, n, n));
  const VecX values = VecX::NullaryExpr(r, [&] { return random.uniform(0.5, 2); });
  return U.leftCols(r) * values.asDiagonal() * V.leftCols(r).transpose();
}

// Every rank-revealing factorisation finds the rank that a matrix was made with.
RC_GTEST_PROP(Rank, IsFound, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index m = *rc::gen::inRange(1, 10), n = *rc::gen::inRange(1, 10);
  const Index r = *rc::gen::inRange<Index>(1, std::min(m, n) + 1);
  const MatX A = of_rank(random, m, n, r);
  ColPivQr qr(kScaledRank);
  qr.compute(A);
  RC_ASSERT(qr.rank() == r);
  CompleteOrthogonal complete(kScaledRank);
  complete.compute(A);
  RC_ASSERT(complete.rank() == r);
  const MatX square = A * A.transpose();  // m×m
  RC_ASSERT(FullPivLu(square).is_regular(kScaledRank) == (r == m));
  const MatX N = null_space(A, kScaledRank);
  RC_ASSERT(N.rows() == n && N.cols() == n - r);
  RC_ASSERT(largest(A * N) <= 1e-13);
  RC_ASSERT(largest(N.transpose() * N - MatX::Identity(n - r, n - r)) <= 1e-13);
  FullPivLu full(A);
  full.set_tolerance(kScaledRank);
  const MatX kernel = full.kernel();
  RC_ASSERT(kernel.cols() == std::max<Index>(n - r, 1));
  RC_ASSERT(largest(A * kernel) <= 1e-12 * std::max(largest(kernel), 1.));
  // Independent columns: as many as the rank, whatever their lengths, and nothing is lost.
  VecX lengths = VecX::NullaryExpr(n, [&] { return std::pow(10., random.uniform(-9, 9)); });
  const std::vector<Index> columns = independent_columns(A * lengths.asDiagonal(), kScaledRank);
  RC_ASSERT(static_cast<Index>(columns.size()) == r);
  RC_ASSERT(std::is_sorted(columns.begin(), columns.end()));
  qr.compute(A(Eigen::all, columns));
  RC_ASSERT(qr.rank() == r);
}

// A pivot at the tolerance times the largest is where the rank falls; without one, round-off is.
TEST(Rank, FallsAtTheTolerance) {
  for (const Real share : {0.5, 2.}) {
    MatX A = MatX::Identity(2, 2) * 3;
    A(1, 1) *= share * kGradientRank.relative;
    const Index rank = share > 1 ? 2 : 1;
    ColPivQr qr(kGradientRank);
    qr.compute(A);
    EXPECT_EQ(qr.rank(), rank);
    CompleteOrthogonal complete(kGradientRank);
    complete.compute(A);
    EXPECT_EQ(complete.rank(), rank);
    EXPECT_EQ(FullPivLu(A).is_regular(kGradientRank), rank == 2);
    EXPECT_EQ(null_space(A, kGradientRank).cols(), 2 - rank);
    ColPivQr stored;
    stored.compute(A);
    EXPECT_EQ(stored.rank(), 2);
  }
  EXPECT_EQ(kStoredRank.of(3, 2), 2 * kEpsilon);
  EXPECT_EQ(null_space(MatX(0, 3), kScaledRank), MatX(MatX::Identity(3, 3)));
}

// A⁺ of a matrix of any rank satisfies Penrose's four conditions, and for one right-hand side comes
// out as for many.
RC_GTEST_PROP(CompleteOrthogonal, IsThePseudoinverse, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index m = *rc::gen::inRange(1, 10), n = *rc::gen::inRange(1, 10);
  const Index r = *rc::gen::inRange<Index>(1, std::min(m, n) + 1);
  const MatX A = of_rank(random, m, n, r);
  CompleteOrthogonal complete(kScaledRank);
  complete.compute(A);
  const MatX P = complete.solve(MatX(MatX::Identity(m, m)));
  RC_ASSERT(largest(A * P * A - A) <= 1e-12);
  RC_ASSERT(largest(P * A * P - P) <= 1e-12);
  RC_ASSERT(largest(A * P - (A * P).transpose()) <= 1e-12);
  RC_ASSERT(largest(P * A - (P * A).transpose()) <= 1e-12);
  const VecX b = random_matrix(random, m, 1);
  RC_ASSERT(largest(complete.solve(b) - P * b) <= 1e-12);
}

// Least squares by QR leave a residual that is orthogonal to the columns.
RC_GTEST_PROP(ColPivQr, LeavesAnOrthogonalResidual, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index n = *rc::gen::inRange(1, 6), m = n + *rc::gen::inRange(0, 6);
  const MatX A = of_rank(random, m, n, n);
  const VecX b = random_matrix(random, m, 1);
  ColPivQr qr;
  qr.compute(A);
  RC_ASSERT(largest(A.transpose() * (A * qr.solve(b) - b)) <= 1e-12);
}

// Q is orthogonal, and its last columns are orthogonal to A's.
RC_GTEST_PROP(OrthogonalFactor, CompletesTheColumns, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index m = *rc::gen::inRange(1, 10), n = *rc::gen::inRange<Index>(0, m + 1);
  const MatX A = random_matrix(random, m, n), Q = orthogonal_factor(A);
  RC_ASSERT(largest(Q.transpose() * Q - MatX::Identity(m, m)) <= 1e-13);
  RC_ASSERT(largest(Q.rightCols(m - n).transpose() * A) <= 1e-13);
}

// Eigenvalues add up to the trace and multiply to the determinant; those of A Aᵀ rise from 0 on.
RC_GTEST_PROP(Eigenvalues, AddUpToTheTrace, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index n = *rc::gen::inRange(1, 7);
  const MatX A = random_matrix(random, n, n);
  std::complex<Real> sum = 0, product = 1;
  for (const std::complex<Real> value : eigenvalues(A)) {
    sum += value;
    product *= value;
  }
  RC_ASSERT(std::abs(sum - A.trace()) <= 1e-10);
  RC_ASSERT(std::abs(product - determinant(A)) <= 1e-10);
  const MatX S = A * A.transpose();
  const VecX values = symmetric_eigenvalues(S);
  RC_ASSERT(std::is_sorted(values.begin(), values.end()) && values[0] >= -1e-12);
  RC_ASSERT(std::abs(values.sum() - S.trace()) <= 1e-12);
  RC_ASSERT(std::abs(values.squaredNorm() - S.squaredNorm()) <= 1e-10);
}

// Of all solutions of a singular system the one with the least weighted norm: x₁ + x₂ = 3 shared
// 2 : 1 by weights 2 : 1; a regular system is solved.
TEST(MinimumNorm, SharesByWeight) {
  MinimumNorm solver;
  solver.start(2);
  for (Index i = 0; i < 2; ++i) {
    solver.right_side(i) = 3;
    for (Index j = 0; j < 2; ++j) solver.matrix(i, j) = 1;
  }
  VecX x(2);
  const VecX scale = VecX::Ones(2), weight = Vec2(2, 1);
  EXPECT_EQ(solver.solve(scale, &weight, x), 1);
  EXPECT_NEAR(x[0], 2, 1e-14);
  EXPECT_NEAR(x[1], 1, 1e-14);
  EXPECT_NEAR(solver.inconsistency(), 0, 1e-14);
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
