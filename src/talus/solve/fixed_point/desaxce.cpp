#include <talus/solve/fixed_point/desaxce.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include <talus/base/contract.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/solve/detail/stopping_rule.hpp>

namespace talus::solve {
namespace {

/// Natural maps of the scaled problem; the scale per contact leaves μ and the shift's form alone.
struct Residuals {
  explicit Residuals(const problem::ConeProblem& problem)
      : scaled(problem), x(problem.size()), u(problem.size()), work(problem.size()) {}

  detail::ScaledCones scaled;
  VecX x, u, work;

  /// Of Coulomb's law at r; writes the shift s, in original units, on the normal rows of `shift`.
  Real coulomb(const VecX& r, VecX& shift) {
    scaled.to_scaled(r, x);
    scaled.velocity(x, u);
    for (const problem::Cone& cone : scaled.cones) {
      const Index i = cone.first;
      const Real s = cone.friction * u.segment(i + 1, cone.size - 1).norm();
      u[i] += s;
      shift[i] = scaled.gamma * s / scaled.scale[i];
    }
    return scaled.natural_map(x, u, work);
  }

  /// Of the cone problem with b + shift.
  Real cone(const VecX& r, const VecX& shift) {
    scaled.to_scaled(r, x);
    scaled.velocity(x, u);
    for (const problem::Cone& cone : scaled.cones)
      u[cone.first] += shift[cone.first] * scaled.scale[cone.first] / scaled.gamma;
    return scaled.natural_map(x, u, work);
  }
};

}  // namespace

problem::SolveReport desaxce(const problem::FrictionContact& problem, const DesaxceOptions& options,
                             const ConeSolver& inner, const ExternalResidual& external_residual,
                             const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(external_residual != nullptr && inner != nullptr && r.size() == problem.b.size());
  TALUS_DEMAND(problem.dimension == 2 || problem.dimension == 3);
  const Real first = external_residual(r);
  if (first <= 1) return detail::solved_at_start(options.keep_history);
  problem::ConeProblem cones = problem::to_cone_problem(problem).problem;
  Residuals residuals(cones);
  detail::StoppingRule rule(residuals.scaled, first, options.max_iterations, options.keep_history,
                            external_residual, should_stop, r);

  VecX x, candidate = r, last, shift = VecX::Zero(problem.b.size());
  Index inner_iterations = 0;
  Real residual = residuals.coulomb(candidate, shift);
  rule.count() += {1, 1, 0};
  residuals.scaled.to_scaled(candidate, x);
  while (rule.should_continue(x, residual)) {
    const Real tolerance = std::max(options.smallest, options.tightening * residual);
    const ExternalResidual inner_residual = [&](const VecX& trial) {
      return residuals.cone(trial, shift) / tolerance;
    };
    // K ∋ r ⟂ W r + (b + s n) ∈ K* with s = μ‖u_T‖ frozen: the fixed point of `acary_2011`.
    cones.b = problem.b + shift;
    last = candidate;
    const problem::SolveReport report = inner(cones, inner_residual, should_stop, candidate);
    inner_iterations += report.iterations;
    rule.count() += report.counts;
    residual = residuals.coulomb(candidate, shift);  // û of `desaxce_1998`, and the next s
    rule.count() += {1, 1, 0};
    residuals.scaled.to_scaled(candidate, x);
    if (candidate == last) {
      rule.stop(x, report.status == problem::SolveStatus::interrupted
                       ? report.status
                       : problem::SolveStatus::stalled);
      break;
    }
  }
  problem::SolveReport report = rule.report();
  report.detail = std::to_string(report.iterations) + " cone problems, " +
                  std::to_string(inner_iterations) + " iterations in them";
  return report;
}

}  // namespace talus::solve
