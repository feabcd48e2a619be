#include <gtest/gtest.h>

#include "support/cone_problems.hpp"
#include "support/contact_problems.hpp"
#include "unit/solve/cone_solvers.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

solve::ConeSolver inner_of(const test::ConeMethod& method) {
  return [method](const problem::ConeProblem& problem, const solve::ExternalResidual& judge,
                  const solve::StopRequest& should_stop,
                  VecX& r) { return method.solve(problem, 20000, false, judge, should_stop, r); };
}

class Desaxce : public testing::TestWithParam<test::ConeMethod> {};
INSTANTIATE_TEST_SUITE_P(Solve, Desaxce, testing::ValuesIn(test::cone_methods()),
                         [](const auto& the) { return the.param.name; });

// The fixed point of the shift solves exact Coulomb friction, 2-D and 3-D, whatever method solves
// the cone problems: no contact that slides separates (as the relaxation makes it do).
TEST_P(Desaxce, SolvesCoulombProblems) {
  Random random(21);
  for (int k = 0; k < 6; ++k) {
    const Index d = 2 + k % 2;
    const problem::FrictionContact problem = test::random_local(random, d, 6, 10, 0.7);
    const solve::ExternalResidual judge = [&](const VecX& r) {
      return test::coulomb_natural_map(problem, r) / GetParam().reach;
    };
    VecX r = VecX::Zero(problem.b.size());
    const auto report = solve::desaxce(problem, {}, inner_of(GetParam()), judge, {}, r);
    EXPECT_EQ(report.status, SolveStatus::converged) << k << ' ' << report.detail;
    const VecX u = problem.W * r + problem.b;
    for (Index i = 0; i < problem.contact_count(); ++i)
      EXPECT_LE(std::abs(u[d * i] * r[d * i]), 1e-6 * problem.b.norm() * r.norm());
  }
}

// Started at its own answer it takes no iteration; stopped at once it says interrupted.
TEST(DesaxceStart, NoIterationAtASolutionAndNoneWhenStopped) {
  Random random(22);
  const problem::FrictionContact problem = test::random_local(random, 3, 6, 8, 0.5);
  const solve::ConeSolver inner = inner_of(test::cone_methods().front());
  const auto judge = [&](Real tolerance) -> solve::ExternalResidual {
    return [&problem, tolerance](const VecX& r) {
      return test::coulomb_natural_map(problem, r) / tolerance;
    };
  };
  VecX r = VecX::Zero(24);
  const auto stopped = solve::desaxce(
      problem, {}, inner, judge(1e-9), [] { return true; }, r);
  EXPECT_EQ(stopped.status, SolveStatus::interrupted);
  EXPECT_EQ(stopped.iterations, 0);
  ASSERT_EQ(solve::desaxce(problem, {}, inner, judge(1e-9), {}, r).status, SolveStatus::converged);
  const VecX before = r;
  const auto again = solve::desaxce(problem, {}, inner, judge(1e-9), {}, r);
  EXPECT_EQ(again.status, SolveStatus::converged);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(r, before);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
