#include <talus/stepping/detail/moreau_step.hpp>

#include <talus/base/contract.hpp>

namespace talus::stepping::detail {

using problem::SolveStatus;

StepReport MoreauStep::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0);
  StepReport report;
  start(state, h);
  do form_problem(state, h);
  while (solve(state, h, report) && has_missed(state, h));
  bound_restitution(h, report);
  certify(h, report);
  if (report.status != SolveStatus::numerical_error) {
    if (move(state, h)) {
      if (correct(state, h, report)) finish(state, h, report);
    } else {
      report.status = SolveStatus::numerical_error;
      report.detail = "the state after the step is not finite";
    }
  }
  measure(state, report);
  return report;
}

}  // namespace talus::stepping::detail
