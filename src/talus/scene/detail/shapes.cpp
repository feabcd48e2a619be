#include <talus/scene/detail/shapes.hpp>

#include <algorithm>
#include <limits>
#include <numbers>

namespace talus::scene::detail {
namespace {

using namespace geometry;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

template <class... F>
struct Match : F... {
  using F::operator()...;
};
template <class... F>
Match(F...) -> Match<F...>;

}  // namespace

Shape make_shape(const ShapeSpec& spec, Real scale) {
  if (spec.sphere) return Sphere{spec.sphere->radius * scale};
  if (spec.box) return Box{spec.box->size * (scale / 2)};
  if (spec.capsule)
    return Capsule{spec.capsule->radius * scale, spec.capsule->length * (scale / 2)};
  return Plane{};
}

Quat plane_rotation(const Vec3& normal) {
  return Quat::FromTwoVectors(Vec3::UnitZ(), normal.stableNormalized());
}

Real bounding_radius_of(const Shape& shape) {
  return std::visit(
      Match{[](const Sphere& sphere) { return sphere.radius; },
            [](const Box& box) { return box.half_size.norm(); },
            [](const Capsule& capsule) { return capsule.radius + capsule.half_length; },
            [](const auto&) { return kInfinity; }},
      shape);
}

Real least_thickness(const Shape& shape) {
  return std::visit(Match{[](const Sphere& sphere) { return 2 * sphere.radius; },
                          [](const Box& box) { return 2 * box.half_size.minCoeff(); },
                          [](const Capsule& capsule) { return 2 * capsule.radius; },
                          [](const auto&) { return kInfinity; }},
                    shape);
}

MassProperties mass_of(const Shape& shape, Real density) {
  constexpr Real kPi = std::numbers::pi;
  MassProperties result;
  const auto set = [&](Real mass, const Vec3& moments) {
    result.mass = mass;
    result.inertia = moments.asDiagonal();
  };
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    const Real r = sphere->radius;
    const Real m = density * 4 / 3 * kPi * r * r * r;
    set(m, Vec3::Constant(0.4 * m * r * r));
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    const Real m = density * 8 * box->half_size.prod();
    const Vec3 s = box->half_size.cwiseAbs2();
    set(m, m / 3 * Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y()));
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    const Real r = capsule->radius;
    const Real l = 2 * capsule->half_length;
    const Real cylinder = density * kPi * r * r * l;
    const Real ball = density * 4 / 3 * kPi * r * r * r;
    const Real across =
        cylinder * (l * l / 12 + r * r / 4) + ball * (0.4 * r * r + l * l / 4 + 3 * l * r / 8);
    set(cylinder + ball, Vec3(across, across, cylinder * r * r / 2 + ball * 0.4 * r * r));
  }
  return result;
}

Real overlap_depth(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  const auto* sphere_a = std::get_if<Sphere>(&a);
  const auto* sphere_b = std::get_if<Sphere>(&b);
  if (sphere_a != nullptr && sphere_b != nullptr)
    return std::max(Real{0}, sphere_a->radius + sphere_b->radius - (X_WA.p - X_WB.p).norm());
  if (std::holds_alternative<Plane>(a) && sphere_b != nullptr)
    return std::max(Real{0}, sphere_b->radius - (X_WA.inverse() * X_WB.p).z());
  return 0;
}

}  // namespace talus::scene::detail
