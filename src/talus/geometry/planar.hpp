#pragma once

#include <vector>

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// A shape of the plane: all points within a radius of a convex core.
///
/// A core is a point (disc), a segment (rod with round ends), a convex polygon, or a half-plane.
struct PlanarShape {
  std::vector<Vec2> corners;    ///< of the core, counter-clockwise; for a half-plane a point of its
                                ///< edge
  Real radius = 0;              ///< [m] ≥ 0
  bool is_half_plane = false;   ///< the side of the edge that `normal` points away from
  Vec2 normal = Vec2::UnitY();  ///< unit, out of the half-plane
};

/// Corners of the convex hull of points, counter-clockwise, collinear ones left out.
[[nodiscard]] std::vector<Vec2> convex_hull(std::vector<Vec2> points);

/// The shadow of a shape on the plane z = 0: sphere → disc, capsule → rod with round ends, box and
/// polytope → polygon, plane → half-plane. Exact for every pose.
/// @param X pose of the shape; the normal of a plane must lie in the plane z = 0. Contract: that,
/// and none of the other shapes.
[[nodiscard]] PlanarShape project_to_plane(const Shape& shape, const Pose& X);

/// Radius of the circle about the origin that a shape lies in [m]; infinite for a half-plane.
[[nodiscard]] Real bounding_radius(const PlanarShape& shape);

/// The core's point nearest to p, and the distance of p from the core.
struct CoreDistance {
  Real distance = 0;            ///< [m], negative inside a polygon or half-plane
  Vec2 normal = Vec2::UnitY();  ///< unit, gradient of the distance with respect to p
  Vec2 nearest = Vec2::Zero();  ///< on the core's boundary
  bool is_corner = false;       ///< nearest is a corner: the normal turns where p moves across it
  /// From `nearest` along its side to the side's nearer end [m]; 0 at corners, infinite for a
  /// half-plane.
  Real distance_to_edge_end = 0;
  /// The side of a polygon that `nearest` is on, told by the corner that it begins at,
  /// counter-clockwise; −1: none, as at a corner.
  Index side = -1;
};

/// The normal of a polygon's side is that of the side, however small the distance is. Where p lies
/// on the core itself, the normal is one of those of a side there (for a point: x). Cost
/// O(corners).
[[nodiscard]] CoreDistance distance_from_core(const PlanarShape& shape, const Vec2& p);

/// The same of one side of a polygon, continued beyond its ends as the line that it is part of:
/// there `distance_to_edge_end` is negative. @param side as CoreDistance::side (contract). Cost
/// O(1).
[[nodiscard]] CoreDistance distance_from_side(const PlanarShape& shape, Index side, const Vec2& p);

/// Where a planar body's frame is.
struct PlanarPose {
  Vec2 p = Vec2::Zero();
  Mat2 R = Mat2::Identity();
};

/// Distance of two shapes [m]; where they overlap, less than 0: the smallest motion that parts
/// them, also where their cores cross without a corner of one inside the other. −∞ for two
/// half-planes. Cost O(corners²).
[[nodiscard]] Real separation(const PlanarShape& a, const PlanarPose& pose_a, const PlanarShape& b,
                              const PlanarPose& pose_b);

/// Where two polygons overlap, the side of A along whose normal the smallest motion parts them, as
/// CoreDistance::side, also where no corner of one is inside the other.
///
/// −1: they are apart, that side is one of B, another corner of B is the deepest behind it, or the
/// corner is farther beyond the side's end than it is deep: then A's corner there is inside B.
/// @param corner of B. @param b_in_a pose of B in A's frame. Cost O(corners²), O(corners) for most
/// corners of polygons that are apart.
[[nodiscard]] Index reference_side(const PlanarShape& a, const PlanarShape& b,
                                   const PlanarPose& b_in_a, std::size_t corner);

/// Area [m²], centre [m] and second moment of area about it [m⁴].
struct AreaProperties {
  Real area = 0;
  Vec2 centre = Vec2::Zero();
  Real moment = 0;
};

/// Of a disc, a rod, or a polygon without rounding (contract: nothing else).
[[nodiscard]] AreaProperties area_properties(const PlanarShape& shape);

}  // namespace talus::geometry
