#include <gtest/gtest.h>

#include <algorithm>

#include <talus/certify/cone_residual.hpp>
#include <talus/driver/registry.hpp>
#include <talus/driver/solve_classes.hpp>

#include "support/class_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

Options with(std::string_view solver, Real tolerance, Index iterations) {
  Options options;
  options.solver = solver;
  options.tolerance = tolerance;
  options.max_iterations = iterations;
  return options;
}

/// Solves by auto, then starts every solver there is at the answer with no iteration to spare: it
/// must come back bit for bit, certified, after none.
/// @param answer_of what of a solution is a guess.
template <class Problem, class AnswerOf>
void expect_no_iteration(const Problem& problem, const AnswerOf& answer_of) {
  const auto first = solve(problem, with("auto", 1e-10, 20000));
  ASSERT_EQ(first.report.status, SolveStatus::converged) << first.report.detail;
  const VecX answer = answer_of(first);
  for (const std::string_view solver : solver_names()) {
    const auto again = solve(problem, with(solver, 1e-9, 1), answer);
    EXPECT_EQ(again.report.status, SolveStatus::converged) << solver;
    EXPECT_EQ(again.report.iterations, 0) << solver;
    EXPECT_TRUE(again.report.stages.empty()) << solver;
    EXPECT_EQ(answer_of(again), answer) << solver;
    EXPECT_LE(again.certificate.natural_map, 1e-9) << solver;
  }
}

// Started at a solution, every solver leaves it bit for bit and takes no iteration, for every class
// of problem.
TEST(Start, AtASolutionTakesNoIteration) {
  Random random(1);
  const auto impulse = [](const auto& solution) { return solution.impulse; };
  for (int i = 0; i < 6; ++i) {
    const Index d = 2 + i % 2, m = 1 + i % 4;
    expect_no_iteration(test::random_local(random, d, 4, m, 0.4), impulse);
    expect_no_iteration(test::random_global(random, d, 4, m, 0.4), impulse);
    expect_no_iteration(test::random_rolling(random, m).problem, impulse);
    expect_no_iteration(test::random_global_rolling(random, 4, m), impulse);
    expect_no_iteration(test::random_bilateral(random, d, 1 + i % 3, m).problem, impulse);
    expect_no_iteration(test::random_global_bilateral(random, d, 4, 1 + i % 3, m), impulse);
    expect_no_iteration(test::random_bounded(random, 1, m).problem, impulse);
    expect_no_iteration(test::random_cones(random, m).problem, [](const auto& s) { return s.r; });
    const problem::Lcp lcp{test::random_gram(random, 4, 6, 0.1), test::random_matrix(random, 4, 1)};
    expect_no_iteration(lcp, [](const auto& s) { return s.z; });
    const MatX H = test::random_gram(random, 5, 7, 0.1);
    const problem::BoxQp qp{test::to_sparse((H + H.transpose()) / 2),
                            test::random_matrix(random, 5, 1), VecX::Zero(5), VecX::Ones(5)};
    expect_no_iteration(qp, [](const auto& s) { return s.x; });
  }
}

// The same for mixed LCPs, whose guess is z for a solver of LCPs and (x, z) for a solver of cone
// problems, and for joints with slip in the plane, whose answer polygons would not find.
TEST(Start, AtASolutionOfMixedAndPlanarClasses) {
  Random random(2);
  problem::Mlcp mlcp;
  const MatX W = test::random_gram(random, 5, 7, 0.2);
  mlcp.A = W.topLeftCorner(2, 2);
  mlcp.C = W.topRightCorner(2, 3);
  mlcp.D = W.bottomLeftCorner(3, 2);
  mlcp.B = W.bottomRightCorner(3, 3);
  mlcp.a = test::random_matrix(random, 2, 1);
  mlcp.b = test::random_matrix(random, 3, 1);
  const MlcpSolution first = solve(mlcp, with("auto", 1e-10, 1000));
  ASSERT_EQ(first.report.status, SolveStatus::converged);
  VecX both(5);
  both << first.x, first.z;
  const auto cone_names = cone_solver_names();
  for (const auto& entry : lcp_solvers()) {
    const bool is_cone_solver =
        std::find(cone_names.begin(), cone_names.end(), entry.name) != cone_names.end();
    if (is_cone_solver && entry.name != "auto") continue;  // by the cone problem, below
    const MlcpSolution again = solve(mlcp, with(entry.name, 1e-9, 1), first.z);
    EXPECT_EQ(again.report.iterations, 0) << entry.name;
    EXPECT_EQ(again.report.status, SolveStatus::converged) << entry.name;
    EXPECT_EQ(again.z, first.z) << entry.name;
  }
  for (const auto& entry : cone_solvers()) {
    if (entry.name == "auto") continue;  // that of LCPs
    const MlcpSolution again = solve(mlcp, with(entry.name, 1e-9, 1), both);
    EXPECT_EQ(again.report.iterations, 0) << entry.name;
    EXPECT_EQ(again.report.status, SolveStatus::converged) << entry.name;
    EXPECT_EQ(again.x, first.x) << entry.name;
  }
  for (int i = 0; i < 10; ++i) {
    const auto known = test::random_bounded(random, 2, 1 + i % 3);
    for (const auto& entry : lcp_solvers()) {
      const ImpulseSolution again = solve(known.problem, with(entry.name, 1e-9, 1), known.r);
      EXPECT_EQ(again.report.status, SolveStatus::converged);
      EXPECT_EQ(again.report.iterations, 0) << entry.name;
      EXPECT_EQ(again.impulse, known.r) << entry.name;
    }
  }
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
