#include <gtest/gtest.h>

#include <algorithm>

#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/problem/convert.hpp>

#include "support/class_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::SolveStatus;

/// A solver of exact friction, how far it is asked to go, what two answers may then differ by (the
/// problems here amplify residuals by less than 10⁴, most by far less), and where it is exact.
struct ExactSolver {
  const char* name;
  Real tolerance = 1e-11, limit = 1e-7;
  bool is_planar_only = false;
  bool may_miss = false;  ///< not sure to arrive where friction is not convex: must on most
};

class Exact : public testing::TestWithParam<ExactSolver> {
 protected:
  [[nodiscard]] Options options() const {
    Options result;
    result.solver = GetParam().name;
    result.tolerance = GetParam().tolerance;
    result.max_iterations = 20000;
    return result;
  }
  /// Dimension of the i-th problem.
  [[nodiscard]] Index dimension(int i) const { return GetParam().is_planar_only ? 2 : 2 + i % 2; }
  [[nodiscard]] Real limit() const { return GetParam().limit; }
  void expect_most(int solved, int all) const {
    EXPECT_GE(20 * solved, (GetParam().may_miss ? 19 : 20) * all);
  }
};

/// Without those that are exact in the plane alone.
class ExactInSpace : public Exact {};

std::string name_of(const testing::TestParamInfo<ExactSolver>& solver) { return solver.param.name; }
const auto kInSpace =
    testing::Values(ExactSolver{"auto"}, ExactSolver{"nsgs"}, ExactSolver{"proximal_newton"},
                    ExactSolver{"ipm", 1e-6, 1e-4, false, true});
INSTANTIATE_TEST_SUITE_P(Solvers, Exact, kInSpace, name_of);
INSTANTIATE_TEST_SUITE_P(InThePlane, Exact,
                         testing::Values(ExactSolver{"lemke", 1e-11, 1e-7, true}), name_of);
INSTANTIATE_TEST_SUITE_P(Solvers, ExactInSpace, kInSpace, name_of);

bool are_solved(const FrictionContactSolution& a, const FrictionContactSolution& b) {
  return a.report.status == SolveStatus::converged && b.report.status == SolveStatus::converged;
}

constexpr int kProblems = 40;

// Contacts in another order: the same velocities (W regular, small μ: one solution).
TEST_P(Exact, OrderDoesNotMatter) {
  Random random(1);
  int solved = 0;
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 6, d = dimension(i);
    const FrictionContact problem = test::random_local(random, d, 6, m, 0.3);
    const std::vector<Index> order = test::random_order(random, m);
    const auto a = solve(problem, options()), b = solve(test::permuted(problem, order), options());
    if (!are_solved(a, b)) continue;
    ++solved;
    VecX in_order(b.velocity.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      in_order.segment(d * order[k], d) = b.velocity.segment(d * static_cast<Index>(k), d);
    EXPECT_LE((in_order - a.velocity).norm(), limit() * (1 + a.velocity.norm())) << i;
  }
  expect_most(solved, kProblems);
}

// Tangents turned by an angle of its own at each contact (in the plane: reversed or not): the
// velocities turn with them.
TEST_P(Exact, TangentsMayBeTurned) {
  Random random(2);
  int solved = 0;
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 5, d = dimension(i);
    const FrictionContact problem = test::random_local(random, d, 5, m, 0.3);
    const MatX R = test::tangent_rotation(random, d, m);
    const auto a = solve(problem, options());
    const auto b = solve(test::transformed(problem, R), options());
    if (!are_solved(a, b)) continue;
    ++solved;
    EXPECT_LE((b.velocity - R * a.velocity).norm(), limit() * (1 + a.velocity.norm())) << i;
  }
  expect_most(solved, kProblems);
}

// Other units by powers of four of W and of two of b: scaling is by square roots of diagonals, all
// exact, so the answer is the same to the last bit, after the same iterations, and so is the
// certificate's unit-free part.
TEST_P(Exact, UnitsByPowersOfTwoChangeNoBit) {
  Random random(3);
  for (int i = 0; i < kProblems; ++i) {
    const FrictionContact problem = test::random_local(random, dimension(i), 4, 4 + i % 3, 0.8);
    const Real mass = std::exp2(2 * std::round(random.uniform(-15, 15)));
    const Real speed = std::exp2(std::round(random.uniform(-30, 30)));
    FrictionContact other = problem;
    other.W = problem.W / mass;
    other.b = problem.b * speed;
    Options limited = options();
    limited.max_iterations = 500;
    const auto a = solve(problem, limited), b = solve(other, limited);
    EXPECT_EQ(a.report.status, b.report.status) << i;
    EXPECT_EQ(a.report.iterations, b.report.iterations) << i;
    EXPECT_EQ(VecX(b.impulse / (mass * speed)), a.impulse) << i;
    EXPECT_EQ(a.certificate.natural_map, b.certificate.natural_map) << i;
  }
}

