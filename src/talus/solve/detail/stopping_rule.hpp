#pragma once

#include <limits>

#include <talus/problem/solution.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/detail/scaled_cones.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve::detail {

/// When an iteration on a scaled cone problem stops: keeps the iterate with the smallest external
/// residual, and writes the report.
///
/// The external residual costs about a product with W. It is evaluated when the iteration's own
/// residual has fallen to where, in proportion, the external one should be within tolerance (at
/// most ten times lower than at the last evaluation), every 100 iterations, and at the end.
class StoppingRule {
 public:
  /// @param first the external residual of `answer`, the start, above 1. All references must
  /// outlive this.
  StoppingRule(const ScaledCones& problem, Real first, Index max_iterations, bool keep_history,
               const ExternalResidual& external_residual, const StopRequest& should_stop,
               VecX& answer);

  /// Whether to continue from x, whose own residual is given: true begins one more iteration.
  /// @param energy ½ xᵀWx + bᵀx where the method computes it.
  [[nodiscard]] bool should_continue(const VecX& x, Real residual,
                                     Real energy = std::numeric_limits<Real>::quiet_NaN());

  /// Ends the run at x because the method cannot continue: converged if the external residual is
  /// within tolerance, else the status given.
  void stop(const VecX& x, problem::SolveStatus status);

  [[nodiscard]] problem::SolveReport report() const;
  [[nodiscard]] Index iterations() const { return iterations_; }

  /// To be added to by the iteration.
  problem::SolveCounts& count() { return counts_; }

 private:
  void check(const VecX& x);

  const ScaledCones& problem_;
  Index max_iterations_;
  const ExternalResidual& external_residual_;
  const StopRequest& should_stop_;
  problem::SolveCounts counts_;
  History history_;
  VecX& answer_;
  VecX candidate_;
  Real best_;
  Real residual_ = 0, smallest_ = std::numeric_limits<Real>::infinity(), gate_ = 0;
  Index iterations_ = 0, last_checked_ = 0, last_progress_ = 0;
  problem::SolveStatus status_ = problem::SolveStatus::not_run;
};

/// The report of a solve whose start is a solution; its own residual is not evaluated.
[[nodiscard]] inline problem::SolveReport solved_at_start(bool keep_history) {
  problem::SolveReport report{problem::SolveStatus::converged, 0, 0, "the start is a solution"};
  if (keep_history) report.history.residual = {0};
  return report;
}

}  // namespace talus::solve::detail
