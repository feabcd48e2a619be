#pragma once

#include <talus/problem/rigid_contact.hpp>

#include "support/world.hpp"

namespace talus::test {

/// A box of five planes, floor z = 0, walls at ±width/2, around whatever is added later. The planes
/// come first.
void add_container(World& world, Real width);

/// Spheres of 10 mm ± 10 % at rest on a lattice in a container, not touching.
World lattice_bed(int nx, int ny, int nz, std::uint64_t seed);

/// The contact problem of a world in random motion: but for the container its bodies are put up to
/// 2 mm off and get velocities, and all contacts closed within 2 mm are in it, μ in [0, 1].
problem::RigidContact in_random_motion(World world, Random& random);

/// Vertical impulse of the fixed bodies on the others in the last step over the weight's in a step
/// h.
Real support_over_weight(const World& world, const stepping::Scheme& scheme, Real h);

}  // namespace talus::test
