#include <talus/scene/detail/shapes.hpp>

#include <algorithm>
#include <limits>

#include <talus/geometry/manifold.hpp>
#include <talus/scene/detail/planar.hpp>

namespace talus::scene::detail {

geometry::Shape make_shape(const ShapeSpec& spec, Real scale) {
  if (spec.sphere) return geometry::Sphere{spec.sphere->radius * scale};
  if (spec.box) return geometry::Box{spec.box->size * (scale / 2)};
  if (spec.capsule)
    return geometry::Capsule{spec.capsule->radius * scale, spec.capsule->length * (scale / 2)};
  if (spec.disc) return geometry::Sphere{spec.disc->radius * scale};
  if (spec.rod) return geometry::Capsule{spec.rod->radius * scale, spec.rod->length * (scale / 2)};
  if (spec.polygon) return prism(spec.polygon->corners);
  return geometry::Plane{};
}

Quat plane_rotation(const Vec3& normal) {
  return Quat::FromTwoVectors(Vec3::UnitZ(), normal.stableNormalized());
}

Real least_thickness(const geometry::Shape& shape) {
  if (const auto* sphere = std::get_if<geometry::Sphere>(&shape)) return 2 * sphere->radius;
  if (const auto* box = std::get_if<geometry::Box>(&shape)) return 2 * box->half_size.minCoeff();
  if (const auto* capsule = std::get_if<geometry::Capsule>(&shape)) return 2 * capsule->radius;
  return std::numeric_limits<Real>::infinity();
}

Real overlap_depth(const geometry::Shape& a, const Pose& X_WA, const geometry::Shape& b,
                   const Pose& X_WB) {
  const geometry::Manifold contact = geometry::manifold(a, b, X_WA.inverse() * X_WB, 0);
  Real depth = 0;
  for (int i = 0; i < contact.point_count; ++i) depth = std::max(depth, -contact.points[i].gap);
  return depth;
}

}  // namespace talus::scene::detail
