#pragma once

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// A vertex, edge or face of a shape's core by its index; the face 0 of a plane.
struct Feature {
  enum class Kind { vertex, edge, face };
  Kind kind = Kind::vertex;
  int index = 0;
  friend bool operator==(const Feature&, const Feature&) = default;
};

/// Signed distance of two convex shapes with its proof; every vector in A's frame.
struct Separation {
  /// `certified`: the two bounds meet, certified ≤ gap ≤ certified + 1e-8 of the size.
  enum class Status { stalled, certified };
  Real gap = 0;                 ///< [m]: > 0 the distance, < 0 minus the depth of least translation
  Real certified = 0;           ///< s(normal) = min_B n·x − max_A n·x [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit, from A to B
  Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();  ///< witnesses, normal·(on_b − on_a) = gap [m]
  Feature feature_a, feature_b;
  Status status = Status::stalled;
  int iteration_count = 0;  ///< of GJK, at most 64; 0 for closed forms
};

/// The last axis of a pair, to start the next query from: saves iterations, leaves the answer the
/// same to round-off.
struct SeparationCache {
  Vec3 axis = Vec3::Zero();
};

/// The signed distance of two shapes: exact to round-off (≤ 1e-13 of the size, sign included), also
/// at zero. Never throws, never loops; no allocation.
///
/// The gap is ‖on_b − on_a‖ while the cores are certified apart, else the largest support gap over
/// face normals and edge pairs. The normal is a feature normal near zero, never v/‖v‖. At vertices
/// the normal jumps when the gap changes sign, as the distance itself has a kink there.
/// Cost: about 1 µs for two boxes; where polytopes overlap, time goes as the product of their edge
/// counts.
/// @param b_in_a X_AB, unit quaternion. Contract: at most one of the shapes is a plane.
[[nodiscard]] Separation separation(const Shape& a, const Shape& b, const Pose& b_in_a,
                                    SeparationCache* cache = nullptr);

/// The support gap s(n) = min_B n·x − max_A n·x [m] of a unit normal in A's frame: a lower bound of
/// the signed distance for every n; −∞ where a plane is unbounded along n,
/// tilted by more than rounding.
[[nodiscard]] Real support_gap(const Shape& a, const Shape& b, const Pose& b_in_a,
                               const Vec3& unit_normal);

}  // namespace talus::geometry
