#pragma once

#include "support/world.hpp"

namespace talus::test {

/// Two to seven bodies of any shape and weight, thrown into a pit of five planes; none overlaps.
World random_scene(std::uint64_t seed);

/// Bodies of any planar shape and weight among half-planes, thin walls and posts: a few that fly
/// and spin, or a heap; none overlaps. @param is_plain no restitution, no prescribed bodies.
World random_planar_scene(std::uint64_t seed, bool is_plain);

}  // namespace talus::test
