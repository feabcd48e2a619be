#include <talus/stepping/detail/contact_scheme.hpp>

#include <utility>

namespace talus::stepping::detail {

using problem::SolveStatus;

std::optional<problem::GlobalFrictionContact> global_problem(const problem::RigidContact& problem) {
  if (problem.bodies.empty() || !problem.resistance.empty() || !problem.rows.empty())
    return std::nullopt;
  return problem::to_global(problem);
}

std::optional<problem::GlobalFrictionContact> ContactScheme::last_problem() const {
  return global_problem(problem_);
}

model::State ContactScheme::advance(const model::State& state, std::span<const Vec3> mean_velocity,
                                    Real h) const {
  model::State next = state;
  next.velocity = velocity_;
  next.angular_velocity = angular_velocity_;
  move_bodies(model_, mean_velocity, h, next);
  next.time = state.time + h;
  return next;
}

void ContactScheme::take(model::State next, model::State& state, StepReport& report) const {
  if (!next.is_finite()) report.status = SolveStatus::numerical_error;
  if (report.status != SolveStatus::numerical_error)
    state = std::move(next);
  else if (report.detail.empty())
    report.detail = "the state after the step is not finite";
  report.energy = dynamics::energy(model_, state);
}

}  // namespace talus::stepping::detail
