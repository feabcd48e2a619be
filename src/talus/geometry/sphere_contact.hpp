#pragma once

#include <cmath>

#include <talus/math/vector.hpp>

namespace talus::geometry {

/// The one contact point of a pair with a ball.
struct PointContact {
  Vec3 normal;    ///< unit, from A to B
  Vec3 position;  ///< on the mid-surface [m]
  Real gap;       ///< [m]
};

/// Two balls, B's centre at p [m] from A's, in any frame at A's centre: gap = ‖p‖ − r_A − r_B,
/// n = p/‖p‖ (e_z for equal centres). Inline: this pair runs millions of times per second.
[[nodiscard]] inline PointContact sphere_sphere(Real radius_a, Real radius_b, const Vec3& p) {
  const Real distance = std::sqrt(p.squaredNorm());
  const Vec3 normal = distance > 0 ? Vec3(p / distance) : Vec3::UnitZ();
  return {normal, normal * ((radius_a - radius_b + distance) / 2), distance - radius_a - radius_b};
}

/// The half-space (A) below a plane through a point [m] with a unit normal, against a ball (B) at p
/// [m], all in one frame: gap = n·(p − origin) − r.
[[nodiscard]] inline PointContact plane_sphere(const Vec3& normal, const Vec3& origin, Real radius,
                                               const Vec3& p) {
  const Real height = normal.dot(p - origin);
  return {normal, p - normal * ((height + radius) / 2), height - radius};
}

}  // namespace talus::geometry
