#pragma once

#include <limits>
#include <vector>

#include <talus/geometry/planar.hpp>
#include <talus/math/vector.hpp>

namespace talus::dynamics {

/// Corner `corner` of body_b's core against the shape of body_a.
struct CornerCandidate {
  Index body_a = 0, body_b = 0;  ///< model indices
  std::size_t corner = 0;
};

using geometry::PlanarPose;
[[nodiscard]] Mat2 rotation2d(Real angle);
[[nodiscard]] inline Real cross(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}
/// Turned by +90°.
[[nodiscard]] inline Vec2 perp(const Vec2& a) { return {-a.y(), a.x()}; }

/// A point of B against a line or a point of A, at one configuration.
///
/// The friction force acts at corner − offset · normal, offset = ρ_B + surface_split · gap: on the
/// surface of B (surface_split 0), of A (1), or half-way between the two.
struct PlanarWitness {
  Index body_a = 0, body_b = 0;  ///< model indices
  Real gap = 0;                  ///< [m]
  Vec2 normal = Vec2::UnitY();   ///< from A to B
  Vec2 position = Vec2::Zero();  ///< where the friction force acts, world
  Vec2 corner = Vec2::Zero();    ///< the point of B, fixed in it, world
  Real offset = 0, surface_split = 0;
  bool is_point = false;       ///< the feature of A is a point, else a line that turns with A
  Vec2 centre = Vec2::Zero();  ///< that point, fixed in A, world
  Real centre_distance = 0;    ///< (corner − centre) · normal
  /// From there along A's side to where it ends, if neither surface is rounded: beyond it, where
  /// this is negative, the normal jumps [m]; infinite elsewhere.
  Real distance_to_edge_end = std::numeric_limits<Real>::infinity();
  /// Near a corner of A where B can rest on one of the two sides only, and where polygons overlap
  /// without a corner inside: along the side from its end there, unit, world; 0 elsewhere.
  Vec2 inward = Vec2::Zero();
  Index side = -1;  ///< of A that this is, geometry::CoreDistance::side
};

/// The candidate at a configuration. The friction force acts on the surface: on that of B where
/// forces do not move A, on that of A where they move only A, half-way between the two where they
/// move both (so that angular momentum is conserved).
///
/// Where a corner of B is at a corner of A, the nearer of A's two sides there need not be the one
/// that B rests on (the corner of a box that stands on another of the same width): that is one
/// behind which B's own sides do not reach back. Where polygons overlap without a corner of one in
/// the other it is the one that parts them (geometry::reference_side).
/// @param side of A to take, continued beyond its ends; −1: the one that is there.
[[nodiscard]] PlanarWitness closest_features(const CornerCandidate& candidate,
                                             const std::vector<geometry::PlanarShape>& shapes,
                                             const PlanarPose& pose_a, const PlanarPose& pose_b,
                                             bool moves_a, bool moves_b, Index side = -1);

}  // namespace talus::dynamics
