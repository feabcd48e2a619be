#include <algorithm>
#include <atomic>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/stepping/detail/moreau_scheme.hpp>

// Steps of many balls at rest on several ranks: each rank does what the bodies and contacts that it
// has take, and nothing is made known to all but numbers that decide.

namespace talus::stepping::detail {

/// Whether the next step may be one in parts: of balls and planes, with the contacts, the impulses
/// and the step size of the last one.
bool MoreauScheme::may_step_in_parts(const model::State& state, Real h) const {
  const std::shared_ptr<distribute::Deal>& deal = problem_.central.deal;
  return are_parts_allowed_ && deal != nullptr && &deal->ranks() == distribute::ranks() &&
         !step_contacts_.bodies().has_transient() && !machine_ && !middle_ && !has_restitution_ &&
         !may_raise_ && options_.theta == 1 && still_.empty() && !model_.cell.is_periodic() &&
         model_.dimension == 3 && h == last_step_size_ && !recalled_ && woken_.empty() &&
         !is_layout_old_ && (state.deal == nullptr || state.deal == deal);
}

bool MoreauScheme::step_in_parts(model::State& state, Real h, StepReport& report) {
  if (may_step_in_parts(state, h)) {
    const bool was_complete = state.deal == nullptr;
    state.deal = problem_.central.deal;
    if (take_part(state, h, report)) {
      std::swap(state, next_);
      deal_ = state.deal;
      ++deal_->ranks().work().steps_in_parts;
      report.energy = step_contacts_.bodies().energy(state);
      return true;
    }
    report = {};
    if (was_complete) state.deal = nullptr;
  }
  state.complete();
  complete_impulses();
  return false;
}

/// @return whether there is a step, into next_; where not, on any rank, nothing is lost.
bool MoreauScheme::take_part(const model::State& state, Real h, StepReport& report) {
  const dynamics::RigidBodies& bodies = step_contacts_.bodies();
  const dynamics::BiasLaw law = bias_law(h);
  distribute::Ranks& ranks = state.deal->ranks();
  is_current_ = is_reported_ = has_reactions_ = false;
  bodies.load_free(state, h, options_.theta, problem_);
  step_contacts_.travel(problem_.bodies, h, travel_, state.deal.get());
  const bool has_left = step_contacts_.has_left(state, travel_);
  persistent_.start_step();
  persistent_.refresh(state, law, problem_);
  Real most[] = {has_left || persistent_.has_fast() ? Real(1) : Real(0),
                 persistent_.deepest().penetration, persistent_.deepest().excess};
  ranks.take_largest(most);
  if (most[0] > 0 || (most[2] > 0 && law.error_reduction != 0)) return false;
  if (!driver::solve_in_parts(problem_, options_.solver, solution_.impulse, part_)) return false;

  std::atomic<bool> is_missed = false;
  state.deal->for_here([&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      if (!is_foreseen(i, state, h, part_.velocity[i])) is_missed = true;
  });
  const bool is_finite = bodies.move(state, part_.velocity, {}, options_.theta, h, next_);
  if (ranks.any(is_missed || !is_finite)) return false;

  std::swap(solution_, part_);
  start_penetration_ = most[1];
  last_step_size_ = h;
  has_left_margin_ = is_bounded_ = is_raising_ = is_pushed_ = is_ball_deep_ = is_advanced_ = false;
  too_deep_.reset();
  resting_.clear();
  stuck_.clear();
  late_.start();
  unmet_.start();
  report.iterations = solution_.report.iterations;
  judge(report);
  write_verdict(report);
  (void)judge_overlaps(state, law, report);
  return true;
}

/// Impulses and velocities of the last step become right for all contacts and bodies.
void MoreauScheme::complete_impulses() {
  if (deal_ == nullptr) return;
  const std::vector<problem::Tile>& tiles = problem_.central.tiles;
  deal_->collect(std::span(solution_.impulse.central), [&](Index t, const auto& add) {
    add(Index{tiles[t].first}, Index{tiles[t].end});
  });
  deal_->complete(std::span(solution_.velocity));
  deal_ = nullptr;
}

void MoreauScheme::complete() {
  if (deal_ == nullptr) return;
  complete_impulses();
  // The contacts are those at the start of the last step, whose state is kept.
  next_.complete();
  step_contacts_.bodies().load_free(next_, last_step_size_, options_.theta, problem_);
  persistent_.refresh(next_, bias_law(last_step_size_), problem_);
}

}  // namespace talus::stepping::detail
