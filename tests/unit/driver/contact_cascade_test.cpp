#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/driver/contact_cascade.hpp>
#include <talus/driver/solve.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/interior_point/ipm.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

#include "support/contact_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

Options options_of(const char* solver) {
  Options options;
  options.solver = solver;
  options.tolerance = 1e-8;
  return options;
}

/// The first of random hyperstatic problems of 24 contacts that takes auto more than one stage.
problem::FrictionContact problem_of_stages() {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    auto problem = test::random_local(random, 3, 4, 24, 0.9);
    if (solve(problem, options_of("auto")).report.stages.size() > 1) return problem;
  }
  ADD_FAILURE() << "auto takes one stage for all of them";
  return {};
}

// Whatever the dimension, the number of contacts, the friction (up to μ = 1) and the rank of W
// (more contact rows than coordinates: hyperstatic), auto ends certified, both by the unit-free
// residual and by the plain one where that is asked.
RC_GTEST_PROP(Cascade, AutoIsCertified, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto d = static_cast<Index>(*rc::gen::inRange(2, 4));
  const auto bodies = static_cast<Index>(*rc::gen::inRange(1, 9));
  const auto contacts = bodies * static_cast<Index>(*rc::gen::inRange(1, 4));
  const auto problem = test::random_local(random, d, bodies, contacts, 1);
  Options options = options_of("auto");
  options.plain_tolerance = 1e-8;
  const auto solution = solve(problem, options);
  RC_ASSERT(solution.report.status == SolveStatus::converged);
  const auto certificate = certify::certify(problem, solution.impulse);
  RC_ASSERT(certificate.natural_map <= 1e-8);
  RC_ASSERT(certificate.plain <= 1e-8);
}

// Newton and Gauss–Seidel find the same velocities where W is regular and friction is small enough
// for the solution to be unique.
RC_GTEST_PROP(Cascade, NewtonAgreesWithSweeps, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const auto d = static_cast<Index>(*rc::gen::inRange(2, 4));
  const auto problem = test::random_local(random, d, 6, 6, 0.1);
  const auto sweeps = solve(problem, options_of("nsgs"));
  const auto newton = solve(problem, options_of("proximal_newton"));
  RC_ASSERT(sweeps.report.status == SolveStatus::converged);
  RC_ASSERT(newton.report.status == SolveStatus::converged);
  RC_ASSERT((newton.velocity - sweeps.velocity).norm() <= 1e-6 * (1 + problem.b.norm()));
}

// The interior point reaches 1e-6 on at least 95 of 100 problems (with friction they are not
// convex: no method is sure), finds the velocities that sweeps find, and where it fails it says so.
TEST(Cascade, InteriorPointAgreesWithSweeps) {
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const auto problem = test::random_local(random, seed % 2 == 0 ? 2 : 3, 6, 6, 0.1);
    const auto sweeps = solve(problem, options_of("nsgs"));
    auto options = options_of("ipm");
    options.tolerance = 1e-6;
    options.max_iterations = 100;
    const auto ipm = solve(problem, options);
    if (ipm.report.status != SolveStatus::converged) {
      EXPECT_GT(std::max(ipm.certificate.natural_map, ipm.certificate.plain), 1e-6);
      continue;
    }
    ++solved;
    EXPECT_LE((ipm.velocity - sweeps.velocity).norm(), 1e-4 * (1 + problem.b.norm())) << seed;
  }
  EXPECT_GE(solved, 95);
  RecordProperty("solved", solved);
}

// An interior point that has come to round-off, where its matrix is singular, has stalled: its best
// answer is finite, and no numerical error.
TEST(Cascade, InteriorPointStallsAtRoundOff) {
  int stalled = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    auto options = options_of("ipm");
    options.tolerance = 1e-16;
    options.max_iterations = 500;
    const auto solution = solve(test::random_local(random, 3, 1, 12, 0.8), options);
    ASSERT_TRUE(solution.certificate.is_finite);
    EXPECT_NE(solution.report.status, SolveStatus::numerical_error) << seed;
    if (solution.report.status == SolveStatus::stalled) ++stalled;
  }
  EXPECT_GT(stalled, 0);
}

// The report tells the whole cascade: every stage with its iterations, which add up, and the
// residual of the last one is the certificate's.
TEST(Cascade, TellsItsStages) {
  const auto problem = problem_of_stages();
  const auto solution = solve(problem, options_of("auto"));
  ASSERT_EQ(solution.report.status, SolveStatus::converged);
  ASSERT_GE(solution.report.stages.size(), 2u);
  EXPECT_EQ(solution.report.stages.front().solver, "nsgs");
  Index iterations = 0;
  for (const auto& stage : solution.report.stages) {
    EXPECT_GE(stage.seconds, 0);
    iterations += stage.iterations;
  }
  EXPECT_EQ(iterations, solution.report.iterations);
  EXPECT_LE(solution.report.stages.back().residual, 1e-8);
}

