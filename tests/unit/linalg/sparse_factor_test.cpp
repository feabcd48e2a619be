#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/sparse_factor.hpp>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

/// Symmetric, diagonally dominant, about a third of the entries not 0.
MatX random_symmetric(Random& random, Index n) {
  MatX A = 2. * static_cast<Real>(n) * MatX::Identity(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = j + 1; i < n; ++i)
      if (random.uniform(0, 1) < 0.3) A(i, j) = A(j, i) = random.uniform(-1, 1);
  return A;
}

SparseColumns sparse(const MatX& A) {
  SparseColumns result = A.sparseView();
  result.makeCompressed();
  return result;
}

// Factors of one pattern solve the systems of every matrix that has it; an answer may take its
// right-hand side's place, and has the bits of Eigen's own solve.
RC_GTEST_PROP(SparseFactor, SolvesOnOnePattern, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index n = *rc::gen::inRange(1, 30);
  const MatX A = random_symmetric(random, n);
  const VecX b = VecX::NullaryExpr(n, [&] { return random.uniform(-1, 1); });
  SparseLu lu;
  SparseLdlt ldlt;
  lu.analyse(sparse(A));
  ldlt.analyse(sparse(A));
  for (const Real factor : {1., -3.}) {
    const SparseColumns scaled = sparse(factor * A);
    RC_ASSERT(lu.factorise(scaled) && ldlt.factorise(scaled));
    RC_ASSERT((scaled * lu.solve(b) - b).norm() <= 1e-13);
    VecX x = b;
    ldlt.solve(x, x);
    RC_ASSERT((scaled * x - b).norm() <= 1e-13);
    const Eigen::SimplicialLDLT<SparseColumns> own(scaled);
    RC_ASSERT(x == VecX(own.solve(b)));
  }
}

// A matrix with two equal rows is singular and said to be.
TEST(SparseFactor, ReportsSingularMatrices) {
  MatX A = MatX::Identity(3, 3);
  A(0, 1) = A(1, 0) = 1;  // rows 0 and 1 are the same
  SparseLu lu;
  lu.analyse(sparse(A));
  EXPECT_FALSE(lu.factorise(sparse(A)));
  SparseLdlt ldlt;
  ldlt.analyse(sparse(A));
  EXPECT_FALSE(ldlt.factorise(sparse(A)));
}

// A chain and a star have factors without fill: one entry below each diagonal but the last.
TEST(SparseFactor, CountsItsWork) {
  constexpr Index kSize = 12;
  MatX chain = MatX::Identity(kSize, kSize), star = chain;
  for (Index i = 1; i < kSize; ++i) chain(i, i - 1) = chain(i - 1, i) = star(0, i) = star(i, 0) = 1;
  EXPECT_EQ(ldlt_work(sparse(chain)), 4 * (kSize - 1) + 1);
  EXPECT_EQ(ldlt_work(sparse(star)), 4 * (kSize - 1) + 1);
  EXPECT_EQ(ldlt_work(sparse(MatX::Ones(3, 3))), 9 + 4 + 1);
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
