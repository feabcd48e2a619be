#pragma once

#include <array>
#include <cstdint>

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// Combinatorial name of a contact point (which features of A and B make it): stable from step to
/// step, so that impulses can be carried over. Meaningful only together with the pair of shapes.
using FeatureId = std::uint64_t;

struct ManifoldPoint {
  Vec3 position =
      Vec3::Zero();  ///< on the mid-surface, halfway between the two surfaces along the normal [m]
  Real gap = 0;      ///< signed distance along the normal [m], negative = penetration
  FeatureId feature = 0;
};

/// Contact points of two convex shapes with their common normal; everything in A's frame.
struct Manifold {
  static constexpr int kMaxPoints = 8;
  Vec3 normal = Vec3::UnitZ();  ///< unit, from A to B
  std::array<ManifoldPoint, kMaxPoints> points;
  int point_count = 0;  ///< 0: farther apart than the margin
};

/// The contact manifold of two shapes: every point with gap ≤ margin, at most eight, ordered by
/// feature. A function of the relative pose only. Exact up to round-off at any gap, also through
/// zero.
/// @param b_in_a X_AB, the pose of B's frame in A's frame. @param margin speculative margin [m] ≥
/// 0. Swapping the shapes gives the same points with the normal reversed, bit for bit up to the
/// change of frame. Two planes have no manifold (0 points).
[[nodiscard]] Manifold manifold(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin);

}  // namespace talus::geometry
