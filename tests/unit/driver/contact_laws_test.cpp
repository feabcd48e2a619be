#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <talus/base/error.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/driver/contact_laws.hpp>
#include <talus/driver/solve.hpp>

#include "support/contact_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::FrictionLaw;
using problem::SolveStatus;

/// Bodies in a ring, regular.
FrictionContact ring(Random& random, FrictionLaw law) {
  FrictionContact problem = test::random_local(random, 3, 8, 10, 0.8);
  problem.law = law;
  return problem;
}

// Every law is solved by Gauss–Seidel to the certificate of that law, and the certificate is not
// that of another: their answers differ.
TEST(Laws, AreSolvedAndCertified) {
  Options options;
  options.solver = "nsgs";
  Random random(1);
  int differing = 0;
  for (int i = 0; i < 20; ++i) {
    const FrictionContact coulomb = ring(random, FrictionLaw::coulomb);
    for (const FrictionLaw law : problem::kFrictionLaws) {
      FrictionContact problem = coulomb;
      problem.law = law;
      const FrictionContactSolution solution = solve(problem, options);
      ASSERT_EQ(solution.report.status, SolveStatus::converged)
          << to_string(law) << ", i = " << i << ": " << solution.report.detail;
      EXPECT_LE(certify::certify(problem, solution.impulse).natural_map, options.tolerance);
      differing += law != FrictionLaw::coulomb &&
                   certify::certify(coulomb, solution.impulse).natural_map > 1e-3;
    }
  }
  EXPECT_GT(differing, 60);
}

// "auto" meets every law's certificate too, also in the plane and in global form.
TEST(Laws, AutoAndGlobalForms) {
  Random random(2);
  for (const Index d : {2, 3})
    for (const FrictionLaw law : problem::kFrictionLaws) {
      problem::GlobalFrictionContact problem = test::random_global(random, d, 6, 8, 0.8);
      problem.law = law;
      const GlobalFrictionContactSolution solution = solve(problem, {});
      EXPECT_EQ(solution.report.status, SolveStatus::converged)
          << to_string(law) << ", d = " << d << ": " << solution.report.detail;
    }
}

// Over-relaxed sweeps keep the impulses in the law's cone and reach the same certificate.
TEST(Laws, OverRelaxation) {
  Options options;
  options.solver = "nsgs";
  options.relaxation = 1.2;
  Random random(3);
  for (const FrictionLaw law : problem::kFrictionLaws) {
    const FrictionContactSolution solution = solve(ring(random, law), options);
    EXPECT_EQ(solution.report.status, SolveStatus::converged) << to_string(law);
    EXPECT_LE(solution.certificate.primal, 1e-12) << to_string(law);
  }
}

// A polygon's law is exactly what Lemke's method solves; cone complementarity is solved by the
// solvers of cone problems; all answers of one law agree in the velocities where those are unique.
TEST(Laws, OtherSolversOfTheSameLaw) {
  Random random(4);
  Options options;
  options.solver = "lemke";
  const FrictionContactSolution lemke = solve(ring(random, FrictionLaw::polyhedral), options);
  EXPECT_EQ(lemke.report.status, SolveStatus::converged) << lemke.report.detail;

  const FrictionContact cones = ring(random, FrictionLaw::cone_complementarity);
  options.solver = "nsgs";
  const FrictionContactSolution sweeps = solve(cones, options);
  for (const char* name : {"pgs", "apgd", "auto"}) {
    options.solver = name;
    const FrictionContactSolution other = solve(cones, options);
    EXPECT_EQ(other.report.status, SolveStatus::converged) << name << ": " << other.report.detail;
    EXPECT_LT((other.velocity - sweeps.velocity).norm(), 1e-5 * sweeps.velocity.norm()) << name;
  }
}

