#include <talus/stepping/detail/moreau_scheme.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/certify/rigid_contact_residual.hpp>

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

Sleepers::Law MoreauScheme::law_at_rest(Real h) const {
  return {{h, options_.theta, options_.error_reduction, options_.slop},
          options_.law,
          options_.solver.directions,
          options_.solver.tolerance};
}

/// Wakes the one body where the other one is not still.
bool MoreauScheme::wake_across(std::uint32_t a, std::uint32_t b) {
  bool has_woken = false;
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)})
    if (sleepers_->is_asleep(one) && still_[other] == 0) {
      sleepers_->wake(one, woken_);
      has_woken = true;
    }
  return has_woken;
}

/// Wakes what something awake may touch in this step.
bool MoreauScheme::wake_touched() {
  if (sleepers_->is_empty()) return false;
  bool has_woken = false;
  for (const collision::Pair pair : step_contacts_.bodies().detector().tracked_pairs())
    has_woken = wake_across(pair.a, pair.b) || has_woken;
  for (const collision::Contact& contact : others_)
    has_woken = wake_across(contact.a, contact.b) || has_woken;
  return has_woken;
}

/// Wakes what has been moved from outside since the last step; all, if the step has another size.
void MoreauScheme::wake_changed(const model::State& state, Real h) {
  const Index before = sleepers_->island_count();
  if (h != last_step_size_)
    sleepers_->wake_all(woken_);
  else
    sleepers_->wake_moved(state, woken_);
  if (sleepers_->island_count() == before) return;
  is_layout_old_ = true;
  load(state, h);
}

/// An answer at the tolerance creeps a little where an exact one rests. So now and then one is
/// found that is far closer, if there is hope: a slow island.
/// @return sweeps that it took.
Index MoreauScheme::look_for_rest(Real time, Real h) {
  constexpr Real kSlow = 1e3, kTighter = 1e-3;  // times the tolerance
  constexpr Index kMostSweeps = 1000;
  if (!is_time_to_rest(time, h)) return 0;
  driver::Options tighter = options_.solver;
  if (solution_.report.status != SolveStatus::converged ||
      !sleepers_->is_any_slow(problem_, contact_pairs(), kSlow * tighter.tolerance,
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
void MoreauScheme::bring_to_rest(StepReport& report) {
  const Real tolerance = options_.solver.tolerance;
  if (!sleepers_->bring_to_rest(problem_, contact_pairs(), tolerance, solution_.velocity)) return;
  solution_.certificate = certify::certify(problem_, solution_.impulse, solution_.velocity);
  if (solution_.certificate.meets(tolerance)) return;
  report.status = SolveStatus::stalled;
  report.detail = "islands at rest are within the tolerance one by one, and not together";
}

void MoreauScheme::fall_asleep(const model::State& state, Real h) {
  bool is_any_still = false;
  for (Index i = 0; i < model_.body_count() && !is_any_still; ++i)
    is_any_still = problem_.bodies[i].inverse_mass > 0 && state.velocity[i].isZero(0) &&
                   state.angular_velocity[i].isZero(0);
  if (!is_any_still) return;
  std::vector<StepContact> contacts;
  for (Index c = 0; c < own_contact_count(); ++c) contacts.push_back(own_contact(c));
  if (sleepers_->fall_asleep(state, contacts, law_at_rest(h))) is_layout_old_ = true;
}

}  // namespace talus::stepping::detail
