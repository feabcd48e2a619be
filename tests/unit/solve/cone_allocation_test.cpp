#include <gtest/gtest.h>

#include "support/cone_problems.hpp"
#include "support/malloc_counter.hpp"
#include "unit/solve/cone_solvers.hpp"

namespace talus {
namespace {

using problem::ConeKind;
using test::known_problem;

// An iteration takes no memory from the heap: a long run allocates as often as a short one. ADMM
// may allocate where it factorises anew, and keeps its penalty here.
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
    if (method.name == "admm")
      method.solve = [](const problem::ConeProblem& problem, Index max_iterations,
                        solve::Statistics* statistics, const solve::Judge& judge,
                        const solve::StopRequest& should_stop, VecX& r) {
        solve::AdmmOptions options;
        options.max_iterations = max_iterations;
        options.max_factorisations = 1;
        options.statistics = statistics;
        return solve::admm(problem, options, judge, should_stop, r);
      };
    const problem::ConeProblem& problem = method.name == "mprgp" ? bounded.problem : every.problem;
    const auto allocations = [&](Index iterations) {
      VecX r = VecX::Zero(problem.size());
      solve::Statistics statistics;
      Real merit = 1e9;
      const solve::Judge judge = [&](const VecX&) { return merit *= 0.99; };  // every x is better
      const long before = test::malloc_count;
      const auto report = method.solve(problem, iterations, &statistics, judge, {}, r);
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

}  // namespace
}  // namespace talus
