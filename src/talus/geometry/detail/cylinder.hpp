#pragma once

#include <cmath>

#include <talus/geometry/detail/core.hpp>
#include <talus/geometry/detail/round_pairs.hpp>

namespace talus::geometry::detail {

/// max of n·x over a cylinder about z.
[[nodiscard]] inline Real support_value(const Cylinder& c, const Vec3& n) {
  return c.radius * std::hypot(n.x(), n.y()) + c.half_length * std::abs(n.z());
}

/// A point of the cylinder where n·x is largest; along z the rim's point towards x.
[[nodiscard]] Vec3 support_point(const Cylinder& c, const Vec3& n);

/// A cylinder and a point, also inside it: then the gap is minus the distance to the nearer of
/// mantle and ends.
[[nodiscard]] ClosestPoints closest_cylinder_point(const Cylinder& c, const Vec3& point);

/// Signed distance of a cylinder (A) and a core without its radius (B), in A's frame.
///
/// Apart: the larger of the support gaps of B's faces and the distance of B's edges, each a convex
/// function of one number. In overlap: the largest support gap over the facets of the Minkowski
/// difference: ends, faces, mantle × edge, mantle × vertex, and rim × edge, the only one that is
/// not closed. Within 1e-7 of touching the normal is one of those too, never a difference of close
/// points. @param cutoff [m]: beyond it the gap may be any lower bound above the cut-off.
[[nodiscard]] ClosestPoints cylinder_core(const Cylinder& a, const Core& b, const Mat3& R,
                                          const Vec3& p, Real cutoff);

/// Signed distance of two cylinders, in A's frame: the largest support gap over ends, the common
/// perpendicular of the axes, mantle × rim (a great circle each) and rim × rim (Newton's method on
/// the sphere of normals). @param cutoff [m]: as above.
[[nodiscard]] ClosestPoints cylinder_cylinder(const Cylinder& a, const Cylinder& b,
                                              const Pose& b_in_a, Real cutoff);

/// What of a cylinder lies farthest along a direction, as a core of its own: an end (a polygon of
/// eight points that are fixed to the cylinder, and the lowest one where it is lower), a line of
/// the mantle, or a point of a rim.
class CylinderFeature {
 public:
  CylinderFeature(const Cylinder& c, const Vec3& d);
  CylinderFeature(const CylinderFeature&) = delete;
  CylinderFeature& operator=(const CylinderFeature&) = delete;
  [[nodiscard]] const Core& operator*() const { return core_; }

  static constexpr int kCorners = 8;

 private:
  std::array<Vec3, kCorners + 1> vertices_;
  std::array<int, kCorners + 1> loop_;
  std::array<Loop, 1> face_;
  std::array<Vec3, 1> normal_, direction_;
  std::array<Real, 1> offset_;
  Core core_;
};

/// Contacts of a cylinder (A) with a box, polytope or capsule, or with another cylinder (B).
[[nodiscard]] Manifold cylinder_manifold(const Cylinder& a, const Shape& b, const Pose& b_in_a,
                                         Real margin);

/// Contacts of the half-space z ≤ 0 (A) with a cylinder: four points fixed to its end, and the
/// lowest one when it is tilted; else the lowest point of every rim.
[[nodiscard]] Manifold plane_cylinder(const Cylinder& b, const Pose& b_in_a, Real margin);

}  // namespace talus::geometry::detail
