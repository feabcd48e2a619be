#pragma once

#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// The probes of a scene, for its bodies; notes unknown bodies, names given twice, regions without
/// extent and measures that need more than is given.
void build_probes(const std::vector<ProbeSpec>& specs, Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
