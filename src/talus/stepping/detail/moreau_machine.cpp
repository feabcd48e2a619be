#include <talus/problem/solution.hpp>
#include <talus/stepping/detail/bounded_restitution.hpp>
#include <talus/stepping/detail/moreau_scheme.hpp>

// Moreau's schemes with a machine: its rows in the problem of the step, its laws in the solve, its
// joints in the verdict.

namespace talus::stepping::detail {

using problem::SolveStatus;

void MoreauScheme::take_given_rates(model::State& state, Real h) {
  velocity_before_.clear();
  const bool is_given =
      machine_ && (!machine_->terms().machine().drives.empty() || !model_.motions.empty());
  if (!takes_rates_ || !is_given) return;
  velocity_before_ = state.velocity;
  spin_before_ = state.angular_velocity;
  machine_->take_given_rates(state, h);
}

void MoreauScheme::give_back(model::State& state) {
  if (velocity_before_.empty()) return;
  state.velocity = velocity_before_;
  state.angular_velocity = spin_before_;
}

/// Takes the machine's rows and forces where the rule does.
void MoreauScheme::load_machine(const model::State& state, Real h) {
  machine_->start(state, h);
  place_ = &state;
  if (middle_) place_ = &middle_->state();
  if (!middle_ && options_.theta < 1) {
    // What is not finite there is not at the end of the step, which is looked at.
    (void)step_contacts_.bodies().coast(state, (1 - options_.theta) * h, coasted_);
    place_ = &coasted_;
  }
  machine_->add_forces(*place_, problem_);
  machine_->add_rows(*place_, options_.error_reduction, problem_, solution_.impulse.row);
}

/// Solves the problem of the step as it is.
/// @param is_first of the step: what is solved again keeps the answers of islands that stay as they
/// are.
void MoreauScheme::solve_set_valued(const driver::Options& options, bool is_first) {
  if (is_first)
    driver::solve(problem_, options, solution_.impulse, solution_);
  else
    driver::solve_again(problem_, options, solution_);
  if (machine_) settle_machine(options, true);
}

/// Solves again, until dry friction of joints is a fixed point of its bounds; all solves share the
/// iterations of the first one.
/// @param may_meet whether limits become rows that an answer passes.
void MoreauScheme::settle_machine(const driver::Options& options, bool may_meet) {
  const auto add_rows = [&] {
    machine_->add_rows(*place_, options_.error_reduction, problem_, solution_.impulse.row);
  };
  const auto solve = [&](Real share) {
    const Index iterations = solution_.report.iterations;
    driver::Options closer = options;
    closer.tolerance *= share;
    closer.max_iterations -= iterations;
    if (closer.max_iterations < 1) return false;
    driver::solve_again(problem_, closer, solution_);
    solution_.report.iterations += iterations;
    if (solution_.report.status == SolveStatus::interrupted) return false;
    if (share == 1 || !solution_.certificate.meets(options.tolerance)) return true;
    solution_.report.status = SolveStatus::converged;
    solution_.report.detail.clear();
    solution_.unanswered.clear();
    return true;
  };
  const Real tolerance = options.tolerance;
  if (may_meet ? settler_.settle(*machine_, tolerance, problem_, solution_, add_rows, solve)
               : settler_.settle_friction(*machine_, tolerance, problem_, solution_, solve))
    return;
  if (solution_.report.status == SolveStatus::interrupted) return;
  solution_.report.status = SolveStatus::stalled;
  solution_.report.detail = kUnsettledFriction;
}

/// Takes back what the step has left open of the constraints, and in the midpoint rule, which
/// would reflect them, what they miss of their rates.
void MoreauScheme::restore_joints(bool has_play) {
  projection_ = machine_->project(next_, has_play);
  if (middle_ && projection_.status == SolveStatus::converged)
    projection_ = machine_->project_velocity(next_);
}

/// No step is certified in which what moves springs of axes beside their forces raises the energy.
void MoreauScheme::judge_springs(StepReport& report) {
  if (!report.is_certified() ||
      !winds_springs_up(
          problem_, [&] { return move_alone(); }, solution_, options_.solver.tolerance, turns(),
          machine_->wound_springs(next_)))
    return;
  report.status = SolveStatus::stalled;
  report.detail = "what moves bodies out of each other winds springs up";
}

/// Whether springs of axes have been moved by what keeps joints closed, takes penetration back, or
/// axes back to their limits: the rows of the step are written anew with where the axes have come
/// to.
bool MoreauScheme::has_stretched(const model::State& state, StepReport& report) {
  constexpr int kMostRounds = 10;
  if (!middle_ || !machine_) return false;
  if (!machine_->has_stretched(next_, solution_.velocity)) {
    judge_springs(report);
    return false;
  }
  if (++stretches_ > kMostRounds) {
    if (report.is_certified()) report.status = SolveStatus::stalled;
    if (report.detail.empty())
      report.detail = "springs and what moves bodies out of each other do not settle";
    return false;
  }
  machine_->start_again(state);
  machine_->add_rows(*place_, options_.error_reduction, problem_, solution_.impulse.row);
  return true;
}

/// Who it was, where a row misses its law most.
void MoreauScheme::name_worst(StepReport& report) {
  const Index row = report.certificate.worst_contact - problem_.contact_count();
  if (row < 0) return;
  if (!report.is_certified()) machine_->add_name(row, report.detail);
  report.certificate.worst_contact = -1;
}

/// No step is certified whose joints stay open, or whose angles are lost.
void MoreauScheme::judge_joints(StepReport& report) {
  report.joints = machine_->judge(next_, solution_.velocity);
  if (!report.is_certified()) return;
  const std::string why =
      projection_.status == SolveStatus::converged ? machine_->lost_angle() : projection_.detail;
  if (why.empty()) return;
  report.status = SolveStatus::stalled;
  report.detail = why;
}

void MoreauScheme::report_machine() const {
  if (is_reported_) return;
  is_reported_ = true;
  reactions_.clear();
  axes_.clear();
  if (has_reactions_) machine_->report(solution_.impulse, contacts(), reactions_, axes_);
}

std::span<const dynamics::Reaction> MoreauScheme::reactions() const {
  report_machine();
  return reactions_;
}

std::span<const dynamics::AxisReaction> MoreauScheme::axes() const {
  report_machine();
  return axes_;
}

}  // namespace talus::stepping::detail
