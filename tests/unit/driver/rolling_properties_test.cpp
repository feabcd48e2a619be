#include <gtest/gtest.h>

#include <talus/driver/solve_classes.hpp>
#include <talus/problem/convert.hpp>

#include "support/class_problems.hpp"
#include "support/contact_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::RollingFrictionContact;
using problem::SolveStatus;

Options tight() {
  Options options;
  options.tolerance = 1e-11;
  options.max_iterations = 20000;
  return options;
}

RollingFrictionContact random_problem(Random& random, Index contacts) {
  return problem::LocalForm(test::random_global_rolling(random, 4, contacts)).problem();
}

ImpulseSolution solved(const RollingFrictionContact& problem) {
  ImpulseSolution solution = solve(problem, tight());
  EXPECT_EQ(solution.report.status, SolveStatus::converged) << solution.report.detail;
  return solution;
}

constexpr int kProblems = 30;

// Contacts with rolling resistance in another order (here reversed): the same velocities.
TEST(RollingProperty, OrderDoesNotMatter) {
  Random random(1);
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 2 + i % 3;
    const RollingFrictionContact problem = random_problem(random, m);
    MatX T = MatX::Zero(5 * m, 5 * m);
    for (Index c = 0; c < m; ++c) T.block(5 * c, 5 * (m - 1 - c), 5, 5).setIdentity();
    RollingFrictionContact other = test::transformed(problem, T);
    other.friction = problem.friction.reverse();
    other.rolling = problem.rolling.reverse();
    const auto a = solved(problem), b = solved(other);
    EXPECT_LE((b.velocity - T * a.velocity).norm(), 1e-7 * (1 + a.velocity.norm())) << i;
  }
}

// The tangents of slip and of rolling turned, each pair by an angle of its own: the impulses turn.
TEST(RollingProperty, TangentsMayBeTurned) {
  Random random(2);
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 1 + i % 4;
    const RollingFrictionContact problem = random_problem(random, m);
    MatX T = MatX::Identity(5 * m, 5 * m);
    for (Index c = 0; c < m; ++c)
      for (const Index pair : {1, 3}) {
        const Real angle = random.uniform(0, 2 * M_PI);
        T.block(5 * c + pair, 5 * c + pair, 2, 2) << std::cos(angle), -std::sin(angle),
            std::sin(angle), std::cos(angle);
      }
    const auto a = solved(problem), b = solved(test::transformed(problem, T));
    EXPECT_LE((b.impulse - T * a.impulse).norm(), 1e-7 * (1e-3 + a.impulse.norm())) << i;
  }
}

// Mass, speed and the unit of length in the rolling rows (which μ_r has too) changed by powers of
// two: the same bits after the same sweeps.
TEST(RollingProperty, UnitsByPowersOfTwoChangeNoBit) {
  Random random(3);
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 1 + i % 4;
    const RollingFrictionContact problem = random_problem(random, m);
    const auto power = [&](Real most) {
      return std::exp2(std::round(random.uniform(-most, most)));
    };
    const Real mass = power(10) * power(10), speed = power(30), length = power(10);
    const Real square = mass * mass;  // a square root of W is then exact
    MatX T = MatX::Identity(5 * m, 5 * m);
    for (Index c = 0; c < m; ++c) T(5 * c + 3, 5 * c + 3) = T(5 * c + 4, 5 * c + 4) = length;
    RollingFrictionContact other = test::transformed(problem, T);
    other.W = problem::SparseMatrix(other.W / square);
    other.b *= speed;
    other.rolling = problem.rolling / length;
    const auto a = solve(problem, tight()), b = solve(other, tight());
    EXPECT_EQ(a.report.status, b.report.status) << i;
    EXPECT_EQ(a.report.iterations, b.report.iterations) << i;
    EXPECT_EQ(VecX(T * b.impulse / (square * speed)), a.impulse) << i;
    EXPECT_EQ(a.certificate.natural_map, b.certificate.natural_map) << i;
  }
}

// Without friction and rolling resistance the normal impulses solve the LCP of the normal rows;
// without rolling resistance alone, the first three rows solve Coulomb's problem.
TEST(RollingProperty, ContainsTheSimplerClasses) {
  Random random(4);
  for (int i = 0; i < kProblems; ++i) {
    const Index m = 1 + i % 4;
    RollingFrictionContact problem = random_problem(random, m);
    problem.rolling.setZero();
    MatX slide = MatX::Zero(3 * m, 5 * m), press = MatX::Zero(m, 5 * m);
    for (Index c = 0; c < m; ++c) {
      slide.block(3 * c, 5 * c, 3, 3).setIdentity();
      press(c, 5 * c) = 1;
    }
    const problem::FrictionContact coulomb{3, test::congruent(slide, problem.W), slide * problem.b,
                                           problem.friction};
    const auto a = solved(problem);
    const auto b = solve(coulomb, tight());
    ASSERT_EQ(b.report.status, SolveStatus::converged);
    EXPECT_LE((slide * a.velocity - b.velocity).norm(), 1e-7 * (1 + b.velocity.norm())) << i;

    problem.friction.setZero();
    const auto smooth = solved(problem);
    const auto lcp =
        solve(problem::Lcp{test::congruent(press, problem.W), press * problem.b}, tight());
    ASSERT_EQ(lcp.report.status, SolveStatus::converged);
    EXPECT_LE((press * smooth.impulse - lcp.z).norm(), 1e-8 * (1 + lcp.z.norm())) << i;
    EXPECT_EQ((smooth.impulse - press.transpose() * (press * smooth.impulse)).norm(), 0) << i;
  }
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
