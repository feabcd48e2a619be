#pragma once

#include <cstdint>

#include <talus/problem/rigid_contact.hpp>

namespace talus::test {

/// What a random problem of guided boxes has.
struct GuidedKind {
  Index bodies = 3;
  bool has_neighbours = false;  ///< contacts between neighbours, and guides on the last box
  Real mass_ratio = 10;         ///< heaviest box over the lightest one
  Real mass_unit = 1;           ///< [kg]
  Real speed_unit = 1;          ///< [m/s]
};

/// Boxes on a floor, each with four contacts, most of them in a guide on the floor: in an upright
/// plane, on a slider, a lift, a slot or a pin, along directions of the polygon of eight or not.
/// Joints block tangents and normals of contacts altogether, each in a unit of its own. Rest is
/// admissible, so it has an answer. Body 0 is the floor. Seeded.
[[nodiscard]] problem::RigidContact random_guided_problem(const GuidedKind& kind,
                                                          std::uint64_t seed);

}  // namespace talus::test
