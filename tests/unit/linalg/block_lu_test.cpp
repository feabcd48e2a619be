#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numeric>

#include <talus/base/random.hpp>
#include <talus/linalg/block_lu.hpp>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

/// A sparse matrix of d×d blocks with unsymmetric values and pattern, diagonally dominant.
template <int d>
MatX random_matrix(Random& random, Index m, Real density) {
  MatX W = MatX::Zero(d * m, d * m);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < m; ++j)
      if (i == j || random.uniform(0, 1) < density)
        for (Index k = 0; k < d * d; ++k)
          W(d * i + k / d, d * j + k % d) =
              random.uniform(-1, 1) + (i == j && k % (d + 1) == 0 ? 6 : 0);
  return W;
}

template <int d>
void check_against_dense(std::uint64_t seed, Index m, Real density) {
  using Block = typename BlockLu<d>::Block;
  Random random(seed);
  const MatX W = random_matrix<d>(random, m, density);
  BlockCsr<d> blocks;
  blocks.assign(Eigen::SparseMatrix<Real, Eigen::RowMajor>(W.sparseView()));

  // Members: every third contact is left out; of the members some rows are the identity's.
  std::vector<std::uint32_t> members;
  std::vector<std::uint8_t> is_active(static_cast<std::size_t>(m), 0);
  std::vector<Block> P, Q;
  for (Index i = 0; i < m; ++i) {
    P.push_back(Block::Random());
    P.back() += 2 * Block::Identity();
    Q.push_back(Block::Identity() * random.uniform(0, 3));
    if (i % 3 == 2) continue;
    members.push_back(static_cast<std::uint32_t>(i));
    is_active[static_cast<std::size_t>(i)] = random.uniform(0, 1) < 0.7 ? 1 : 0;
  }
  MatX A = MatX::Identity(d * m, d * m);
  MatX y = MatX::Zero(d * m, 2);
  for (const std::uint32_t i : members) {
    const Index place = d * static_cast<Index>(i);
    for (Index k = 0; k < 2 * d; ++k) y(place + k % d, k / d) = random.uniform(-1, 1);
    if (!is_active[i]) continue;
    A.middleRows(place, d) = P[i] * W.middleRows(place, d);
    A.block(place, place, d, d) += Q[i];
  }
  const MatX expected = A.fullPivLu().solve(y);

  BlockLu<d> lu;
  lu.analyse(blocks, members);
  typename BlockLu<d>::Columns2 x = y;
  RC_ASSERT(lu.solve(blocks, P, Q, is_active, x));
  const Real limit = 1e-10 * (1 + expected.cwiseAbs().maxCoeff());
  RC_ASSERT((x - expected).cwiseAbs().maxCoeff() <= limit);
  VecX single = y.col(1);  // and again on the same pattern, one right-hand side
  RC_ASSERT(lu.solve(blocks, P, Q, is_active, single));
  RC_ASSERT((single - x.col(1)).cwiseAbs().maxCoeff() == 0);
}

// The sparse block LU solves P W + Q with identity rows as dense elimination does, whatever the
// pattern (also an unsymmetric one), with one right-hand side or two, in blocks of 2 and of 3.
RC_GTEST_PROP(BlockLu, SolvesAsDenseElimination, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto m = static_cast<Index>(*rc::gen::inRange(1, 25));
  const Real density = *rc::gen::element(0.0, 0.1, 0.4);
  check_against_dense<2>(seed, m, density);
  check_against_dense<3>(seed, m, density);
}

// A singular pivot block is reported, not divided by.
TEST(BlockLu, ReportsASingularBlock) {
  BlockCsr<3> W;
  W.assign(Eigen::SparseMatrix<Real, Eigen::RowMajor>(MatX::Ones(6, 6).sparseView()));
  const std::vector<std::uint32_t> members = {0, 1};
  const std::vector<Mat3> P(2, Mat3::Identity()), Q(2, Mat3::Zero());
  BlockLu<3> lu;
  lu.analyse(W, members);
  VecX x = VecX::Ones(6);
  EXPECT_FALSE(lu.solve(W, P, Q, {1, 1}, x));
}

