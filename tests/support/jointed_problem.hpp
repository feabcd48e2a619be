#pragma once

#include <cstdint>

#include <talus/problem/rigid_contact.hpp>

namespace talus::test {

/// What a random problem of jointed bodies has.
struct JointedKind {
  Index bodies = 10;
  Index contacts = 6;     ///< with an immovable floor, μ = 0.5
  Index between = 0;      ///< contacts between bodies
  Index loops = 0;        ///< ball joints that close loops
  bool has_laws = false;  ///< stops, motors with bounds, implicit springs on every other joint
  bool resists = false;   ///< contacts have moments, some cohesion, some friction along one axis
  Real mass_ratio = 10;   ///< heaviest body over the lightest one
};

/// A tree of bodies that hinges (five rows) and ball joints (three rows) hold, falling on a floor;
/// body 0 is the floor, body 1 the root of the tree. It has an answer: rest keeps every law but
/// those of motors, which have bounds, and springs, which give way. Seeded.
[[nodiscard]] problem::RigidContact random_jointed_problem(const JointedKind& kind,
                                                           std::uint64_t seed);

/// Begins a row e · (velocity of B's point − A's point), or e · (ω_B − ω_A) times A's length.
/// @param arm_a, arm_b of the points [m].
void add_parts(problem::RigidContact& problem, std::uint32_t a, std::uint32_t b, const Vec3& e,
               const Vec3& arm_a, const Vec3& arm_b, bool is_turn);

}  // namespace talus::test
