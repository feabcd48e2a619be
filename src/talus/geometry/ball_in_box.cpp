#include <talus/geometry/ball_in_box.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace talus::geometry {
namespace {

Real arcsine(Real x) { return std::asin(std::clamp(x, Real(-1), Real(1))); }

/// A circle's sector between the lines y = b and z = c in the plane x = a of the unit sphere.
struct Face {
  Real angle;  ///< of its arc
  Real area;
};
Face face(Real a, Real b, Real c) {
  const Real squared = 1 - a * a, radius = std::sqrt(squared);
  const Real angle = std::numbers::pi / 2 - arcsine(b / radius) - arcsine(c / radius);
  const Real y = std::sqrt(std::max(Real(0), squared - c * c));
  const Real z = std::sqrt(std::max(Real(0), squared - b * b));
  return {angle, 0.5 * (squared * angle - b * (z - c) - c * (y - b))};
}

/// The part of the unit ball beyond three planes; a, b, c ≥ 0.
Real beyond_positive(Real a, Real b, Real c) {
  if (a * a + b * b + c * c >= 1) return 0;  // the corner is its nearest point
  const Face x = face(a, b, c), y = face(b, c, a), z = face(c, a, b);
  const auto exterior = [](Real s, Real t) {
    return std::acos(std::clamp(-s * t / std::sqrt((1 - s * s) * (1 - t * t)), Real(-1), Real(1)));
  };
  const Real sphere = 2 * std::numbers::pi - exterior(a, b) - exterior(b, c) - exterior(c, a) -
                      a * x.angle - b * y.angle - c * z.angle;
  return std::max(Real(0), (sphere - a * x.area - b * y.area - c * z.area) / 3);
}

/// The same for any sign: beyond −a is everything but what is beyond a, by reflection.
Real beyond(Real a, Real b, Real c) {
  if (a < 0) return 2 * beyond(0, b, c) - beyond(-a, b, c);
  if (b < 0) return 2 * beyond(a, 0, c) - beyond(a, -b, c);
  if (c < 0) return 2 * beyond(a, b, 0) - beyond(a, b, -c);
  return beyond_positive(a, b, c);
}

}  // namespace

Real ball_in_box(const Vec3& centre, Real radius, const Vec3& min, const Vec3& max) {
  const auto bounded = [&](const Vec3& corner) -> Vec3 {
    return ((corner - centre) / radius).cwiseMax(-1).cwiseMin(1);
  };
  const Vec3 low = bounded(min), high = bounded(max);
  if ((low.array() >= high.array()).any()) return 0;
  const Real cube = radius * radius * radius;
  if ((low.array() == -1).all() && (high.array() == 1).all())
    return 4 * std::numbers::pi / 3 * cube;
  Real sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const bool x = (corner & 1) != 0, y = (corner & 2) != 0, z = (corner & 4) != 0;
    const Real part =
        beyond(x ? high.x() : low.x(), y ? high.y() : low.y(), z ? high.z() : low.z());
    sum += (x ^ y ^ z) ? -part : part;
  }
  return std::max(Real(0), sum) * cube;
}

}  // namespace talus::geometry
