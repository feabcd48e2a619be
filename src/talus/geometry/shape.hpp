#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <talus/math/spatial.hpp>

namespace talus::geometry {

/// Ball of a radius [m] > 0 about the origin.
struct Sphere {
  Real radius = 0;
};

/// The half-space z ≤ 0; its surface is the plane z = 0 with outward normal +z. Unbounded: only for
/// bodies that do not move by forces.
struct Plane {};

/// Box of half edge lengths [m] > 0 about the origin, edges along the axes.
struct Box {
  Vec3 half_size = Vec3::Zero();
};

/// All points within a radius [m] > 0 of the segment from (0, 0, −half_length) to (0, 0,
/// half_length) [m], half_length ≥ 0.
struct Capsule {
  Real radius = 0;
  Real half_length = 0;
};

/// All points within a radius [m] > 0 of the z axis and a half length [m] > 0 of the origin along
/// it.
struct Cylinder {
  Real radius = 0;
  Real half_length = 0;
};

/// Everything outside a cylinder about the z axis, of a radius and a half length [m] > 0: its inner
/// wall. With ends the cavity is closed and all around it is solid, without end; without them, the
/// wall is felt only along its length and by bodies whose middle (of a polytope the mean of its
/// corners, else the origin) is no farther than the radius from the axis. For bodies that do not
/// move by forces.
struct Pipe {
  Real radius = 0;
  Real half_length = 0;
  bool has_ends = true;
};

struct Polytope;     // convex polytope, geometry/polytope.hpp
class TriangleMesh;  // surface of triangles, geometry/triangle_mesh.hpp
class Compound;      // several convex shapes as one, geometry/compound.hpp

/// Convex shapes first; a mesh and a pipe are for bodies that forces do not move.
using Shape =
    std::variant<Sphere, Plane, Box, Capsule, std::shared_ptr<const Polytope>, Cylinder,
                 std::shared_ptr<const TriangleMesh>, std::shared_ptr<const Compound>, Pipe>;

/// What is wrong with the dimensions of a shape (zero, negative, not finite, missing), as one
/// sentence without a full stop; empty when nothing is. The queries below and the contacts assume a
/// valid shape.
[[nodiscard]] std::string validate(const Shape& shape);

/// Axis-aligned box in the frame of the pose.
struct Aabb {
  Vec3 lower = Vec3::Zero();
  Vec3 upper = Vec3::Zero();
};
/// Whether a box that is not empty has an end in every direction.
[[nodiscard]] inline bool is_bounded(const Aabb& box) {
  return (box.upper - box.lower).allFinite();
}

/// Whether two boxes have a point in common; boxes that touch do.
[[nodiscard]] inline bool overlap(const Aabb& a, const Aabb& b) {
  return a.lower.x() <= b.upper.x() && b.lower.x() <= a.upper.x() && a.lower.y() <= b.upper.y() &&
         b.lower.y() <= a.upper.y() && a.lower.z() <= b.upper.z() && b.lower.z() <= a.upper.z();
}

/// The tight axis-aligned box of a shape at a pose (of a mesh, the box of its own box); a plane
/// gives infinite bounds except along an exact axis, and so does a pipe with ends.
[[nodiscard]] Aabb bounds(const Shape& shape, const Pose& X_WS);

/// Radius [m] of a ball about the shape's origin that holds it, the smallest one but for a
/// compound; infinite for a plane and a pipe with ends.
[[nodiscard]] Real bounding_radius(const Shape& shape);

/// Volume [m³], centre of mass [m] and inertia about it [kg m²] at unit density, in the shape's
/// frame.
struct MassProperties {
  Real mass = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

/// Mass properties at a density [kg/m³] > 0. Contract: no plane or pipe, and a mesh must be closed.
/// Of a compound the sums over its members: where they overlap, matter counts twice.
[[nodiscard]] MassProperties mass_properties(const Shape& shape, Real density);

}  // namespace talus::geometry
