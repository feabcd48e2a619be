#include <gtest/gtest.h>

#include <talus/solve/interior_point/ipm.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

#include "support/cone_problems.hpp"
#include "support/contact_problems.hpp"
#include "support/malloc_counter.hpp"
#include "unit/solve/cone_solvers.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::ConeKind;
using test::known_problem;

// An iteration takes no memory from the heap: a long run allocates as often as a short one. ADMM
// may allocate where it factorises anew, and keeps its penalty here; the interior point factorises
// in every step, and is left out.
TEST(Iterations, DoNotAllocate) {
  if (!test::malloc_is_counted()) GTEST_SKIP() << "malloc is not counted in this build";
  Random random(31);
  std::vector<problem::Cone> mixed = test::friction_cones(random, 8, 3, 1);
  mixed.push_back({ConeKind::friction, 0, 2, 0.4, 0});
  mixed.push_back({ConeKind::rolling, 0, 5, 0.4, 0.1});
  mixed.push_back({ConeKind::box, 0, 6, 0, 0});
  mixed.push_back({ConeKind::nonnegative, 0, 6, 0, 0});
  const test::KnownProblem every = known_problem(random, mixed, 35);
  const test::KnownProblem bounded =
      known_problem(random, {{ConeKind::box, 0, 30, 0, 0}, {ConeKind::free, 0, 6, 0, 0}}, 30);
  std::vector<test::ConeMethod> methods = test::cone_methods();
  methods.push_back(test::mprgp_method());
  for (test::ConeMethod& method : methods) {
    if (method.name == "ipm") continue;
    if (method.name == "admm")
      method.solve = [](const problem::ConeProblem& problem, Index max_iterations,
                        bool keep_history, const solve::ExternalResidual& judge,
                        const solve::StopRequest& should_stop, VecX& r) {
        solve::AdmmOptions options;
        options.max_iterations = max_iterations;
        options.max_factorisations = 1;
        options.keep_history = keep_history;
        return solve::admm(problem, options, judge, should_stop, r);
      };
    const problem::ConeProblem& problem = method.name == "mprgp" ? bounded.problem : every.problem;
    const auto allocations = [&](Index iterations) {
      VecX r = VecX::Zero(problem.size());
      Real merit = 1e9;
      const solve::ExternalResidual judge = [&](const VecX&) {
        return merit *= 0.99;
      };  // every x is better
      const long before = test::malloc_count;
      const auto report = method.solve(problem, iterations, true, judge, {}, r);
      const long after = test::malloc_count;
      EXPECT_EQ(report.iterations, iterations) << method.name;
      return after - before;
    };
    const long few = allocations(4), many = allocations(20);
    EXPECT_GT(few, 0) << "the counter counts";
    EXPECT_LE(many, few + 3) << method.name << ": histories are reserved, the report has a string";
    EXPECT_GE(many, few) << method.name;
  }
}

/// Contacts that are all pressed together, so that none opens on the way.
problem::FrictionContact pressed(Index dimension) {
  Random random(7);
  problem::FrictionContact problem = test::random_local(random, dimension, 8, 12, 0.8);
  for (Index i = 0; i < problem.b.size(); i += dimension) problem.b[i] -= 20;
  return problem;
}

// Nor does a step of the proximal Newton method or of the interior point, once the pattern of the
// factors has been found, with and without a history.
TEST(Iterations, OfNewtonAndInteriorPointDoNotAllocate) {
  if (!test::malloc_is_counted()) GTEST_SKIP() << "malloc is not counted in this build";
  for (const Index dimension : {2, 3}) {
    const problem::FrictionContact problem = pressed(dimension);
    for (const bool keep_history : {false, true})
      for (const std::string name : {"ipm", "alart_curnier", "lagged_desaxce"}) {
        solve::ProximalNewton newton;
        newton.start(problem);
        const auto allocations = [&](Index steps) {
          VecX r = newton.uniform_pressure();
          Real merit = 1e9;
          const solve::ExternalResidual judge = [&](const VecX&) { return merit *= 0.99; };
          problem::SolveReport report;
          const long before = test::malloc_count;
          if (name == "ipm") {
            solve::IpmOptions options;
            options.max_factorisations = steps;
            options.keep_history = keep_history;
            report = solve::ipm(problem, options, judge, {}, r);
          } else {
            solve::ProximalNewtonOptions options;
            options.max_factorisations = steps;
            options.regularisation = 1;  // many short outer steps
            options.decrease = 0.5;
            options.keep_history = keep_history;
            if (name == "lagged_desaxce") options.equation = solve::ContactEquation::lagged_desaxce;
            report = newton.run(options, judge, {}, r);
          }
          const long after = test::malloc_count;
          EXPECT_EQ(report.iterations, steps) << name << ' ' << dimension;
          return after - before;
        };
        (void)allocations(2);  // finds the pattern, which a second run keeps
        const long few = allocations(2), many = allocations(10);
        EXPECT_GT(few, 0) << "the counter counts";
        EXPECT_EQ(many, few) << name << ' ' << dimension << " history " << keep_history;
      }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