// The counts of a cascade are the sums of its stages'; if asked each stage also tells its own
// history, one residual at its start and one per iteration, and the cascade itself has none.
TEST(Cascade, AddsUpWhatItsStagesCost) {
  const auto problem = problem_of_stages();
  auto options = options_of("auto");
  const auto plain = solve(problem, options).report;
  options.keep_history = true;
  const auto report = solve(problem, options).report;
  ASSERT_GE(report.stages.size(), 2u);
  EXPECT_EQ(plain.stages.size(), report.stages.size());
  problem::SolveCounts sum;
  for (const auto& stage : report.stages) {
    sum += stage.counts;
    EXPECT_GT(stage.counts.products, 0) << stage.solver;
    EXPECT_EQ(stage.history.residual.size(), static_cast<std::size_t>(stage.iterations + 1));
  }
  EXPECT_GT(sum.factorisations, 0);
  for (const auto& other : {plain.counts, report.counts}) {
    EXPECT_EQ(other.products, sum.products);
    EXPECT_EQ(other.projections, sum.projections);
    EXPECT_EQ(other.factorisations, sum.factorisations);
  }
  EXPECT_TRUE(report.history.residual.empty());
  EXPECT_TRUE(plain.stages.front().history.residual.empty());

  options.solver = "nsgs";
  const auto sweeps = solve(problem, options).report;
  EXPECT_EQ(sweeps.history.residual.size(), static_cast<std::size_t>(sweeps.iterations + 1));
  EXPECT_EQ(sweeps.counts.products, sweeps.iterations);
}

// Where the budget ends before the problem is solved, auto says so, and gives the best answer it
// has seen, not the last.
TEST(Cascade, GivesItsBestWhenTheBudgetEnds) {
  Random random(5);
  const auto problem = test::random_local(random, 3, 8, 24, 0.9);
  auto options = options_of("auto");
  Real before = std::numeric_limits<Real>::infinity();
  for (const Index budget : {1, 2, 5, 21, 23}) {
    options.max_iterations = budget;
    const auto solution = solve(problem, options);
    EXPECT_LE(solution.report.iterations, budget);
    if (solution.certificate.natural_map > options.tolerance) {
      EXPECT_EQ(solution.report.status, SolveStatus::max_iterations);
    }
    EXPECT_LE(solution.certificate.natural_map, before);
    before = solution.certificate.natural_map;
  }
}

// Of many stages the first eight and the last two are told, and how many were between them.
TEST(Cascade, DescribesTenStagesAtMost) {
  std::vector<problem::SolveStage> stages;
  for (const int count : {10, 11, 13}) {
    stages.assign(static_cast<std::size_t>(count), {"nsgs", 1, 0.5});
    stages.back().solver = "ipm";
    const std::string text = problem::describe(stages);
    EXPECT_TRUE(text.ends_with("; ipm: 1 to 0.5")) << text;
    const std::string more = fmt::format("; {} more; nsgs", count - 10);
    EXPECT_EQ(text.find(more) != std::string::npos, count > 10) << text;
    EXPECT_EQ(std::ranges::count(text, ':'), 10) << text;
  }
}

// A run of Newton's method ends after as many factorisations as its patience is, if none has halved
// the external residual, which nothing changes here; one of the interior point where τ has not been
// halved in so many either.
TEST(Cascade, PatienceEndsARunWithoutProgress) {
  Random random(5);
  const auto problem = test::random_local(random, 3, 8, 24, 0.9);
  const solve::ExternalResidual never = [](const VecX&) { return Real(100); };
  VecX r = VecX::Zero(problem.b.size());
  solve::ProximalNewton newton;
  newton.start(problem);
  solve::ProximalNewtonOptions options;
  options.patience = 3;
  const auto report = newton.run(options, never, {}, r);
  EXPECT_EQ(report.status, SolveStatus::max_iterations);
  EXPECT_EQ(report.iterations, 3);
  EXPECT_GT(newton.analyse(), 0);

  const auto steps_of_ipm = [&](Index patience) {
    solve::IpmOptions inner;
    inner.patience = patience;
    VecX start = VecX::Zero(problem.b.size());
    return solve::ipm(problem, inner, never, {}, start).iterations;
  };
  EXPECT_LT(steps_of_ipm(1), steps_of_ipm(solve::IpmOptions{}.max_factorisations));
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
