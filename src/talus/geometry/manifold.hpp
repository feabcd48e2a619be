#pragma once

#include <array>
#include <cstdint>

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// Combinatorial name of a contact point (which features of A and B make it): stable from step to
/// step, so that impulses can be carried over. Meaningful only together with the pair of shapes.
using FeatureId = std::uint64_t;

/// The bit that no contact of two shapes has in its name: other contacts of bodies are named by it.
inline constexpr FeatureId kNotOfShapes = FeatureId{1} << 63;

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

/// The contact manifold of two shapes: the points with gap ≤ margin, at most eight, ordered by
/// feature; the corners of the overlap of their supporting faces, edges or vertices along the
/// normal. A function of the relative pose only.
///
/// Gaps are exact along the normal to round-off, also through zero; the smallest one is the signed
/// distance to 1e-6 of the smaller shape, the tie by which A's face is preferred to B's and to an
/// edge so that the points do not flicker. Of more than eight corners eight spread ones are kept.
/// @param b_in_a X_AB, the pose of B's frame in A's frame, unit quaternion. @param margin
/// speculative margin [m] ≥ 0.
/// Swapping two different shapes gives the same points and features with the normal reversed, bit
/// for bit up to the change of frame; two equal shapes should always come in the same order. Two
/// planes have no manifold (0 points). Contract: valid shapes (see validate). No allocation.
/// Cost (Release): 10 to 100 ns for round shapes and planes, about 1 µs for two boxes.
/// @see tests/unit/geometry
[[nodiscard]] Manifold manifold(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin);

}  // namespace talus::geometry
