#include <talus/stepping/detail/sleeping_moreau.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/certify/worse_of.hpp>

namespace talus::stepping::detail {

using problem::SolveStatus;

namespace {

/// Two steps of every so many, counted by the clock of the state: a resumed run has the same ones.
/// The first one stops a slow island, and only the second one's impulses carry it at rest.
bool is_time_to_rest(Real time, Real h) {
  constexpr Real kEvery = 64;
  return std::fmod(std::round(time / h), kEvery) < 2;
}

}  // namespace

SleepingMoreau::SleepingMoreau(const model::Model& model, const SchemeOptions& options)
    : MoreauScheme(model, options, MoreauRule::jean),
      sleepers_(step_contacts_.bodies(),
                machine_ ? machine_->links() : std::vector<collision::Pair>{}) {
  TALUS_DEMAND(options.theta == 1);
  if (!machine_) return;
  machine_at_rest_.emplace(model, step_contacts_.bodies(), MoreauRule::jean, options.theta);
  machine_->let_sleep();
  machine_at_rest_->let_sleep();
}

/// What a law of time moves in this step is awake before its velocities jump.
void SleepingMoreau::take_given_rates(model::State& state, Real h) {
  if (machine_ && !sleepers_.is_empty()) {
    wake_called(state.time, h);
    machine_->leave_out(sleepers_.asleep());
  }
  MoreauScheme::take_given_rates(state, h);
}

bool SleepingMoreau::solve(const model::State& state, Real h, StepReport& report) {
  if (!MoreauScheme::solve(state, h, report)) return false;
  report.iterations += look_for_rest(state.time, h);
  return true;
}

void SleepingMoreau::certify(Real /*h*/, StepReport& report) {
  judge(report);
  if (report.is_certified()) {
    bring_to_rest(report);
    is_advanced_ = false;
  }
  write_verdict(report);
  if (sleepers_.is_empty()) return;
  report.certificate =
      certify::worse_of(report.certificate, sleepers_.certificate(), own_contact_count());
  report.max_penetration = std::max(report.max_penetration, sleepers_.max_penetration());
  report.sleeping = sleepers_.body_count();
}

void SleepingMoreau::finish(model::State& state, Real h, StepReport& report) {
  MoreauScheme::finish(state, h, report);
  if (!report.is_certified() || is_pushed_ || !is_any_still(state)) return;
  std::vector<StepContact> contacts;
  for (Index c = 0; c < own_contact_count(); ++c) contacts.push_back(own_contact(c));
  fall_asleep(state, contacts, h);
}

void SleepingMoreau::leave_out() {
  still_.resize(problem_.bodies.size());
  for (std::size_t i = 0; i < still_.size(); ++i) {
    problem::BodyVelocity& body = problem_.bodies[i];
    const bool is_asleep = sleepers_.is_asleep(static_cast<Index>(i));
    if (is_asleep) body = {};
    if (is_asleep && !problem_.inverse_inertia.empty()) problem_.inverse_inertia[i].setZero();
    still_[i] = body.inverse_mass == 0 && body.v.isZero(0) && body.s.isZero(0) ? 1 : 0;
  }
  if (machine_) machine_->leave_out(sleepers_.asleep());
}

void SleepingMoreau::recall_rest(const model::State& state, Real h, const SchemeMemory& memory) {
  if (memory.step_size == 0) return;
  last_gravity_ = model_.gravity;
  fall_asleep(state, memory.contacts, memory.step_size);
  load(state, h);
}

SleepingIslands::Law SleepingMoreau::law_at_rest(Real h) const {
  return {bias_law(h), options_.law, options_.solver.directions, options_.solver.tolerance};
}

/// Wakes the one body where the other one is not still.
bool SleepingMoreau::wake_across(std::uint32_t a, std::uint32_t b) {
  bool has_woken = false;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
    if (sleepers_.is_asleep(one) && still_[other] == 0) {
      sleepers_.wake(one, woken_);
      has_woken = true;
    }
  return has_woken;
}

/// Wakes what something awake may touch, or holds in a machine, in this step.
bool SleepingMoreau::wake_touched() {
  if (sleepers_.is_empty()) return false;
  bool has_woken = false;
  for (const collision::Pair pair : step_contacts_.bodies().detector().persistent_pairs())
    has_woken = wake_across(pair.a, pair.b) || has_woken;
  for (const collision::Pair link : sleepers_.links())
    has_woken = wake_across(link.a, link.b) || has_woken;
  for (const collision::Contact& contact : others_)
    has_woken = wake_across(contact.a, contact.b) || has_woken;
  return has_woken;
}

/// Wakes what a law of time will move in this step.
void SleepingMoreau::wake_called(Real time, Real h) {
  machine_->find_called(time, h, called_);
  for (const Index body : called_)
    if (sleepers_.is_asleep(body)) {
      sleepers_.wake(body, woken_);
      is_layout_old_ = true;
    }
}

/// Wakes what has been moved from outside since the last step; all, if the step has another size or
/// the bodies another weight.
void SleepingMoreau::wake_changed(const model::State& state, Real h) {
  const Index before = sleepers_.island_count();
  if (h != last_step_size_ || model_.gravity != last_gravity_)
    sleepers_.wake_all(woken_);
  else
    sleepers_.wake_moved(state, woken_);
  last_gravity_ = model_.gravity;
  if (sleepers_.island_count() == before) return;
  is_layout_old_ = true;
  load(state, h);
}

/// Wakes machines that bodies have been pushed out of each other with.
void SleepingMoreau::wake_pushed() {
  const Index before = sleepers_.island_count();
  sleepers_.wake_moved(next_, woken_);
  if (sleepers_.island_count() == before) return;
  is_layout_old_ = true;
  machine_->leave_out(sleepers_.asleep());
}

/// An answer at the tolerance creeps a little where an exact one rests. So now and then one is
/// found that is far closer, if there is hope: a slow island. What has springs would swing on by as
/// much as the steps between err: machines are solved more closely in every step.
/// @return sweeps that it took.
Index SleepingMoreau::look_for_rest(Real time, Real h) {
  constexpr Real kSlow = 1e3, kTighter = 1e-3;  // times the tolerance
  constexpr Index kMostSweeps = 1000;
  if (!machine_ && !is_time_to_rest(time, h)) return 0;
  driver::Options tighter = options_.solver;
  if (solution_.report.status != SolveStatus::converged ||
      !sleepers_.is_any_slow(problem_, contact_pairs(), kSlow * tighter.tolerance,
                             solution_.velocity))
    return 0;
  tighter.tolerance *= kTighter;
  tighter.max_iterations = std::min(tighter.max_iterations, kMostSweeps);
  driver::RigidContactSolution closer;
  driver::solve(problem_, tighter, solution_.impulse, closer);
  const Index sweeps = closer.report.iterations;
  if (closer.certificate.meets(options_.solver.tolerance)) {
    closer.report = solution_.report;
    solution_ = std::move(closer);
  }
  return sweeps;
}

/// Where rest is an answer within the tolerance it is taken, and certified like any other.
void SleepingMoreau::bring_to_rest(StepReport& report) {
  const Real tolerance = options_.solver.tolerance;
  restless_.assign(problem_.bodies.size(), 0);
  if (machine_) machine_->find_driven(problem_.rows, solution_.impulse.row, restless_);
  if (!sleepers_.bring_to_rest(problem_, contact_pairs(), tolerance, restless_, solution_.impulse,
                               solution_.velocity))
    return;
  solution_.certificate = certify::certify(problem_, solution_.impulse, solution_.velocity);
  if (solution_.certificate.meets(tolerance)) return;
  report.status = SolveStatus::stalled;
  report.detail = "islands at rest are within the tolerance one by one, and not together";
}

/// The machine in the step of size h that starts at a state, with the impulses of the last one.
SleepingIslands::NextMachine SleepingMoreau::next_machine(const model::State& state, Real h) {
  problem_at_rest_.clear();
  step_contacts_.bodies().load_free(state, h, options_.theta, problem_at_rest_);
  machine_at_rest_->leave_out(sleepers_.asleep());
  machine_at_rest_->start(state, h);
  machine_at_rest_->add_forces(state, problem_at_rest_);
  machine_at_rest_->add_rows(state, options_.error_reduction, problem_at_rest_,
                             impulse_at_rest_.row);
  impulse_at_rest_.row = machine_at_rest_->last_impulses();
  // The bounds of dry friction are those of these reactions.
  machine_at_rest_->friction_bounds(impulse_at_rest_, bounds_at_rest_);
  machine_at_rest_->set_friction_bounds(bounds_at_rest_, problem_at_rest_);
  restless_.assign(problem_at_rest_.bodies.size(), 0);
  machine_at_rest_->find_driven(problem_at_rest_.rows, impulse_at_rest_.row, restless_);
  machine_at_rest_->find_open(restless_);
  return {problem_at_rest_, impulse_at_rest_.row, restless_};
}

/// Puts to sleep what rests in a state and would in the step of size h from there.
/// @param contacts of the step that led there.
void SleepingMoreau::fall_asleep(const model::State& state, std::span<const StepContact> contacts,
                                 Real h) {
  bool has_slept = false;
  if (machine_) {
    const SleepingIslands::NextMachine machine = next_machine(state, h);
    has_slept = sleepers_.fall_asleep(state, contacts, law_at_rest(h), &machine);
  } else {
    has_slept = sleepers_.fall_asleep(state, contacts, law_at_rest(h), nullptr);
  }
  if (has_slept) is_layout_old_ = true;
}

/// Whether some body that forces move lies still in a state after a step.
bool SleepingMoreau::is_any_still(const model::State& state) const {
  for (Index i = 0; i < model_.body_count(); ++i)
    if (problem_.bodies[i].inverse_mass > 0 && state.velocity[i].isZero(0) &&
        state.angular_velocity[i].isZero(0))
      return true;
  return false;
}

}  // namespace talus::stepping::detail
