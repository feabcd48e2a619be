#include <talus/driver/solve_classes.hpp>

#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/certify/bounded_friction_residual.hpp>
#include <talus/certify/cone_residual.hpp>
#include <talus/certify/mlcp_residual.hpp>
#include <talus/driver/registry.hpp>
#include <talus/problem/convert_cone.hpp>

#include "support/class_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

Options with(const std::string& solver, Real tolerance = 1e-9) {
  Options options;
  options.solver = solver;
  options.tolerance = tolerance;
  options.max_iterations = 20000;
  return options;
}

// Every solver of cone problems finds the one solution of products of sets of every kind, or says
// that it does not take them; "auto" always finds it.
TEST(SolveClasses, ConeSolversFindTheSolution) {
  Random random(1);
  int solved_count = 0;
  for (int i = 0; i < 25; ++i) {
    const test::SolvedCones known = test::random_cones(random, 1 + i % 5);
    for (const auto& entry : cone_solvers()) {
      const ConeSolution solution = solve(known.problem, with(std::string(entry.name)));
      if (entry.name == "auto") {
        ASSERT_EQ(solution.report.status, SolveStatus::converged) << solution.report.detail;
      }
      if (solution.report.status != SolveStatus::converged) continue;
      ++solved_count;
      EXPECT_LE(solution.certificate.natural_map, 1e-9);
      EXPECT_LT((solution.u - known.u).norm(), 1e-6 * (1 + known.u.norm() + known.r.norm()))
          << entry.name << " " << i;
    }
  }
  EXPECT_GE(solved_count, 25 * 6);  // of 8, mprgp takes rows alone
}

// A box QP by hand, and random ones against the certificate: x at a bound where y pushes on it.
TEST(SolveClasses, BoxQp) {
  const problem::BoxQp qp{test::to_sparse(Vec2(1, 4).asDiagonal()), Vec2(-0.5, -8), Vec2(0, 0),
                          Vec2(1, 1)};
  const BoxQpSolution solution = solve(qp, with("auto"));
  EXPECT_EQ(solution.report.status, SolveStatus::converged);
  EXPECT_LT((solution.x - Vec2(0.5, 1)).norm(), 1e-8);
  EXPECT_LT((solution.y - Vec2(0, -4)).norm(), 1e-8);
  EXPECT_EQ(solve(qp, with("auto"), Vec2(0.5, 1)).report.iterations, 0);
  EXPECT_EQ(solve(qp, with("lemke")).report.status, SolveStatus::unsupported);
}

// Mixed LCPs with a positive definite reduced matrix are solved by Lemke after eliminating x, which
// the report says; symmetric ones by a cone solver too, to the same answer.
TEST(SolveClasses, Mlcp) {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const test::SolvedMlcp known = test::random_mlcp(random, i % 4, 1 + i % 5, true);
    const MlcpSolution solution = solve(known.problem, with("auto"));
    ASSERT_EQ(solution.report.status, SolveStatus::converged) << solution.report.detail;
    EXPECT_LT((solution.z - known.z).norm(), 1e-8);
    EXPECT_LT((solution.x - known.x).norm(), 1e-8);
    EXPECT_EQ(solution.report.detail.find("eliminates") != std::string::npos, i % 4 > 0);
    EXPECT_EQ(solve(known.problem, with("auto"), known.z).report.iterations, 0);
    if (i % 4 > 0) {
      EXPECT_THROW((void)solve(known.problem, with("pgs")), InputError);
    }
  }
  problem::Mlcp symmetric = test::random_mlcp(random, 2, 3, true).problem;
  const MatX W = test::random_gram(random, 5, 7, 0.2);
  symmetric.A = W.topLeftCorner(2, 2);
  symmetric.C = W.topRightCorner(2, 3);
  symmetric.D = W.bottomLeftCorner(3, 2);
  symmetric.B = W.bottomRightCorner(3, 3);
  const MlcpSolution a = solve(symmetric, with("lemke")), b = solve(symmetric, with("pgs", 1e-10));
  EXPECT_EQ(a.report.status, SolveStatus::converged);
  EXPECT_EQ(b.report.status, SolveStatus::converged);
  EXPECT_LT((a.z - b.z).norm() + (a.x - b.x).norm(), 1e-6);
}

