#pragma once

#include <vector>

#include <talus/model/machine.hpp>
#include <talus/scene/detail/spec.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::detail {

/// What of a machine is written elsewhere than under joints, drives and forces.
struct MachineParts {
  std::vector<Index> visual_only;
  std::vector<std::vector<Index>> apart;
};

/// Gives a model its machine, if the files or the parts say anything that makes one: looks up
/// bodies, takes points and axes to the bodies' frames. The bodies must be there. Notes what does
/// not fit the start.
void build_machine(const std::vector<const FragmentSpec*>& fragments, const MachineParts& parts,
                   Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
