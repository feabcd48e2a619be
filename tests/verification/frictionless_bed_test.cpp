#include <gtest/gtest.h>

#include <talus/problem/convert.hpp>

#include "support/bed.hpp"
#include "support/cone_problems.hpp"
#include "unit/solve/cone_solvers.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

/// The contact problem of a bed of spheres that has settled under friction, as a step sees it.
problem::FrictionContact settled_bed(int nx, int ny, int nz, int steps, std::uint64_t seed = 7) {
  test::World world = test::lattice_bed(nx, ny, nz, seed);
  world.model.linear_damping = world.model.angular_damping = 5;
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  return problem::LocalForm(*scheme->last_problem()).problem();
}

/// The same contacts without friction: complementarity of the normal rows.
problem::ConeProblem frictionless(const problem::FrictionContact& bed) {
  const Index m = bed.contact_count();
  problem::ConeProblem normal;
  normal.b.resize(m);
  problem::SparseMatrix pick(m, 3 * m);
  for (Index i = 0; i < m; ++i) {
    pick.insert(i, 3 * i) = 1;
    normal.b[i] = bed.b[3 * i];
  }
  normal.W = problem::SparseMatrix(pick * bed.W * problem::SparseMatrix(pick.transpose()));
  normal.cones = {{problem::ConeKind::nonnegative, 0, m, 0, 0}};
  return normal;
}

Index solve_to(const test::ConeMethod& method, const problem::ConeProblem& problem, Real tolerance,
               VecX& r) {
  r = VecX::Zero(problem.size());
  const auto judge = [&](const VecX& x) { return test::natural_map(problem, x) / tolerance; };
  const auto report = method.solve(problem, 50000, false, judge, {}, r);
  testing::Test::RecordProperty(method.name + std::to_string(problem.size()),
                                static_cast<int>(report.iterations));
  EXPECT_EQ(report.status, SolveStatus::converged) << method.name << ' ' << report.detail;
  return report.iterations;
}

// Beds of 343 and 1000 spheres without friction: MPRGP reaches a natural map of 1e-8 within 200
// iterations from zero, and the methods for every cone find the same velocities.
TEST(FrictionlessBed, MprgpNeedsLessThan200Iterations) {
  for (const int layers : {7, 10}) {
    const problem::ConeProblem problem = frictionless(settled_bed(layers, layers, layers, 400));
    ASSERT_GT(problem.size(), layers * layers * layers);
    VecX r, s;
    EXPECT_LE(solve_to(test::mprgp_method(), problem, 1e-8, r), 200) << layers;
    std::vector<test::ConeMethod> methods = test::cone_methods();
    methods.push_back(test::fischer_burmeister_method());
    for (const test::ConeMethod& method : methods) {
      if (method.name == "projected_jacobi") continue;  // thousands of iterations
      solve_to(method, problem, 1e-8, s);
      EXPECT_LE((problem.W * (r - s)).norm(), 1e-6 * (problem.W * r + problem.b).norm())
          << method.name;
    }
  }
}

// A bed of 125 spheres at rest with the associated law: Gauss–Seidel, plain and accelerated, APGD,
// SPG, ADMM and the interior point agree in velocities to 1e-6. (First-order methods converge
// sub-linearly on such beds; there are others on which some of them need more than 50 000 sweeps.)
TEST(RelaxedBed, MethodsAgreeInVelocities) {
  const problem::ConeProblem problem = test::relaxed(settled_bed(5, 5, 5, 1500, 7));
  VecX r, s;
  solve_to(test::cone_methods()[1], problem, 1e-8, r);
  const VecX u = problem.W * r + problem.b;
  for (const test::ConeMethod& method : test::cone_methods()) {
    if (method.name == "projected_jacobi") continue;
    solve_to(method, problem, 1e-8, s);
    EXPECT_LE((problem.W * s + problem.b - u).norm(), 1e-6 * u.norm()) << method.name;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
