#include <talus/geometry/manifold.hpp>

#include <talus/base/contract.hpp>
#include <talus/geometry/detail/core_manifold.hpp>
#include <talus/geometry/detail/cylinder.hpp>
#include <talus/geometry/detail/dispatch.hpp>
#include <talus/geometry/detail/plane_pairs.hpp>
#include <talus/geometry/detail/round_pairs.hpp>
#include <talus/geometry/sphere_contact.hpp>

namespace talus::geometry {
namespace {

using detail::Kind;

Manifold one_point(const PointContact& contact, Real margin) {
  Manifold manifold;
  if (contact.gap > margin) return manifold;
  manifold.normal = contact.normal;
  manifold.points[0].position = contact.position;
  manifold.points[0].gap = contact.gap;
  manifold.point_count = 1;
  return manifold;
}

/// The pair in its computing order.
Manifold ordered_manifold(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin) {
  const Kind kind_a = detail::kind_of(a), kind_b = detail::kind_of(b);
  if (kind_a == Kind::plane) {
    if (kind_b == Kind::plane) return {};
    if (kind_b == Kind::sphere)
      return one_point(
          plane_sphere(Vec3::UnitZ(), Vec3::Zero(), std::get<Sphere>(b).radius, b_in_a.p), margin);
    if (kind_b == Kind::cylinder)
      return detail::plane_cylinder(std::get<Cylinder>(b), b_in_a, margin);
    return detail::plane_core(*detail::ShapeCore(b), b_in_a, margin);
  }
  if (kind_a == Kind::cylinder) {
    const Cylinder& cylinder = std::get<Cylinder>(a);
    if (kind_b != Kind::sphere) return detail::cylinder_manifold(cylinder, b, b_in_a, margin);
    return detail::point_manifold(detail::closest_cylinder_point(cylinder, b_in_a.p), 0,
                                  std::get<Sphere>(b).radius, margin);
  }
  if (kind_a == Kind::sphere)
    return one_point(
        sphere_sphere(std::get<Sphere>(a).radius, std::get<Sphere>(b).radius, b_in_a.p), margin);
  if (kind_a == Kind::capsule) {
    const Capsule& capsule = std::get<Capsule>(a);
    if (kind_b == Kind::capsule)
      return detail::capsule_capsule(capsule, std::get<Capsule>(b), b_in_a, margin);
    return detail::point_manifold(detail::closest_segment_point(capsule.half_length, b_in_a.p),
                                  capsule.radius, std::get<Sphere>(b).radius, margin);
  }
  if (kind_a == Kind::box && kind_b == Kind::sphere)
    return detail::point_manifold(detail::closest_box_point(std::get<Box>(a), b_in_a.p), 0,
                                  std::get<Sphere>(b).radius, margin);
  const detail::ShapeCore core_a(a), core_b(b);
  return detail::core_manifold({*core_a, *core_b, b_in_a.q.toRotationMatrix(), b_in_a.p}, margin);
}

}  // namespace

Manifold manifold(const Shape& a, const Shape& b, const Pose& b_in_a, Real margin) {
  TALUS_ASSERT(validate(a).empty() && validate(b).empty() && margin >= 0);
  if (const auto* sphere = std::get_if<Sphere>(&a); sphere && std::holds_alternative<Plane>(b)) {
    // Frequent and simple enough to be written out in the sphere's frame.
    PointContact contact =
        plane_sphere(b_in_a.q * Vec3::UnitZ(), b_in_a.p, sphere->radius, Vec3::Zero());
    contact.normal = -contact.normal;
    return one_point(contact, margin);
  }
  if (!detail::must_swap(a, b)) return ordered_manifold(a, b, b_in_a, margin);
  Manifold swapped = ordered_manifold(b, a, b_in_a.inverse(), margin);
  swapped.normal = -(b_in_a.q * swapped.normal);
  for (int i = 0; i < swapped.point_count; ++i)
    swapped.points[i].position = b_in_a * swapped.points[i].position;
  return swapped;
}

}  // namespace talus::geometry