// Other units by any factors, ten decades each way: the velocities agree as two runs with rounding
// of their own do.
TEST_P(Exact, UnitsByAnyFactors) {
  Random random(4);
  int solved = 0;
  for (int i = 0; i < kProblems; ++i) {
    const FrictionContact problem = test::random_local(random, dimension(i), 6, 6, 0.3);
    const Real mass = std::pow(10, random.uniform(-10, 10));
    const Real speed = std::pow(10, random.uniform(-10, 10));
    FrictionContact other = problem;
    other.W = problem.W / mass;
    other.b = problem.b * speed;
    const auto a = solve(problem, options()), b = solve(other, options());
    if (!are_solved(a, b)) continue;
    ++solved;
    EXPECT_LE((b.velocity / speed - a.velocity).norm(), limit() * (1 + a.velocity.norm())) << i;
  }
  expect_most(solved, kProblems);
}

// Without friction the normal velocities solve the LCP of the normal rows, and nothing pushes along
// the tangents.
TEST_P(Exact, FrictionlessEqualsTheLcp) {
  Random random(5);
  for (int i = 0; i < kProblems; ++i) {
    const Index d = dimension(i), m = 1 + i % 6;
    const FrictionContact problem = test::random_local(random, d, 6, m, 0);
    const MatX W = problem.W;
    problem::Lcp lcp{MatX(m, m), VecX(m)};
    for (Index a = 0; a < m; ++a) {
      lcp.q[a] = problem.b[d * a];
      for (Index b = 0; b < m; ++b) lcp.M(a, b) = W(d * a, d * b);
    }
    Options lemke;
    lemke.tolerance = 1e-12;
    const auto contacts = solve(problem, options());
    const auto normal = solve(lcp, lemke);
    ASSERT_EQ(contacts.report.status, SolveStatus::converged) << contacts.report.detail;
    ASSERT_EQ(normal.report.status, SolveStatus::converged);
    for (Index c = 0; c < m; ++c) {
      EXPECT_NEAR(contacts.impulse[d * c], normal.z[c], limit() * (1 + normal.z.norm()));
      EXPECT_LE(contacts.impulse.segment(d * c + 1, d - 1).norm(), limit());
    }
  }
}

// A 3-D problem in which nothing happens along t2 is the 2-D problem.
TEST_P(ExactInSpace, PlaneEqualsSpaceRestricted) {
  Random random(6);
  int solved = 0;
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 1 + i % 6;
    const FrictionContact plane = test::random_local(random, 2, 6, m, 0.3);
    MatX P = MatX::Zero(3 * m, 2 * m), across = MatX::Zero(3 * m, 3 * m);
    for (Index c = 0; c < m; ++c) {
      P(3 * c, 2 * c) = P(3 * c + 1, 2 * c + 1) = 1;
      across(3 * c + 2, 3 * c + 2) = 1;
    }
    const FrictionContact space{3, test::congruent(P, plane.W) + test::to_sparse(across),
                                P * plane.b, plane.friction};
    const auto a = solve(plane, options()), b = solve(space, options());
    if (!are_solved(a, b)) continue;
    ++solved;
    EXPECT_LE((b.velocity - P * a.velocity).norm(), limit() * (1 + a.velocity.norm())) << i;
  }
  expect_most(solved, kProblems);
}

// Global and local form: the same velocities and the same verdict.
TEST_P(Exact, GlobalEqualsLocal) {
  Random random(7);
  int solved = 0;
  for (int i = 0; i < kProblems; ++i) {
    const auto global = test::random_global(random, dimension(i), 5, 5, 0.3);
    const auto a = solve(global, options());
    const auto b = solve(problem::LocalForm(global).problem(), options());
    EXPECT_EQ(a.report.status, b.report.status) << i;
    if (a.report.status != SolveStatus::converged) continue;
    ++solved;
    EXPECT_LE((a.velocity - b.velocity).norm(), limit() * (1 + a.velocity.norm())) << i;
    EXPECT_LE(a.certificate.natural_map, GetParam().tolerance) << i;
    EXPECT_LE(a.certificate.equation_of_motion, 1e-14) << i;
  }
  expect_most(solved, kProblems);
}

// Asked to stop at the k-th poll, a solver is interrupted, has done no more iterations than polls,
// and its answer's certificate is an honest one.
TEST_P(Exact, PollsEveryIteration) {
  Random random(8);
  const FrictionContact problem = test::random_local(random, dimension(1), 4, 12, 0.9);
  for (const int allowed : {0, 1, 2, 3, 5, 8, 13}) {
    Options stopped = options();
    stopped.tolerance = 1e-300;
    int polls = 0;
    stopped.should_stop = [&] { return ++polls > allowed; };
    const auto solution = solve(problem, stopped);
    if (allowed > 8 && polls <= allowed) continue;  // at its end, round-off, before it was asked to
    EXPECT_EQ(solution.report.status, SolveStatus::interrupted) << allowed;
    EXPECT_LE(solution.report.iterations, allowed);
    EXPECT_LE(polls, allowed + 2);  // a cascade may ask again before it gives up
    EXPECT_FALSE(solution.certificate.meets(1e-300));
  }
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
