#pragma once

#include <vector>

#include <talus/scene/detail/machine.hpp>

namespace talus::scene::detail {

/// Gives a model in space its machine as build_machine does, and puts its bodies on the joints:
/// first their places, from those of joints that are given, then their velocities. Notes what
/// cannot be assembled.
void build_machine_in_space(const std::vector<const FragmentSpec*>& fragments,
                            const MachineParts& parts, Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
