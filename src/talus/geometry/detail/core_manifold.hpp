#pragma once

#include <talus/geometry/detail/core_separation.hpp>
#include <talus/geometry/manifold.hpp>

namespace talus::geometry::detail {

/// The manifold of two shapes with cores, in the frame of A. Contract: A has faces.
[[nodiscard]] Manifold core_manifold(const CorePair& pair, Real margin);

}  // namespace talus::geometry::detail
