#include <algorithm>

#include <talus/base/error.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/problem/convert_mlcp.hpp>
#include <talus/stepping/implicit_step.hpp>

namespace talus::stepping {
namespace {

using problem::SolveStatus;

PolyhedralAnswer failed(const std::string& detail, Index rows) {
  PolyhedralAnswer answer;
  answer.impulse = VecX::Zero(rows);
  answer.report.status = SolveStatus::numerical_error;
  answer.report.detail = detail;
  return answer;
}

bool is_finite(const problem::Mlcp& p) {
  return p.A.allFinite() && p.B.allFinite() && p.C.allFinite() && p.D.allFinite() &&
         p.a.allFinite() && p.b.allFinite();
}

/// Solves (the mixed LCP through the LCP where there are no equations) and returns (x, z).
driver::MlcpSolution solve_by_class(const problem::Mlcp& mlcp, const driver::Options& options) {
  if (mlcp.free_count() > 0) return driver::solve(mlcp, options);
  driver::LcpSolution inner = driver::solve(problem::Lcp{mlcp.B, mlcp.b}, options);
  return {VecX(0), std::move(inner.z), std::move(inner.w), std::move(inner.report),
          inner.certificate};
}

}  // namespace

PolyhedralAnswer solve_polyhedral(const problem::PolyhedralContact& problem,
                                  const driver::Options& asked, LcpStatistics& statistics) {
  const Index rows = problem.b.size();
  const problem::PolyhedralMlcp form = problem::to_mlcp(problem);
  const problem::Mlcp& mlcp = form.mlcp;
  if (!is_finite(mlcp)) return failed("the LCP of the step is not finite", rows);
  PolyhedralAnswer answer;
  if (rows == 0) {
    answer.report.status = SolveStatus::converged;
    answer.certificate.is_finite = true;
    answer.impulse = VecX(0);
    return answer;
  }
  driver::Options options = asked;
  options.solver = "lemke";
  driver::MlcpSolution solution;
  try {
    solution = solve_by_class(mlcp, options);
  } catch (const InputError& error) {  // the constraints depend on each other: no wrong input here
    return failed("bilateral constraints: " + error.diagnostics().front().message, rows);
  }
  answer.report = std::move(solution.report);
  answer.certificate = solution.certificate;
  Index& worst = answer.certificate.worst_contact;
  if (worst >= 0) worst = form.owner[worst];
  answer.impulse.resize(rows);
  answer.impulse << solution.x, form.impulse * solution.z;

  LcpStatistics one;
  one.count = 1;
  one.largest = mlcp.complementary_count();
  one.pivots = one.most_pivots = answer.report.iterations;
  one.residual = solution.z.cwiseMin(solution.w).norm() / (1 + mlcp.b.norm());
  one.cone_violation = problem::cone_violation(problem, solution.z);
  if (answer.report.status != SolveStatus::converged)
    one.unsolved = std::make_shared<problem::Lcp>(problem::eliminate_free(mlcp).lcp);
  statistics.add(one);
  return answer;
}

}  // namespace talus::stepping
