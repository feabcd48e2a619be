#pragma once

#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// The source of a set of bodies that is in the model already: when each is due. Notes members that
/// the region cannot hold.
void build_source(const BodySpec& spec, Index first, Scene& scene, Problems& problems);

/// The sinks of a scene; notes unknown bodies, names given twice and regions without extent.
void build_sinks(const std::vector<SinkSpec>& specs, Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
