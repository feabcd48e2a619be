#pragma once

#include <functional>

#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// The cell of a scene; notes faces that are not in order, and a planar scene.
[[nodiscard]] PeriodicCell cell_of(const SceneSpec& spec, Problems& problems);

/// Whether a region goes from face to face of a periodic direction, or farther.
[[nodiscard]] bool fills(const RegionSpec& region, const PeriodicCell& cell, int axis);

/// Notes a region that is inside out, or longer than the cell. @param dimension of the scene: in
/// the plane a region has no extent in z.
void check_region(const RegionSpec& region, const PeriodicCell& cell, Problems& problems,
                  int dimension = 3);

/// Notes bodies that a periodic cell cannot hold: planes that are not along every periodic
/// direction or turn, and bodies so large that two images of one could touch another at once
/// (model/minimum_image_clearance.hpp). One note per entry of the file. O(bodies).
/// @param place_of the entry that made a body.
void check_periodic(const Scene& scene, const std::function<const Place&(Index)>& place_of,
                    Problems& problems);

}  // namespace talus::scene::detail
