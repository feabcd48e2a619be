#include <talus/stepping/detail/moreau_step.hpp>

#include <talus/base/contract.hpp>

namespace talus::stepping::detail {

using problem::SolveStatus;

StepReport MoreauStep::step(model::State& state, Real h) {
  TALUS_DEMAND(h > 0);
  StepReport report;
  if (step_in_parts(state, h, report)) return report;
  take_given_rates(state, h);
  start(state, h);
  bool is_made = false;
  do is_made = attempt(state, h, report);
  while (is_made && has_stretched(state, report));
  if (is_made)
    finish(state, h, report);
  else
    give_back(state);
  measure(state, report);
  return report;
}

bool MoreauStep::attempt(const model::State& state, Real h, StepReport& report) {
  do form_problem(state, h);
  while (solve(state, h, report) && has_missed(state, h));
  bound_restitution(h, report);
  certify(h, report);
  if (report.status == SolveStatus::numerical_error) return false;
  if (move(state, h)) return correct(state, h, report);
  report.status = SolveStatus::numerical_error;
  report.detail = "the state after the step is not finite";
  return false;
}

}  // namespace talus::stepping::detail
