#include <talus/driver/solve.hpp>

#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>

#include "support/contact_problems.hpp"
#include "support/lcp_families.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::Lcp;
using problem::SolveStatus;

std::string message_of(const Options& options) {
  try {
    validate(options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Options out of range are named with what is allowed; a misspelt solver gets the nearest name.
TEST(Options, MistakesAreNamed) {
  Options o;
  EXPECT_EQ(message_of(o), "");
  o.solver = "nsg";
  EXPECT_EQ(message_of(o), "solver: expected " + join_choices(solver_names()) +
                               ", got 'nsg'\nhint: did you mean 'nsgs'?");
  o = {};
  o.tolerance = 0;
  EXPECT_EQ(message_of(o), "tolerance: expected a number in (0, 1), got 0");
  o = {};
  o.tolerance = NAN;
  EXPECT_NE(message_of(o), "");
  o = {};
  o.max_iterations = 0;
  o.relaxation = 2;
  EXPECT_EQ(
      message_of(o),
      "max_iterations: expected at least 1, got 0\nrelaxation: expected a number in (0, 2), got 2");
  o = {};
  o.directions = 5;
  EXPECT_EQ(message_of(o), "directions: expected an even number from 4 to 1000, got 5");
}

// A solver of another class is not an error of the input but a status: unsupported.
TEST(Solve, SolverOfAnotherClassIsUnsupported) {
  Options options;
  options.solver = "nsgs";
  const LcpSolution s = solve(Lcp{MatX::Identity(2, 2), VecX::Constant(2, -1)}, options);
  EXPECT_EQ(s.report.status, SolveStatus::unsupported);
  EXPECT_EQ(s.report.detail, "solver 'nsgs' does not take this class of problem");
}

// An LCP comes back with z, w, a certificate and converged; an unsolvable one says ray_termination.
TEST(Solve, LcpByLemke) {
  Options options;
  options.solver = "lemke";
  Random random(1);
  const Lcp lcp = test::friction_lcp(random, 3, 4, 8, 0.5);
  const LcpSolution s = solve(lcp, options);
  EXPECT_EQ(s.report.status, SolveStatus::converged);
  EXPECT_TRUE(s.certificate.meets(1e-12));
  EXPECT_EQ(s.w, lcp.M * s.z + lcp.q);
  const LcpSolution ray = solve(Lcp{MatX::Zero(2, 2), VecX::Constant(2, -1)}, options);
  EXPECT_EQ(ray.report.status, SolveStatus::ray_termination);
  EXPECT_FALSE(ray.certificate.meets(options.tolerance));
}

// A guess of the wrong size, or a problem of the wrong shape, is an input error.
TEST(Solve, RefusesWrongSizes) {
  Random random(2);
  const FrictionContact problem = test::random_local(random, 3, 2, 2, 1);
  EXPECT_THROW((void)solve(problem, Options{}, VecX::Zero(5)), InputError);
  FrictionContact bad = problem;
  bad.b.conservativeResize(5);
  EXPECT_THROW((void)solve(bad, Options{}), InputError);
}

// Starting at a solution takes no sweep, also with max_iterations = 1, in both forms.
TEST(Solve, StartingAtASolutionTakesNoSweep) {
  Random random(3);
  Options options;
  for (int i = 0; i < 20; ++i) {
    const auto global = test::random_global(random, 2 + i % 2, 3, 3, 1);
    options.tolerance = 1e-11;
    const auto first = solve(global, options);
    ASSERT_EQ(first.report.status, SolveStatus::converged);
    Options again = options;
    again.tolerance = 1e-10;
    again.max_iterations = 1;
    const auto second = solve(global, again, first.impulse);
    EXPECT_EQ(second.report.status, SolveStatus::converged);
    EXPECT_EQ(second.report.iterations, 0);
    EXPECT_EQ(second.impulse, first.impulse);
  }
}

// The verdict is the certificate's: whatever the solver and its limits, converged is said exactly
// if the natural map (and the equation of motion) meets the tolerance.
TEST(Solve, ConvergedExactlyIfCertified) {
  Random random(4);
  int certified = 0, uncertified = 0;
  for (int i = 0; i < 400; ++i) {
    const auto global = test::random_global(random, 2 + i % 2, 3, 2 + i % 6, 1);
    Options options;
    options.solver = i % 3 == 0 ? "lemke" : "nsgs";
    options.max_iterations = 1 + i % 40;
    options.tolerance = std::pow(10, -1 - i % 12);
    const auto s = solve(global, options);
    EXPECT_EQ(s.report.status == SolveStatus::converged, s.certificate.meets(options.tolerance));
    (s.report.status == SolveStatus::converged ? certified : uncertified) += 1;
  }
  EXPECT_GT(certified, 50);
  EXPECT_GT(uncertified, 50);
}

// Lemke on a sliding 3-D contact solves the pyramid to round-off, but the cone it replaces says no:
// the status is lowered to stalled, and both numbers are kept.
TEST(Solve, PyramidIsNotCalledConverged) {
  FrictionContact problem{3, test::to_sparse(Vec3(1, 3.5, 3.5).asDiagonal().toDenseMatrix()),
                          Vec3(-1, 2, 0.5), VecX::Constant(1, 0.3)};
  Options options;
  options.solver = "lemke";
  const auto s = solve(problem, options);
  EXPECT_EQ(s.report.status, SolveStatus::stalled);
  EXPECT_LT(s.report.residual, 1e-14);
  EXPECT_GT(s.certificate.natural_map, 1e-2);
  EXPECT_NE(s.report.detail.find("claimed a residual of"), std::string::npos);
  EXPECT_NE(s.report.detail.find("pyramids of 8 sides"), std::string::npos);
  // Slip along one of the pyramid's directions is exact, and then it may be called so.
  problem.b = Vec3(-1, 2, 0);
  EXPECT_EQ(solve(problem, options).report.status, SolveStatus::converged);
}

// In 2-D the pyramid is the cone: Lemke is exact and certified.
TEST(Solve, LemkeIsExactInThePlane) {
  Random random(5);
  Options options;
  options.solver = "lemke";
  for (int i = 0; i < 100; ++i) {
    const auto problem = test::random_local(random, 2, 3, 1 + i % 9, 1);
    const auto s = solve(problem, options);
    EXPECT_EQ(s.report.status, SolveStatus::converged) << s.report.detail;
  }
}

// A stop condition ends the sweeps with the status interrupted, after as many sweeps as were
// allowed.
TEST(Solve, StopsWhenAsked) {
  Random random(6);
  const auto problem = test::random_local(random, 3, 3, 6, 1);
  for (const char* solver : {"nsgs", "lemke"}) {
    Options options;
    options.solver = solver;
    options.tolerance = 1e-14;
    int polls = 0;
    options.should_stop = [&polls] { return ++polls > 3; };
    const auto s = solve(problem, options);
    EXPECT_EQ(s.report.status, SolveStatus::interrupted);
    EXPECT_EQ(s.report.iterations, 3);
  }
}

// The sweeps stop by their own residual: it is within the tolerance where they claim success, and a
// looser tolerance takes fewer sweeps over thirty problems.
TEST(Solve, SweepsStopByTheirResidual) {
  Random random(8);
  Index loose_sweeps = 0, tight_sweeps = 0;
  for (int i = 0; i < 30; ++i) {
    const auto problem = test::random_local(random, 2 + i % 2, 6, 8, 0.5);
    Options options;
    options.solver = "nsgs";
    options.tolerance = 1e-4;
    const auto loose = solve(problem, options);
    options.tolerance = 1e-10;
    const auto tight = solve(problem, options);
    ASSERT_EQ(loose.report.status, SolveStatus::converged);
    ASSERT_EQ(tight.report.status, SolveStatus::converged);
    EXPECT_LE(loose.report.residual, 1e-4);
    EXPECT_LE(tight.report.residual, 1e-10);
    loose_sweeps += loose.report.iterations;
    tight_sweeps += tight.report.iterations;
  }
  EXPECT_LT(2 * loose_sweeps, tight_sweeps);
}

// An LCP too large for a dense tableau is refused with a status before anything is allocated.
TEST(Solve, LemkeRefusesWhatItCannotHold) {
  const Index m = 1000;
  problem::SparseMatrix W(3 * m, 3 * m);
  W.setIdentity();
  FrictionContact problem{3, W, VecX::Constant(3 * m, -1), VecX::Ones(m)};
  Options options;
  options.solver = "lemke";
  const auto s = solve(problem, options);
  EXPECT_EQ(s.report.status, SolveStatus::capacity_exceeded);
  EXPECT_NE(s.report.detail.find("10000 unknowns"), std::string::npos);
}

// Over-relaxation changes the path, not the answer.
TEST(Solve, RelaxationKeepsTheAnswer) {
  Random random(7);
  for (int i = 0; i < 30; ++i) {
    const auto problem = test::random_local(random, 2 + i % 2, 4, 4, 0.5);
    Options options;
    options.tolerance = 1e-11;
    const auto plain = solve(problem, options);
    options.relaxation = 1.3;
    const auto relaxed = solve(problem, options);
    ASSERT_EQ(plain.report.status, SolveStatus::converged);
    ASSERT_EQ(relaxed.report.status, SolveStatus::converged);
    EXPECT_LE((plain.impulse - relaxed.impulse).norm(), 1e-7 * plain.impulse.norm());
  }
}

// Where every certificate is infinite, for ρ² overflows, the cascade ends: no start mends that.
TEST(Solve, NumbersThatOverflowEndTheCascade) {
  problem::FrictionContact tiny;
  tiny.W = (1e-300 * MatX::Identity(3, 3)).sparseView(1, 0);
  tiny.b = Vec3(-1, 0.2, 0);
  tiny.friction = VecX::Constant(1, 0.5);
  const FrictionContactSolution s = solve(tiny, Options{});
  EXPECT_EQ(s.report.status, SolveStatus::numerical_error);
  EXPECT_LT(s.report.stages.size(), 20U);
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
