#pragma once

#include <span>
#include <vector>

#include <talus/problem/rigid_contact.hpp>

namespace talus::solve::detail {

/// The order of a problem's general contacts for sweeps (problem/contact_schedule.hpp); the buffers
/// are kept.
class GeneralSchedule {
 public:
  void build(const problem::RigidContact& problem) {
    is_empty_ = problem.general.empty();
    if (is_empty_) return;
    const std::size_t bodies = problem.bodies.size();
    pairs_.clear();
    for (const problem::GeneralContact& contact : problem.general)
      pairs_.push_back({contact.body_a, contact.body_b});
    is_movable_.resize(bodies);
    for (std::size_t i = 0; i < bodies; ++i) is_movable_[i] = problem.bodies[i].inverse_mass > 0;
    if (problem.place.empty()) place_.assign(bodies, Vec3::Zero());
    schedule_.build(pairs_, problem.place.empty() ? place_ : problem.place, is_movable_);
  }

  /// As in ContactSchedule; without contacts nothing.
  [[nodiscard]] std::span<const std::uint32_t> contact_of_slot() const {
    return is_empty_ ? std::span<const std::uint32_t>() : schedule_.contact_of_slot();
  }
  [[nodiscard]] std::span<const problem::Tile> tiles() const {
    return is_empty_ ? std::span<const problem::Tile>() : schedule_.tiles();
  }
  [[nodiscard]] std::span<const std::uint32_t> colours() const {
    return is_empty_ ? std::span<const std::uint32_t>() : schedule_.colours();
  }
  /// Calls visit(contact) for the contacts of a tile, in the order of its slots.
  template <class Visit>
  void for_contacts(Index tile, const Visit& visit) const {
    const problem::Tile own = schedule_.tiles()[tile];
    const auto slots = schedule_.contact_of_slot();
    for (std::size_t slot = std::size_t{own.first} * problem::kLanes;
         slot < std::size_t{own.end} * problem::kLanes; ++slot)
      if (slots[slot] != problem::ContactSchedule::kEmpty) visit(slots[slot]);
  }

 private:
  problem::ContactSchedule schedule_;
  bool is_empty_ = true;
  std::vector<problem::ScheduledPair> pairs_;
  std::vector<unsigned char> is_movable_;
  std::vector<Vec3> place_;
};

}  // namespace talus::solve::detail
