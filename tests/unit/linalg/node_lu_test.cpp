// [M −Jᵀ; J 0] of rigid bodies falls into nodes: a body with the rows of the joint to its parent.
// Its sparse LU is the dense one, whatever the order of elimination.
#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/node_lu.hpp>

#include <algorithm>
#include <vector>

namespace talus::linalg {
namespace {

struct Case {
  std::vector<NodeLu::Node> nodes;
  std::vector<NodeLu::Edge> edges;
  std::vector<Index> order;  // children before parents
  MatX dense;
};

MatX random_matrix(Index rows, Index columns, Random& random) {
  MatX A(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) A(i, j) = random.uniform(-1, 1);
  return A;
}

/// A tree of bodies of 6 velocities, each held to its parent by 1 to 5 rows, with masses over four
/// decades; and
/// @param extra contacts between any two bodies, weight HᵀBH with an unsymmetric B.
Case random_tree(Index bodies, Index extra, bool is_whole, std::uint64_t seed) {
  Random random(seed);
  Case one;
  std::vector<Index> first, parent;
  Index size = 0;
  for (Index i = 0; i < bodies; ++i) {
    const Index rows = i == 0 ? 3 : 1 + static_cast<Index>(random.bits() % 5);
    one.nodes.push_back({6 + rows, is_whole ? 6 + rows : 6});
    first.push_back(size);
    size += 6 + rows;
    parent.push_back(i == 0 ? -1
                            : static_cast<Index>(random.bits() % static_cast<std::uint64_t>(i)));
    if (i > 0) one.edges.push_back({parent.back(), i});
    one.order.insert(one.order.begin(), i);
  }
  one.dense = MatX::Zero(size, size);
  for (Index i = 0; i < bodies; ++i) {
    const MatX root = random_matrix(6, 6, random);
    const Real mass = std::pow(10, random.uniform(-2, 2));
    one.dense.block(first[i], first[i], 6, 6) =
        mass * (root * root.transpose() + MatX::Identity(6, 6));
    const Index rows = one.nodes[i].size - 6;
    const auto join = [&](Index body, const MatX& J) {
      one.dense.block(first[i] + 6, first[body], rows, 6) = J;
      one.dense.block(first[body], first[i] + 6, 6, rows) = -J.transpose();
    };
    join(i, random_matrix(rows, 6, random));
    if (parent[i] >= 0) join(parent[i], random_matrix(rows, 6, random));
  }
  for (Index k = 0; k < extra; ++k) {
    const Index a = static_cast<Index>(random.bits() % static_cast<std::uint64_t>(bodies));
    const Index b =
        (a + 1 + static_cast<Index>(random.bits() % static_cast<std::uint64_t>(bodies - 1))) %
        bodies;
    one.edges.push_back({a, b});
    MatX H = MatX::Zero(3, size);
    H.middleCols(first[a], 6) = random_matrix(3, 6, random);
    H.middleCols(first[b], 6) = random_matrix(3, 6, random);
    one.dense += H.transpose() * (10 * MatX::Identity(3, 3) + random_matrix(3, 3, random)) * H;
  }
  return one;
}

void fill(const Case& one, NodeLu& lu) {
  lu.clear();
  for (Index i = 0; i < lu.node_count(); ++i)
    lu.diagonal(i) =
        one.dense.block(lu.first(i), lu.first(i), one.nodes[i].size, one.nodes[i].size);
  for (const auto& edge : one.edges)
    for (const auto& [row, column] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
      NodeLu::Block block = lu.block(row, column);
      block = one.dense.block(lu.first(row), lu.first(column), block.rows(), block.cols());
    }
}

class NodeLuTest : public testing::TestWithParam<int> {};

// The answer is that of dense elimination with pivoting, to the condition of the matrix.
TEST_P(NodeLuTest, SolvesAsDenseEliminationDoes) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  for (const bool is_given : {false, true}) {
    const Case one = random_tree(20, is_given ? 0 : 8, !is_given, seed);
    NodeLu lu;
    if (is_given)
      lu.analyse(one.nodes, one.edges, std::span<const Index>(one.order));
    else
      lu.analyse(one.nodes, one.edges);
    fill(one, lu);
    ASSERT_TRUE(lu.factorise());
    Random random(seed + 1000);
    const VecX right = random_matrix(lu.size(), 1, random);
    VecX x = right;
    lu.solve(x);
    const Real scale = one.dense.cwiseAbs().rowwise().sum().maxCoeff() * x.cwiseAbs().maxCoeff();
    EXPECT_LT((one.dense * x - right).cwiseAbs().maxCoeff(), 1e-11 * scale)
        << "given order: " << is_given;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, NodeLuTest, testing::Range(1, 11));

// Trees have no fill: what is stored is the blocks themselves.
TEST(NodeLu, TreesHaveNoFill) {
  const Case one = random_tree(50, 0, false, 7);
  NodeLu lu;
  lu.analyse(one.nodes, one.edges, std::span<const Index>(one.order));
  std::size_t expected = 0;
  for (const auto& node : one.nodes) expected += static_cast<std::size_t>(node.size * node.size);
  for (const auto& edge : one.edges)
    expected += 12 * static_cast<std::size_t>(one.nodes[edge.b].size);
  EXPECT_EQ(lu.entry_count(), expected);
}

// A joint twice: its rows depend on each other, and no factor is called good.
TEST(NodeLu, SaysThatAMatrixIsSingular) {
  NodeLu lu;
  const std::vector<NodeLu::Node> nodes{{8, 6}};
  lu.analyse(nodes, {});
  lu.clear();
  auto A = lu.diagonal(0);
  A.topLeftCorner(6, 6).setIdentity();
  A(0, 6) = A(0, 7) = -1;
  A(6, 0) = A(7, 0) = 1;
  EXPECT_FALSE(lu.factorise());
}

}  // namespace
}  // namespace talus::linalg
