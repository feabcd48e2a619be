#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <talus/geometry/manifold.hpp>

namespace talus::collision {

/// One contact point between two bodies (indices into the arrays given to the detector), a < b,
/// world frame.
struct Contact {
  std::uint32_t a = 0, b = 0;
  geometry::FeatureId feature =
      0;  ///< which features of a and b touch: the contact's name across steps
  Vec3 position = Vec3::Zero();  ///< halfway between the surfaces [m]
  Vec3 normal = Vec3::UnitZ();   ///< unit, from a to b
  Real gap = 0;                  ///< [m], negative = penetration
  bool is_taken_back = false;    ///< found on the way of the bodies, not where they are
  std::uint32_t member = 0;      ///< names the members of compounds that touch
};

/// Two bodies that may touch, a < b.
struct Pair {
  std::uint32_t a = 0, b = 0;
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// For every contact, the index of the same contact (bodies and feature) in an earlier list, or −1.
/// Both lists are ordered by (a, b, feature), as the detector gives them. Cost O(now + earlier).
/// @param match resized to now.size().
void match_contacts(std::span<const Contact> now, std::span<const Contact> earlier,
                    std::vector<Index>& match);

}  // namespace talus::collision
