#include <talus/stepping/detail/moreau_scheme.hpp>

#include <utility>
#include <vector>

// What Moreau's schemes remember from one step to the next, and take up again.

namespace talus::stepping::detail {

SchemeMemory MoreauScheme::memory() const {
  if (recalled_) return *recalled_;
  SchemeMemory memory{contacts(), last_step_size_, {}, {}};
  const collision::ContactDetector& detector = step_contacts_.bodies().detector();
  const collision::Placement where = detector.search_place();
  for (std::size_t i = 0; i < where.position.size(); ++i)
    memory.search_pose.push_back(where.at(static_cast<Index>(i)));
  memory.search_reach.assign(detector.search_reach().begin(), detector.search_reach().end());
  return memory;
}

/// Puts everything as it was after the step that is recalled: candidates, their order, impulses,
/// who sleeps.
void MoreauScheme::take_up(const model::State& state, Real h) {
  SchemeMemory memory = *std::move(recalled_);
  recalled_.reset();
  collision::ContactDetector& detector = step_contacts_.bodies().detector();
  if (memory.search_reach.empty()) {
    detector.forget_search();
    step_contacts_.update(state, travel_);
  } else {
    model::State seen = state;
    for (Index i = 0; i < model_.body_count(); ++i) {
      seen.position[i] = memory.search_pose[i].p;
      seen.orientation[i] = memory.search_pose[i].q;
    }
    detector.search({seen.position, seen.orientation}, memory.search_reach);
  }
  recall_rest(state, h, memory);
  lay_out(memory.contacts, 1);
  std::erase_if(memory.contacts, [&](const StepContact& contact) {
    return is_left_out(contact.body_a) || is_left_out(contact.body_b);
  });
  step_contacts_.recall(memory);
  functions_.recall(memory.contacts);
  last_step_size_ = memory.step_size;
}

}  // namespace talus::stepping::detail