// A chain of contacts has a tridiagonal matrix: a minimum-degree order makes no fill, so that a
// factorisation costs two products per link, n and not n³.
TEST(BlockLu, AChainHasNoFill) {
  constexpr Index m = 400;
  std::vector<Eigen::Triplet<Real>> entries;
  for (Index i = 0; i < 3 * m; ++i) {
    entries.emplace_back(i, i, 4);
    if (i >= 3) entries.emplace_back(i, i - 3, -1);
    if (i + 3 < 3 * m) entries.emplace_back(i, i + 3, -1);
  }
  Eigen::SparseMatrix<Real, Eigen::RowMajor> A(3 * m, 3 * m);
  A.setFromTriplets(entries.begin(), entries.end());
  BlockCsr<3> W;
  W.assign(A);
  std::vector<std::uint32_t> members(m);
  std::iota(members.begin(), members.end(), 0U);
  BlockLu<3> lu;
  lu.analyse(W, members);
  EXPECT_LE(lu.products(), 2.0 * m);
}

// Factors that would take more products than allowed are refused from their pattern alone; those
// that take as many as allowed are not. A dense matrix of m blocks takes Σ c (c + 1), c < m.
TEST(BlockLu, RefusesWhatIsTooDear) {
  constexpr Index m = 30;
  Random random(3);
  BlockCsr<3> blocks;
  blocks.assign(
      Eigen::SparseMatrix<Real, Eigen::RowMajor>(random_matrix<3>(random, m, 1).sparseView()));
  std::vector<std::uint32_t> members(m);
  std::iota(members.begin(), members.end(), 0U);
  constexpr double products = (m - 1) * m * (m + 1) / 3.0;
  BlockLu<3> lu;
  EXPECT_FALSE(lu.analyse(blocks, members, products - 1));
  EXPECT_TRUE(lu.members().empty());
  EXPECT_TRUE(lu.analyse(blocks, members, products));
  EXPECT_EQ(lu.products(), products);
  EXPECT_EQ(lu.members().size(), members.size());
}

// A long factorisation asks whether it should go on, many times on its way and not once for a short
// one, and ends as soon as the answer is no.
TEST(BlockLu, StopsWhenAsked) {
  const auto polls_of = [](Index m, int allowed, bool& is_solved) {
    Random random(3);
    BlockCsr<3> blocks;
    blocks.assign(Eigen::SparseMatrix<Real, Eigen::RowMajor>(
        random_matrix<3>(random, m, 1).sparseView()));  // dense: m³/3 products
    std::vector<std::uint32_t> members(static_cast<std::size_t>(m));
    std::iota(members.begin(), members.end(), 0U);
    const std::vector<std::uint8_t> is_active(members.size(), 1);
    const std::vector<BlockLu<3>::Block> P(members.size(), BlockLu<3>::Block::Identity()),
        Q(members.size(), BlockLu<3>::Block::Identity() * Real(30 * m));
    BlockLu<3> lu;
    lu.analyse(blocks, members);
    VecX x = VecX::Ones(3 * m);
    int polls = 0;
    is_solved = lu.solve(blocks, P, Q, is_active, x, [&] { return ++polls > allowed; });
    return polls;
  };
  bool is_solved = false;
  EXPECT_EQ(polls_of(20, 0, is_solved), 0);
  EXPECT_TRUE(is_solved);
  const int all = polls_of(200, 1000000, is_solved);  // 2.7e6 products
  EXPECT_TRUE(is_solved);
  EXPECT_GE(all, 10);
  EXPECT_EQ(polls_of(200, 3, is_solved), 4);
  EXPECT_FALSE(is_solved);
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
