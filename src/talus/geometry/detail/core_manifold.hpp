#pragma once

#include <talus/geometry/detail/core_separation.hpp>
#include <talus/geometry/manifold.hpp>

namespace talus::geometry::detail {

/// The manifold of two shapes with cores, in the frame of A. Contract: A has faces.
[[nodiscard]] Manifold core_manifold(const CorePair& pair, Real margin);

/// Closest points of the two cores for an overlapping or touching separation: one point of the
/// contact patch along its normal.
void witness_from_axes(const CorePair& pair, CoreSeparation& separation);

}  // namespace talus::geometry::detail
