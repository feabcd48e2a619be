#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/certify/cone_residual.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/problem/convert.hpp>

#include "support/class_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

Options at(Real tolerance) {
  Options options;
  options.tolerance = tolerance;
  options.max_iterations = 20000;
  return options;
}

// Both global forms are certified as such and agree with their local forms: the same relative
// velocities, and system velocities that belong to the impulses.
TEST(GlobalForms, AgreeWithTheirLocalForms) {
  Random random(1);
  const auto compare = [](const auto& global, int i) {
    const auto a = solve(global, at(1e-10));
    const auto b = solve(problem::LocalForm(global).problem(), at(1e-10));
    ASSERT_EQ(a.report.status, SolveStatus::converged) << i << a.report.detail;
    ASSERT_EQ(b.report.status, SolveStatus::converged) << i << b.report.detail;
    EXPECT_LE(certify::certify(global, a.impulse, a.v).natural_map, 1e-10) << i;
    EXPECT_LE(a.certificate.equation_of_motion, 1e-14) << i;
    EXPECT_LE(a.certificate.natural_map, 1e-10) << i;
    EXPECT_LE((a.velocity - b.velocity).norm(), 1e-7 * (1 + a.velocity.norm())) << i;
    EXPECT_LE((a.impulse - b.impulse).norm(), 1e-7 * (1e-3 + a.impulse.norm())) << i;
    EXPECT_EQ(solve(global, at(1e-9), a.impulse).report.iterations, 0) << i;
  };
  for (int i = 0; i < 40; ++i) {
    compare(test::random_global_rolling(random, 4, 1 + i % 4), i);
    compare(test::random_global_bilateral(random, 2 + i % 2, 4, i % 4, 1 + i % 4), i);
  }
}

// Constraints that say the same twice change no velocity: their impulses are shared, the report
// tells the rank, the answer is certified. Constraints that contradict each other, as two that
// prescribe different velocities of one thing, are refused.
TEST(GlobalForms, DependentConstraints) {
  Random random(2);
  for (int i = 0; i < 10; ++i) {
    const auto once = test::random_global_bilateral(random, 3, 3, 3, 3);
    auto twice = once;
    MatX G(once.f.size(), 4);
    G << MatX(once.G), MatX(once.G).col(1);
    twice.G = test::to_sparse(G);
    twice.b.resize(4);
    twice.b << once.b, once.b[1];
    const auto a = solve(once, at(1e-10)), b = solve(twice, at(1e-10));
    ASSERT_EQ(a.report.status, SolveStatus::converged);
    ASSERT_EQ(b.report.status, SolveStatus::converged) << b.report.detail;
    EXPECT_NE(b.report.detail.find("eliminates 4 constraints of rank 3"), std::string::npos);
    EXPECT_LE((a.v - b.v).norm(), 1e-7 * (1 + a.v.norm()));
    EXPECT_LE((once.G.transpose() * b.v + once.b).norm(), 1e-9);
    EXPECT_NEAR(b.impulse[1] + b.impulse[3], a.impulse[1], 1e-7 * (1 + a.impulse.norm()));
    twice.b[3] += 1;
    EXPECT_THROW((void)solve(twice, at(1e-10)), InputError);
  }
}

// The stages and iterations of all runs are in the report, and the budget is kept over them.
TEST(GlobalForms, KeepTheBudget) {
  Random random(3);
  const auto problem = test::random_global_bilateral(random, 3, 5, 3, 10);
  for (const Index budget : {1, 3, 10}) {
    Options options = at(1e-13);
    options.max_iterations = budget;
    const auto solution = solve(problem, options);
    EXPECT_LE(solution.report.iterations, budget);
    EXPECT_EQ(solution.report.status == SolveStatus::converged,
              solution.certificate.meets(options.tolerance));
  }
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
