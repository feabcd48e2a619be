#pragma once

#include <array>

#include <talus/collision/contact.hpp>
#include <talus/math/periodic_cell.hpp>

namespace talus::collision {

/// How the two bodies of a pair get from one placement to another: straight on, turning about a
/// fixed axis.
struct Way {
  std::array<Vec3, 2> position;  ///< at the start
  std::array<Quat, 2> orientation;
  std::array<Vec3, 2> shift, turn;  ///< of a and b, to first order as velocities move them
  Vec3 mean_shift;                  ///< of those of the two that forces move

  /// @param moves_a, moves_b whether forces move the bodies.
  Way(const std::array<Pose, 2>& start, const std::array<Pose, 2>& end, bool moves_a, bool moves_b);

  /// Pose of a (0) or b (1) after a share of the way.
  [[nodiscard]] Pose pose(int k, Real share) const;
  /// By how much the two approach each other at a contact [m].
  [[nodiscard]] Real approach(const Contact& contact, const PeriodicCell& cell) const;
  /// A contact found after a share of the way, as one of the start: with its normal, the point
  /// where the bodies have it at the start, and gap + approach, so that the gap there is as it was
  /// found for bodies that move as this way says.
  void take_back(Real share, const PeriodicCell& cell, Contact& contact) const;
};

}  // namespace talus::collision
