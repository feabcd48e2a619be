#include <talus/stepping/detail/push_out_rounds.hpp>

#include <algorithm>
#include <cmath>

#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {

using problem::SolveReport;
using problem::SolveStatus;

/// Contacts of all pairs, and the deepest one of those that may be pushed.
void PushOutRounds::find(const model::State& state, Real slop_share, std::span<const Real> most) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  contacts_.detect(state, travel_, found_);
  share_ = 0;
  for (collision::Contact& contact : found_)
    if (bodies.is_compliant(contact)) contact.gap = std::max(contact.gap, Real(0));  // not deeper
  for (const collision::Contact& contact : found_)
    if (const Real share = -contact.gap / bodies.size(contact);
        share > share_ && std::isfinite(most[contact.a] + most[contact.b])) {
      share_ = share;
      deepest_ = contact;
    }
  push_out_.start(bodies, state, found_, slop_share, most);
}

/// True if a body is pushed farther than the margin in which contacts were searched for it; its way
/// is then taken into account.
bool PushOutRounds::widen(Real h) {
  constexpr Real kRoom = 1.5;
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  bool is_wider = false;
  for (std::size_t i = 0; i < travel_.size(); ++i) {
    const Real way =
        push_out_.way(bodies.turning_radius(static_cast<Index>(i)), static_cast<Index>(i), h);
    if (way <= contacts_.margin()[i]) continue;
    travel_[i] = kRoom * way;
    is_wider = true;
  }
  return is_wider;
}

SolveReport PushOutRounds::apply(const dynamics::BiasLaw& law, const driver::Options& options,
                                 std::span<const Real> most, model::State& state) {
  constexpr int kMostRounds = 20, kMostSearches = 6;
  SolveReport all;
  all.status = SolveStatus::converged;
  for (int round = 0; round < kMostRounds; ++round) {
    travel_.assign(state.position.size(), 0);
    find(state, law.slop, most);
    if (!push_out_.has_deep()) return all;
    for (int search = 0; search < kMostSearches; ++search) {
      if (search > 0) find(state, law.slop, most);
      const SolveReport solved = push_out_.solve(law, options);
      all.iterations += solved.iterations;
      all.status = solved.status;
      if (!widen(law.step_size)) break;
    }
    const bool is_stuck = all.status != SolveStatus::converged;
    if (!push_out_.apply(contacts_.bodies().model(), law.step_size, state) || is_stuck) break;
  }
  if (all.status != SolveStatus::converged) return all;
  find(state, law.slop, most);
  if (share_ > tolerance::kMostOverlap) all.status = SolveStatus::max_iterations;
  return all;
}

std::string PushOutRounds::why() const {
  return overlap_after_step(contacts_.bodies(), deepest_, true);
}

}  // namespace talus::stepping::detail
