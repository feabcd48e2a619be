#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/laws/solve_polyhedral.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/parallel/executor.hpp>

#include "support/lcp_families.hpp"

namespace talus::laws::TALUS_TEST_FILE {
namespace {

using problem::PolyhedralContact;
using problem::SolveStatus;

/// A constraint, two contacts with friction and a joint that act on each other.
PolyhedralContact random_island(Random& random) {
  PolyhedralContact one;
  one.bilateral_count = 1;
  const Index rows = 1 + 2 * 3 + 1;
  const MatX J = test::random_matrix(random, rows, rows + 2);
  one.W = problem::SparseMatrix(linalg::product(J, J.transpose()).sparseView());
  one.b = test::random_matrix(random, rows, 1);
  one.friction = VecX::Constant(2, 0.4);
  one.contact_directions.assign(2, problem::friction_directions(2, 4));
  one.bound = VecX::Constant(1, 0.1);
  one.joint_directions = {problem::friction_directions(1, 2)};
  return one;
}

/// A contact without friction that closes at 1 m/s, whatever pushes it.
PolyhedralContact hopeless() {
  PolyhedralContact one;
  one.W.resize(1, 1);
  one.b = VecX::Constant(1, -1);
  one.friction = VecX::Zero(1);
  one.contact_directions = {MatX(0, 0)};
  return one;
}

/// Two problems that do not act on each other as one: the constraints of both, then the contacts of
/// both, then the joints. @param rows out: of the first and of the second.
PolyhedralContact both(const PolyhedralContact& one, const PolyhedralContact& other,
                       std::array<std::vector<Index>, 2>& rows) {
  PolyhedralContact all;
  const std::array parts{&one, &other};
  const auto contact_rows = [](const PolyhedralContact& part) {
    Index count = 0;
    for (const MatX& directions : part.contact_directions) count += 1 + directions.rows();
    return count;
  };
  Index next = 0;
  std::array<Index, 2> begin{};
  const auto take = [&](int p, Index count) {
    for (Index i = 0; i < count; ++i) rows[p].push_back(next++);
    begin[p] += count;
  };
  for (int p : {0, 1}) take(p, parts[p]->bilateral_count);
  for (int p : {0, 1}) take(p, contact_rows(*parts[p]));
  for (int p : {0, 1}) take(p, parts[p]->b.size() - begin[p]);
  all.W.resize(next, next);
  all.b.resize(next);
  for (int p : {0, 1}) {
    const MatX W(parts[p]->W);
    for (Index i = 0; i < W.rows(); ++i) {
      all.b[rows[p][i]] = parts[p]->b[i];
      for (Index j = 0; j < W.cols(); ++j)
        if (W(i, j) != 0) all.W.coeffRef(rows[p][i], rows[p][j]) = W(i, j);
    }
  }
  all.bilateral_count = one.bilateral_count + other.bilateral_count;
  all.friction.resize(one.contact_count() + other.contact_count());
  all.friction << one.friction, other.friction;
  all.bound.resize(one.joint_count() + other.joint_count());
  all.bound << one.bound, other.bound;
  for (const PolyhedralContact* part : parts) {
    for (const MatX& D : part->contact_directions) all.contact_directions.push_back(D);
    for (const MatX& D : part->joint_directions) all.joint_directions.push_back(D);
  }
  return all;
}

PolyhedralAnswer solved(const PolyhedralContact& problem, LcpStatistics& statistics) {
  return solve_polyhedral(problem, lcp_solver(), statistics);
}

// What does not act on each other is solved as if the other were not there, bit for bit, on any
// number of threads; the certificate is the worse of both, and the LCP as large as both together.
TEST(SolvePolyhedral, IslandsAreSolvedAlone) {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const PolyhedralContact one = random_island(random), other = random_island(random);
    std::array<std::vector<Index>, 2> rows;
    const PolyhedralContact all = both(one, other, rows);
    LcpStatistics of_one, of_other, of_all;
    const PolyhedralAnswer first = solved(one, of_one), second = solved(other, of_other);
    for (const int threads : {1, 2}) {
      parallel::set_thread_count(threads);
      of_all = {};
      const PolyhedralAnswer together = solved(all, of_all);
      ASSERT_EQ(together.report.status, SolveStatus::converged) << together.report.detail;
      EXPECT_EQ(VecX(together.impulse(rows[0])), first.impulse);
      EXPECT_EQ(VecX(together.impulse(rows[1])), second.impulse);
      EXPECT_EQ(together.certificate.natural_map,
                std::max(first.certificate.natural_map, second.certificate.natural_map));
      EXPECT_EQ(of_all.count, 1);
      EXPECT_EQ(of_all.largest, of_one.largest + of_other.largest);
      EXPECT_EQ(of_all.pivots, of_one.pivots + of_other.pivots);
    }
    parallel::set_thread_count(0);
  }
}

// One island without an answer makes the step uncertified, and is named by its own contact; the
// other one moves as if it were alone.
TEST(SolvePolyhedral, WhatHasNoAnswerChangesNothingElse) {
  Random random(12);
  const PolyhedralContact one = random_island(random);
  std::array<std::vector<Index>, 2> rows;
  const PolyhedralContact all = both(one, hopeless(), rows);
  LcpStatistics of_one, of_all;
  const PolyhedralAnswer alone = solved(one, of_one), together = solved(all, of_all);
  EXPECT_EQ(alone.report.status, SolveStatus::converged);
  EXPECT_NE(together.report.status, SolveStatus::converged);
  EXPECT_FALSE(together.certificate.meets(1e-3));
  EXPECT_EQ(together.certificate.worst_contact, 2);
  EXPECT_EQ(VecX(together.impulse(rows[0])), alone.impulse);
  ASSERT_TRUE(of_all.unsolved);
  EXPECT_EQ(of_all.unsolved->q.size(), 2);  // r_N and λ of the one contact
}

// A contact's rows belong together also where W does not couple them, as of a ball: friction is
// bounded by the normal impulse.
TEST(SolvePolyhedral, RowsOfAContactAreOneIsland) {
  PolyhedralContact ball;
  ball.W = problem::SparseMatrix(MatX(MatX::Identity(3, 3)).sparseView());
  ball.b = Vec3(-1, 3, 0);
  ball.friction = VecX::Constant(1, 0.5);
  ball.contact_directions = {problem::friction_directions(2, 8)};
  LcpStatistics statistics;
  const PolyhedralAnswer answer = solved(ball, statistics);
  ASSERT_EQ(answer.report.status, SolveStatus::converged);
  EXPECT_NEAR((answer.impulse - Vec3(1, -0.5, 0)).norm(), 0, 1e-14);
}

// Nothing to solve is solved.
TEST(SolvePolyhedral, NoRowsAreSolved) {
  LcpStatistics statistics;
  PolyhedralContact nothing;
  nothing.b.resize(0);
  nothing.friction.resize(0);
  nothing.bound.resize(0);
  EXPECT_EQ(solved(nothing, statistics).report.status, SolveStatus::converged);
  EXPECT_EQ(statistics.count, 0);
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
