#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/block_cholesky.hpp>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

MatX numbers_between(Random& random, Index rows, Index columns) {
  return MatX::NullaryExpr(rows, columns, [&] { return random.uniform(-1, 1); });
}

/// Symmetric positive definite blocks, one below the other, and the matrix that they are.
struct Blocks {
  MatX stacked, whole;
};

Blocks random_blocks(Random& random, Index count, Index width) {
  Blocks blocks{MatX(count * width, width), MatX::Zero(count * width, count * width)};
  for (Index i = 0; i < count; ++i) {
    const MatX root = numbers_between(random, width, width);
    const MatX block = root * root.transpose() + MatX::Identity(width, width);
    blocks.stacked.middleRows(i * width, width) = block;
    blocks.whole.block(i * width, i * width, width, width) = block;
  }
  return blocks;
}

// What the blocks do alone is what the whole matrix does: A x = b, L Lᵀ = A, and J A⁻¹ Jᵀ.
TEST(BlockCholesky, IsThatOfTheWholeMatrix) {
  Random random(5);
  for (const Index count : {1, 4})
    for (const Index width : {1, 3, 6}) {
      const Blocks A = random_blocks(random, count, width);
      const Index n = count * width;
      BlockCholesky factors;
      ASSERT_TRUE(factors.compute(A.stacked));
      const VecX b = numbers_between(random, n, 1);
      EXPECT_NEAR((A.whole * factors.solve(b) - b).norm(), 0, 1e-13) << count << width;
      const MatX half = factors.solve_lower(A.whole);  // L⁻¹ A = Lᵀ
      EXPECT_NEAR((half.transpose() * half - A.whole).norm(), 0, 1e-12) << count << width;
      const MatX J = numbers_between(random, 5, n);
      const MatX expected = J * Eigen::LLT<MatX>(A.whole).solve(J.transpose());
      const MatX found = factors.inverse_congruence(SparseRows(J.sparseView()));
      EXPECT_NEAR((found - expected).norm(), 0, 1e-12) << count << width;
    }
}

// Rows that touch no common block do not act on each other: there is no entry for them.
TEST(BlockCholesky, RowsOfDifferentBlocksHaveNoEntry) {
  Random random(6);
  BlockCholesky factors;
  ASSERT_TRUE(factors.compute(random_blocks(random, 3, 2).stacked));
  SparseRows J(3, 6);
  J.insert(0, 0) = 1;  // of block 0
  J.insert(1, 1) = 1;  // of block 0
  J.insert(2, 5) = 1;  // of block 2
  const SparseRows W = factors.inverse_congruence(J);
  EXPECT_EQ(W.nonZeros(), 5);
  EXPECT_NE(W.coeff(0, 1), 0);
  EXPECT_EQ(W.coeff(0, 2), 0);
}

// One block that is not positive definite is enough to say so.
TEST(BlockCholesky, SaysWhatIsNotPositiveDefinite) {
  Random random(7);
  MatX blocks = random_blocks(random, 3, 2).stacked;
  blocks(3, 1) = -1;
  EXPECT_FALSE(BlockCholesky().compute(blocks));
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
