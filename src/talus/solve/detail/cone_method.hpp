#pragma once

#include <talus/base/contract.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/detail/scaled_cones.hpp>
#include <talus/solve/detail/stopping_rule.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve::detail {

/// What all methods for cone problems share: a start that is a solution is returned as it is;
/// otherwise the problem is scaled, the method is run under a stopping rule, and its report is
/// written.
/// @param options with max_iterations and keep_history. @param external_residual must not be empty.
/// @param r n, in: the start; out: the iterate with the smallest external residual.
/// @param method method(scaled, rule), the loop.
template <class Options, class Method>
[[nodiscard]] problem::SolveReport run_cone_method(const problem::ConeProblem& problem,
                                                   const Options& options,
                                                   const ExternalResidual& external_residual,
                                                   const StopRequest& should_stop, VecX& r,
                                                   Method&& method) {
  TALUS_DEMAND(external_residual != nullptr && r.size() == problem.size());
  const Real first = external_residual(r);
  if (first <= 1) return solved_at_start(options.keep_history);
  const ScaledCones scaled(problem);
  StoppingRule rule(scaled, first, options.max_iterations, options.keep_history, external_residual,
                    should_stop, r);
  method(scaled, rule);
  return rule.report();
}

/// A start r as a point of the cones, x = P_K(S⁻¹ r/γ), and its velocity u = W̃ x + b̃.
inline void start_feasible(const ScaledCones& scaled, StoppingRule& rule, const VecX& r, VecX& x,
                           VecX& u) {
  scaled.to_scaled(r, x);
  scaled.project(x);
  u.resize(scaled.size());
  scaled.velocity(x, u);
  ++rule.count().products;
}

/// The energy ½ xᵀW̃x + b̃ᵀx, from u = W̃ x + b̃.
[[nodiscard]] inline Real energy(const ScaledCones& scaled, const VecX& x, const VecX& u) {
  return x.dot(u + scaled.b) / 2;
}

}  // namespace talus::solve::detail
