#pragma once

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// The way along a ray to the first point of a shape [m]: 0 where it starts inside, infinity where
/// it misses.
///
/// The interval in which a line is inside is cut out of it by half-spaces (box, polytope, plane),
/// by the quadric of a ball or a cylinder, or both; a capsule is three such solids. A mesh is met
/// from outside only, and has no inside; the wall of a pipe without ends likewise, from its axis.
/// Exact to round-off. No allocation. Cost: faces of a polytope, triangles near the ray, members.
/// @param origin in the shape's frame [m]. @param direction unit. @param reach > 0 [m], may be
/// infinite: beyond it nothing counts.
[[nodiscard]] Real distance_along(const Vec3& origin, const Vec3& direction, Real reach,
                                  const Shape& shape);

}  // namespace talus::geometry
