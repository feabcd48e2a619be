#include <talus/scene/detail/shapes.hpp>

#include <algorithm>
#include <limits>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/polytope.hpp>

namespace talus::scene::detail {
namespace {

/// Across the faces; no direction is thinner but by a pair of edges.
Real least_width(const geometry::Polytope& polytope) {
  Real least = std::numeric_limits<Real>::infinity();
  for (std::size_t f = 0; f < polytope.face_normals().size(); ++f) {
    Real lowest = std::numeric_limits<Real>::infinity();
    for (const Vec3& x : polytope.vertices())
      lowest = std::min(lowest, polytope.face_normals()[f].dot(x));
    least = std::min(least, polytope.face_offsets()[f] - lowest);
  }
  return least;
}

}  // namespace

Quat plane_rotation(const Vec3& normal) {
  return rotation_between(Vec3::UnitZ(), normal.stableNormalized());
}

Real least_thickness(const geometry::Shape& shape) {
  if (const auto* sphere = std::get_if<geometry::Sphere>(&shape)) return 2 * sphere->radius;
  if (const auto* box = std::get_if<geometry::Box>(&shape)) return 2 * box->half_size.minCoeff();
  if (const auto* capsule = std::get_if<geometry::Capsule>(&shape)) return 2 * capsule->radius;
  if (const auto* cylinder = std::get_if<geometry::Cylinder>(&shape))
    return 2 * std::min(cylinder->radius, cylinder->half_length);
  if (const auto* polytope = std::get_if<std::shared_ptr<const geometry::Polytope>>(&shape))
    return least_width(**polytope);
  if (const auto* compound = std::get_if<std::shared_ptr<const geometry::Compound>>(&shape)) {
    Real thickest = 0;
    for (const auto& member : (*compound)->members())
      thickest = std::max(thickest, least_thickness(member.shape));
    return thickest;
  }
  return std::numeric_limits<Real>::infinity();
}

Real overlap_depth(const geometry::Shape& a, const Pose& X_WA, const geometry::Shape& b,
                   const Pose& X_WB) {
  geometry::PairContacts contacts;
  geometry::contacts_of_pair(a, b, X_WA.inverse() * X_WB, 0, contacts);
  Real depth = 0;
  for (const geometry::PairContact& contact : contacts.points)
    depth = std::max(depth, -contact.gap);
  return depth;
}

}  // namespace talus::scene::detail