// Rolling contacts are solved to the certificate of the exact law, from nothing and from the answer
// (no iteration); the answer of the cone problem (no De Saxcé term) is not one of them.
TEST(SolveClasses, RollingContacts) {
  Random random(3);
  for (int i = 0; i < 30; ++i) {
    const test::SolvedRolling known = test::random_rolling(random, 1 + i % 5);
    const ImpulseSolution solution = solve(known.problem, with("auto"));
    ASSERT_EQ(solution.report.status, SolveStatus::converged) << solution.report.detail;
    EXPECT_LE(certify::certify(known.problem, solution.impulse).natural_map, 1e-9);
    EXPECT_EQ(solve(known.problem, with("auto"), solution.impulse).report.iterations, 0);
  }
  problem::RollingFrictionContact wheel{test::to_sparse(MatX::Identity(5, 5)), VecX::Zero(5),
                                        VecX::Constant(1, 0.5), VecX::Constant(1, 0.1)};
  wheel.b << -1, 0.2, 0, 3, 0;
  const ConeSolution relaxed = solve(problem::to_cone_problem(wheel).problem, with("auto"));
  EXPECT_EQ(relaxed.report.status, SolveStatus::converged);
  EXPECT_GT(certify::certify(wheel, relaxed.r).natural_map, 0.01);
  const ImpulseSolution exact = solve(wheel, with("rolling_nsgs"));
  VecX by_hand(5);
  by_hand << 1, -0.2, 0, -0.1, 0;  // sticks, rolls
  EXPECT_LT((exact.impulse - by_hand).norm(), 1e-12);
}

// Constraints with contacts: certified for the whole problem, the constraints at rest, and a guess
// that solves costs nothing.
TEST(SolveClasses, BilateralContacts) {
  Random random(4);
  for (int i = 0; i < 30; ++i) {
    const Index d = 2 + i % 2, p = i % 4;
    const test::SolvedBilateral known = test::random_bilateral(random, d, p, 1 + i % 4);
    const ImpulseSolution solution = solve(known.problem, with("auto"));
    ASSERT_EQ(solution.report.status, SolveStatus::converged) << solution.report.detail;
    EXPECT_LE(certify::certify(known.problem, solution.impulse).natural_map, 1e-9);
    EXPECT_LT(solution.velocity.head(p).norm(), 1e-8 * (1 + solution.impulse.norm()));
    EXPECT_EQ(solution.report.detail.find("eliminates") != std::string::npos, p > 0);
    EXPECT_EQ(solve(known.problem, with("auto"), solution.impulse).report.iterations, 0);
  }
}

// Joints with one direction of slip are solved as boxes and as LCPs, to the same answer; in the
// plane the polygons are a relaxation that the certificate does not let pass where a joint slips.
TEST(SolveClasses, BoundedFriction) {
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const test::SolvedBounded known = test::random_bounded(random, 1, 1 + i % 5);
    const ImpulseSolution boxes = solve(known.problem, with("auto"));
    const ImpulseSolution lcp = solve(known.problem, with("lemke"));
    ASSERT_EQ(boxes.report.status, SolveStatus::converged) << boxes.report.detail;
    ASSERT_EQ(lcp.report.status, SolveStatus::converged) << lcp.report.detail;
    EXPECT_LT((boxes.impulse - known.r).norm(), 1e-7);
    EXPECT_LT((lcp.impulse - known.r).norm(), 1e-7);
  }
  const problem::BoundedFriction planar{2, test::to_sparse(MatX::Identity(2, 2)), Vec2(3, 1),
                                        VecX::Ones(1)};
  const ImpulseSolution solution = solve(planar, with("auto"));
  EXPECT_EQ(solution.report.status, SolveStatus::stalled);
  EXPECT_NE(solution.report.detail.find("polygons of 8 sides"), std::string::npos);
  EXPECT_GT(solution.certificate.natural_map, 1e-3);
}

// Wrong problems, guesses and names are input errors for every class; a known solver of another
// class is unsupported.
TEST(SolveClasses, RefusesWhatIsWrong) {
  Random random(6);
  const test::SolvedRolling rolling = test::random_rolling(random, 2);
  problem::RollingFrictionContact bad = rolling.problem;
  bad.rolling[0] = -1;
  EXPECT_THROW((void)solve(bad, with("auto")), InputError);
  EXPECT_THROW((void)solve(rolling.problem, with("auto"), VecX::Ones(3)), InputError);
  EXPECT_THROW((void)solve(rolling.problem, with("nobody")), InputError);
  EXPECT_EQ(solve(rolling.problem, with("lemke")).report.status, SolveStatus::unsupported);
  EXPECT_THROW((void)solve(test::random_mlcp(random, 2, 2).problem, with("auto"), VecX::Ones(3)),
               InputError);
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