// A solver that knows only Coulomb's law says so and claims nothing.
TEST(Laws, UnsupportedSolversSaySo) {
  Random random(5);
  Options options;
  options.solver = "ipm";
  const FrictionContactSolution solution =
      solve(ring(random, FrictionLaw::maximum_dissipation), options);
  EXPECT_EQ(solution.report.status, SolveStatus::unsupported);
  EXPECT_NE(solution.report.detail.find("maximum_dissipation"), std::string::npos);
}

// The names of a law's solvers are those that run, in the plane and in space; any other name is
// unsupported.
TEST(Laws, NamesAreOfSolversThatRun) {
  Random random(5);
  for (const Index d : {2, 3})
    for (const FrictionLaw law : problem::kFrictionLaws) {
      FrictionContact problem = test::random_local(random, d, 3, 3, 0.5);
      problem.law = law;
      const auto names = solver_names(law, d);
      EXPECT_EQ(names.front(), "auto");
      for (const std::string_view name : solver_names()) {
        Options options;
        options.solver = name;
        options.max_iterations = 20;
        const bool is_named = std::find(names.begin(), names.end(), name) != names.end();
        EXPECT_EQ(solve(problem, options).report.status != SolveStatus::unsupported, is_named)
            << to_string(law) << ", d = " << d << ": " << name;
      }
    }
}

// Newton's method under maximum dissipation meets that law's certificate at 1e-12 in few
// factorisations where sweeps converge slowly: hyperstatic rings, 24 coordinates for 36 rows.
TEST(Laws, NewtonUnderMaximumDissipation) {
  Random random(8);
  Options options;
  options.solver = "proximal_newton";
  options.tolerance = 1e-12;
  int sliding = 0;
  for (int i = 0; i < 30; ++i) {
    FrictionContact problem = test::random_local(random, 3, 4, 12, 0.5);
    problem.law = FrictionLaw::maximum_dissipation;
    const FrictionContactSolution solution = solve(problem, options);
    ASSERT_EQ(solution.report.status, SolveStatus::converged) << i << solution.report.detail;
    EXPECT_LE(solution.report.iterations, 100) << i;
    for (Index c = 0; c < 12; ++c) {
      const Vec3 r = solution.impulse.segment<3>(3 * c), u = solution.velocity.segment<3>(3 * c);
      sliding += r[0] > 1e-6 && u.tail<2>().norm() > 1e-6;
    }
  }
  EXPECT_GT(sliding, 30);
}

// Without coupling of normal and tangent in the contacts' own blocks, as between spheres, maximum
// dissipation is Coulomb's law: the same impulses from the same start, and each certificate accepts
// the other's.
TEST(Laws, MaximumDissipationIsCoulombForSpheres) {
  Random random(6);
  FrictionContact coulomb = test::random_local(random, 3, 8, 10, 0.8);
  MatX W = coulomb.W;
  for (Index i = 0; i < coulomb.contact_count(); ++i) {
    Mat3 A = W.block<3, 3>(3 * i, 3 * i);
    A(0, 1) = A(1, 0) = A(0, 2) = A(2, 0) = 0;
    W.block<3, 3>(3 * i, 3 * i) = A + 2 * Mat3::Identity();
  }
  coulomb.W = test::to_sparse(W);
  FrictionContact dissipative = coulomb;
  dissipative.law = FrictionLaw::maximum_dissipation;
  Options options;
  options.solver = "nsgs";
  options.tolerance = 1e-10;
  const FrictionContactSolution a = solve(coulomb, options), b = solve(dissipative, options);
  EXPECT_EQ(a.report.status, SolveStatus::converged);
  EXPECT_EQ(b.report.status, SolveStatus::converged);
  EXPECT_LT((a.impulse - b.impulse).norm(), 1e-8 * a.impulse.norm());
  EXPECT_LE(certify::certify(dissipative, a.impulse).natural_map, 1e-9);
}

// An odd number of directions is wrong input.
TEST(Laws, WrongDirections) {
  Random random(7);
  FrictionContact problem = ring(random, FrictionLaw::polyhedral);
  problem.directions = 5;
  EXPECT_THROW((void)solve(problem, {}), InputError);
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
