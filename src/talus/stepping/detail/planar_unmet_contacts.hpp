#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/planar_meeting.hpp>

namespace talus::stepping::detail {

/// Contacts of open shapes of the plane that act in a step although the two would not meet in it
/// without what these contacts give: the twin of detail/unmet_contacts.hpp. The reactions of joints
/// to what is taken off are part of it.
class PlanarUnmetContacts {
 public:
  /// A contact of a solved step.
  struct Acting {
    Index contact = 0;              ///< of the machine
    bool stays = false;             ///< closed up to a slight overlap, or late
    std::vector<std::size_t> rows;  ///< of it that act; empty: none
  };

  /// Forgets those of the last step.
  void start() { left_out_.clear(); }

  /// Looks for them in a step from q to q_end.
  /// @param way per row of the step, how far its impulse has taken it along its response [s · N·s].
  /// @return the contacts of pairs that were not found before. Cost: the ways of the pairs that act
  /// while they are open.
  [[nodiscard]] std::unordered_set<Index> find(
      const dynamics::System& machine, const VecX& q, const VecX& q_end,
      std::span<const Acting> contacts,
      std::span<const dynamics::ConstraintFactor::Response> responses, const VecX& way);

 private:
  std::unordered_set<Index> left_out_;  // first contacts of pairs
};

}  // namespace talus::stepping::detail
