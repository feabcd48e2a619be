#pragma once

#include <talus/geometry/detail/core.hpp>
#include <talus/geometry/manifold.hpp>

namespace talus::geometry::detail {

/// The plane z = 0 (A) against a shape with a core: the corners of the core's supporting face, or
/// of the whole core when it has no faces, that are within the margin.
[[nodiscard]] Manifold plane_core(const Core& core, const Pose& core_in_plane, Real margin);

}  // namespace talus::geometry::detail
