#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/geometry/shape.hpp>
#include <talus/math/rotation.hpp>

// Random shapes and relative poses for the acceptance bands of the narrow phase: sizes 1e-3 … 1e3,
// aspect up to 100, half of the poses degenerate.
namespace talus::geometry::poses {

/// How far from 1 the length of a unit vector may be that was turned into another frame: the
/// vector and the turning quaternion, which counts twice, are unit to 2 units of round-off each,
/// a product with the matrix adds some 8. (A unit of round-off is ε/2.)
inline constexpr Real kUnitNorm = 8 * std::numeric_limits<Real>::epsilon();

inline Real log_uniform(Random& random, Real low, Real high) {
  return low * std::pow(high / low, random.uniform());
}

inline Vec3 unit_vector(Random& random) {
  const Real z = random.uniform(-1, 1), angle = random.uniform(0, 2 * std::numbers::pi);
  const Real r = std::sqrt(1 - z * z);
  return Vec3(r * std::cos(angle), r * std::sin(angle), z).normalized();
}

inline Quat rotation(Random& random) {
  return Quat(Eigen::AngleAxis<Real>(random.uniform(0, 2 * std::numbers::pi), unit_vector(random)))
      .normalized();
}

inline Box box(Random& random) {
  const Real size = log_uniform(random, 1e-3, 1e3);
  Box box;
  for (int i = 0; i < 3; ++i) box.half_size[i] = size * log_uniform(random, 0.01, 1);
  return box;
}

inline Capsule capsule(Random& random) {
  const Real size = log_uniform(random, 1e-3, 1e3);
  return {size * log_uniform(random, 0.01, 1), size};
}

inline Sphere sphere(Random& random) { return {log_uniform(random, 1e-3, 1e3)}; }

/// How the second shape is turned and placed against the first.
enum class Family { general, face_parallel, aligned, edge_parallel, tilted_slightly, count };

inline Quat orientation(Random& random, Family family) {
  const auto quarter = [&] {
    Quat q = Quat::Identity();
    const Real s = std::sqrt(Real(0.5));
    for (int i = 0; i < 3; ++i)
      if (random.uniform() < 0.5) {
        Quat turn(s, 0, 0, 0);
        turn.coeffs()[static_cast<int>(random.uniform(0, 3))] = s;
        q = turn * q;
      }
    return q.normalized();
  };
  const auto about_axis = [&](Real angle) {
    return Quat(Eigen::AngleAxis<Real>(angle, Vec3::Unit(static_cast<int>(random.uniform(0, 3)))));
  };
  switch (family) {
    case Family::face_parallel:
    case Family::edge_parallel:
      return (quarter() * about_axis(random.uniform(0, 6)) * quarter()).normalized();
    case Family::aligned:
      return quarter();
    case Family::tilted_slightly:
      return (quarter() *
              Quat(Eigen::AngleAxis<Real>(log_uniform(random, 1e-12, 1e-4), unit_vector(random))) *
              about_axis(random.uniform() < 0.5 ? 0 : random.uniform(0, 6)))
          .normalized();
    default:
      return rotation(random);
  }
}

/// A gap relative to the size: half of the time ± 1e-15 … 1e-1 (also 0), else ± up to 1.
inline Real relative_gap(Random& random) {
  if (random.uniform() < 0.1) return 0;
  const Real sign = random.uniform() < 0.5 ? -1 : 1;
  if (random.uniform() < 0.2) return sign * random.uniform();
  return sign * log_uniform(random, 1e-15, 1e-1);
}

/// Largest value of d·x over a shape, for placing; a sphere about the origin for round shapes.
inline Real extent(const Shape& shape, const Vec3& d) {
  const Aabb box = bounds(shape, Pose{Vec3::Zero(), rotation_between(d, Vec3::UnitX())});
  return box.upper.x();
}

/// A pose of B in A's frame in one of the families, near contact along some direction.
inline Pose pose(Random& random, const Shape& a, const Shape& b, Family family) {
  Pose pose;
  pose.q = orientation(random, family);
  Vec3 d = unit_vector(random);
  if (family == Family::face_parallel || family == Family::aligned ||
      (family == Family::tilted_slightly && random.uniform() < 0.7))
    d = Vec3::Unit(static_cast<int>(random.uniform(0, 3))) * (random.uniform() < 0.5 ? -1 : 1);
  if (family == Family::edge_parallel) {
    d[static_cast<int>(random.uniform(0, 3))] = 0;
    d.normalize();
  }
  const Real size_a = bounding_radius(a), size_b = bounding_radius(b);
  const Real reach = extent(a, d) + extent(b, -(pose.q.conjugate() * d));
  pose.p = d * (reach + relative_gap(random) * std::min(size_a, size_b));
  // A shift across the direction keeps parallel faces in contact but leaves the corner family.
  if (random.uniform() < 0.7) {
    const Vec3 shift = (size_a + size_b) * random.uniform(0, 0.5) * unit_vector(random);
    pose.p += shift - d * d.dot(shift);
  }
  return pose;
}

}  // namespace talus::geometry::poses
