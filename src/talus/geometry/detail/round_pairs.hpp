#pragma once

#include <talus/geometry/manifold.hpp>

namespace talus::geometry::detail {

/// Closest points of two cores in closed form; everything in A's frame, radii left out.
struct ClosestPoints {
  Vec3 on_a, on_b;
  Vec3 normal;  ///< unit, from A to B
  Real gap;     ///< normal · (on_b − on_a) [m]
};

/// A box and a point, also inside the box: then the gap is minus the distance to the nearest face.
[[nodiscard]] ClosestPoints closest_box_point(const Box& box, const Vec3& point);

/// The segment of half length h [m] along z about the origin, and a point.
[[nodiscard]] ClosestPoints closest_segment_point(Real half_length, const Vec3& point);

/// That segment and one of half length half_b [m] about p along the unit vector d. Where they meet
/// the normal is their common perpendicular, and e_x when they also lie on one line.
[[nodiscard]] ClosestPoints closest_segments(Real half_a, Real half_b, const Vec3& p,
                                             const Vec3& d);

/// One point from the closest points of two cores and their radii, if within the margin.
[[nodiscard]] Manifold point_manifold(const ClosestPoints& closest, Real radius_a, Real radius_b,
                                      Real margin);

/// Two capsules: one point, or two when parallel to 1e-3 rad and side by side.
[[nodiscard]] Manifold capsule_capsule(const Capsule& a, const Capsule& b, const Pose& b_in_a,
                                       Real margin);

}  // namespace talus::geometry::detail
