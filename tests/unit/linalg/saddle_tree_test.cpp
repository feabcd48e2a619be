// [M −Jᵀ; J 0] of bodies that joints hold to their parents is factorised from the leaves to the
// roots; rows across the forest come last. The answer is that of dense elimination, and ∂v/∂f
// between neighbours comes without the inverse.
#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/saddle_tree.hpp>

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

MatX random_matrix(Index rows, Index columns, Random& random) {
  MatX A(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) A(i, j) = random.uniform(-1, 1);
  return A;
}

struct Case {
  SaddleTree tree;
  std::vector<SaddleTree::Node> nodes;
  std::vector<Real> mass;
  MatX dense;
};

/// Trees of bodies with masses over six decades, each held by 0 to 6 rows as a joint has them: unit
/// vectors of the body that are orthogonal, and what they are on the parent; the nodes in no order.
Case random_forest(Index bodies, Index across, std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](Index n) {
    return static_cast<Index>(random.bits() % static_cast<std::uint64_t>(n));
  };
  Case one;
  std::vector<Index> order(static_cast<std::size_t>(bodies));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index i = bodies - 1; i > 0; --i) std::swap(order[i], order[below(i + 1)]);
  one.nodes.resize(order.size());
  for (Index k = 0; k < bodies; ++k) {
    SaddleTree::Node& node = one.nodes[order[k]];
    if (k + 1 < bodies && below(4) > 0) node.parent = order[k + 1 + below(bodies - k - 1)];
    node.rows = below(7);
  }
  one.tree.analyse(one.nodes, order, across);
  one.tree.clear();
  one.dense = MatX::Zero(one.tree.size(), one.tree.size());
  const auto put = [&](Index row, Index node, const Vec6& part) {
    one.dense.block<1, 6>(row, one.tree.first(node)) += part.transpose();
    one.dense.block<6, 1>(one.tree.first(node), row) -= part;
  };
  for (Index i = 0; i < bodies; ++i) {
    const Index first = one.tree.first(i);
    const Mat6 root = random_matrix(6, 6, random);
    one.mass.push_back(std::pow(10, random.uniform(-3, 3)));
    const Mat6 mass = one.mass.back() * (root * root.transpose() + Mat6::Identity());
    one.tree.set_mass(i, mass);
    one.dense.block<6, 6>(first, first) = mass;
    const Mat6 axes = Eigen::HouseholderQR<Mat6>(random_matrix(6, 6, random)).householderQ();
    const Mat6 arm = random_matrix(6, 6, random);
    for (Index k = 0; k < one.nodes[i].rows; ++k) {
      const Vec6 own = axes.col(k), other = arm * own;
      one.tree.set_row(i, k, own, other);
      put(first + 6 + k, i, own);
      if (one.nodes[i].parent < 0) continue;
      put(first + 6 + k, one.nodes[i].parent, other);
    }
  }
  for (Index j = 0; j < across; ++j)
    for (int part = 0; part < 3; ++part) {
      const Index node = below(bodies);
      const Vec6 own = random_matrix(6, 1, random);
      one.tree.add_across(j, node, own);
      put(one.tree.first(bodies) + j, node, own);
    }
  return one;
}

class SaddleTreeTest : public testing::TestWithParam<int> {};

// Elimination without pivots loses digits with the ratio of the masses, squared: 10⁶ here. One step
// of refinement by the same factors gives what is left of dense elimination, rounding of the terms.
TEST_P(SaddleTreeTest, SolvesAsDenseEliminationDoesAfterOneRefinement) {
  for (const Index across : {0, 3}) {
    Case one = random_forest(20, across, static_cast<std::uint64_t>(GetParam()));
    ASSERT_TRUE(one.tree.factorise());
    Random random(77);
    const VecX right = random_matrix(one.tree.size(), 1, random);
    VecX x = right;
    one.tree.solve(x);
    const auto left = [&] {
      return (one.dense * x - right).cwiseAbs().maxCoeff() /
             (one.dense.cwiseAbs() * x.cwiseAbs()).maxCoeff();
    };
    EXPECT_LT(left(), 1e-7) << across << " across";
    VecX change = right - one.dense * x;
    one.tree.solve(change);
    x += change;
    EXPECT_LT(left(), 1e-14) << across << " across";
  }
}

// Held bodies answer less than free ones: ∂v/∂f ≤ 1/m, of which rounding and the above are a share.
TEST_P(SaddleTreeTest, InvertsWhereNodesMeet) {
  for (const Index across : {0, 3}) {
    Case one = random_forest(15, across, static_cast<std::uint64_t>(GetParam()) + 50);
    ASSERT_TRUE(one.tree.factorise());
    one.tree.invert();
    const MatX inverse = one.dense.inverse();
    const auto expect = [&](Index a, Index b) {
      const Mat6 expected = inverse.block<6, 6>(one.tree.first(a), one.tree.first(b));
      EXPECT_LT((one.tree.inverse(a, b) - expected).norm(),
                1e-6 / std::min(one.mass[a], one.mass[b]))
          << a << ", " << b << ", " << across << " across";
    };
    for (Index i = 0; i < one.tree.node_count(); ++i) {
      expect(i, i);
      if (const Index parent = one.nodes[i].parent; parent >= 0) {
        expect(i, parent);
        expect(parent, i);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SaddleTreeTest, testing::Range(1, 21));

// A joint twice: its rows depend on each other, on one body or across the forest.
TEST(SaddleTree, SaysThatAMatrixIsSingular) {
  const SaddleTree::Node node{-1, 2};
  SaddleTree twice, across;
  twice.analyse({&node, 1}, std::vector<Index>{0}, 0);
  twice.clear();
  twice.set_mass(0, Mat6::Identity());
  twice.set_row(0, 0, Vec6::UnitX(), Vec6::Zero());
  twice.set_row(0, 1, Vec6::UnitX(), Vec6::Zero());
  EXPECT_FALSE(twice.factorise());
  across.analyse({&node, 1}, std::vector<Index>{0}, 1);
  across.clear();
  across.set_mass(0, Mat6::Identity());
  across.set_row(0, 0, Vec6::UnitX(), Vec6::Zero());
  across.set_row(0, 1, Vec6::UnitY(), Vec6::Zero());
  across.add_across(0, 0, Vec6::UnitX() + Vec6::UnitY());
  EXPECT_FALSE(across.factorise());
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
