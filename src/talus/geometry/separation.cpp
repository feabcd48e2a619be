#include <talus/geometry/separation.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/core_manifold.hpp>
#include <talus/geometry/detail/cylinder.hpp>
#include <talus/geometry/detail/dispatch.hpp>
#include <talus/geometry/detail/round_pairs.hpp>

namespace talus::geometry {
namespace {

using detail::Core;
using detail::CorePair;
using detail::Kind;
using detail::ShapeCore;

constexpr Real kSameDirection = 1e-12;  // a face this close to the normal is the touching feature
constexpr Real kPlaneNormal = 1e-14;    // from that of a plane: what turning it into frames leaves
constexpr Real kPerpendicular = 1e-9;   // an edge this close to perpendicular to it
constexpr Real kProof = 1e-8;           // of the size: how far the two bounds may be apart

/// Largest value of n·x over a shape in its own frame.
Real support_value(const Shape& shape, const Vec3& n) {
  if (detail::kind_of(shape) == Kind::plane)
    return n.head<2>().norm() <= kPlaneNormal && n.z() > 0 ? 0
                                                           : std::numeric_limits<Real>::infinity();
  if (const auto* cylinder = std::get_if<Cylinder>(&shape))
    return detail::support_value(*cylinder, n);
  const ShapeCore core(shape);
  return n.dot(core->vertices[core->support(n)]) + core->radius;
}

/// The face, edge or vertex of a core that lies farthest along d.
Feature supporting_feature(const Core& core, const Vec3& d) {
  const int face = detail::supporting_face(core, d);
  if (face >= 0 && 1 - core.face_normals[face].dot(d) <= kSameDirection)
    return {Feature::Kind::face, face};
  const int vertex = core.support(d);
  for (int e = 0; e < static_cast<int>(core.edges.size()); ++e)
    if ((core.edges[e].v0 == vertex || core.edges[e].v1 == vertex) &&
        std::abs(core.edge_directions[e].dot(d)) <= kPerpendicular)
      return {Feature::Kind::edge, e};
  return {Feature::Kind::vertex, vertex};
}

/// An end (0 below, 1 above), the mantle (face 2) or a rim (edges 0 and 1).
Feature supporting_feature(const Cylinder&, const Vec3& d) {
  const int end = d.z() > 0 ? 1 : 0;
  if (1 - std::abs(d.z()) <= kSameDirection) return {Feature::Kind::face, end};
  if (std::abs(d.z()) <= kPerpendicular) return {Feature::Kind::face, 2};
  return {Feature::Kind::edge, end};
}

Separation from_points(const detail::ClosestPoints& points) {
  Separation result;
  result.gap = points.gap;
  result.normal = points.normal;
  result.on_a = points.on_a;
  result.on_b = points.on_b;
  return result;
}

Separation plane_core(const Core& core, const Pose& core_in_plane) {
  const Mat3 R = core_in_plane.q.toRotationMatrix();
  const Vec3 down = -R.row(2);
  const Vec3 lowest = core_in_plane.p + R * core.vertices[core.support(down)];
  return from_points({{lowest.x(), lowest.y(), 0}, lowest, Vec3::UnitZ(), lowest.z()});
}

Separation core_core(const CorePair& pair, const Vec3& start) {
  detail::CoreSeparation cores =
      detail::core_separation(pair, std::numeric_limits<Real>::infinity(), start);
  find_witness(pair, cores);
  Separation result = from_points({cores.on_a, cores.on_b, cores.normal, cores.gap});
  result.iteration_count = cores.iteration_count;
  return result;
}

/// Signed distance of the cores of a pair in its computing order.
Separation ordered_cores(const Shape& a, const Shape& b, const CorePair& pair, const Pose& b_in_a,
                         const Vec3& start) {
  const Kind kind_a = detail::kind_of(a), kind_b = detail::kind_of(b);
  if (kind_b == Kind::sphere) {
    if (kind_a == Kind::sphere) return from_points(detail::closest_segment_point(0, b_in_a.p));
    if (kind_a == Kind::capsule)
      return from_points(detail::closest_segment_point(std::get<Capsule>(a).half_length, b_in_a.p));
    if (kind_a == Kind::box)
      return from_points(detail::closest_box_point(std::get<Box>(a), b_in_a.p));
  }
  if (kind_a == Kind::capsule && kind_b == Kind::capsule)
    return from_points(detail::closest_segments(std::get<Capsule>(a).half_length,
                                                std::get<Capsule>(b).half_length, b_in_a.p,
                                                b_in_a.q * Vec3::UnitZ()));
  return core_core(pair, start);
}

/// Signed distance where one of the two is a cylinder.
Separation cylinder_separation(const Shape& a, const Shape& b, const Pose& b_in_a) {
  const Mat3 R = b_in_a.q.toRotationMatrix();
  Separation result;
  if (detail::kind_of(a) == Kind::plane) {
    const Cylinder& cylinder = std::get<Cylinder>(b);
    const Vec3 lowest = b_in_a.p + R * detail::support_point(cylinder, -R.row(2));
    result = from_points({{lowest.x(), lowest.y(), 0}, lowest, Vec3::UnitZ(), lowest.z()});
    result.feature_a = {Feature::Kind::face, 0};
    result.feature_b = supporting_feature(cylinder, -R.row(2));
    return result;
  }
  const Cylinder& cylinder = std::get<Cylinder>(a);
  if (const auto* other = std::get_if<Cylinder>(&b)) {
    result = from_points(
        detail::cylinder_cylinder(cylinder, *other, b_in_a, std::numeric_limits<Real>::infinity()));
    result.feature_b = supporting_feature(*other, -(R.transpose() * result.normal));
  } else {
    const ShapeCore core(b);
    result = from_points(detail::kind_of(b) == Kind::sphere
                             ? detail::closest_cylinder_point(cylinder, b_in_a.p)
                             : detail::cylinder_core(cylinder, *core, R, b_in_a.p,
                                                     std::numeric_limits<Real>::infinity()));
    result.feature_b = supporting_feature(*core, -(R.transpose() * result.normal));
    result.on_b -= core->radius * result.normal;
    result.gap -= core->radius;
  }
  result.feature_a = supporting_feature(cylinder, result.normal);
  return result;
}

Separation ordered_separation(const Shape& a, const Shape& b, const Pose& b_in_a,
                              const Vec3& start) {
  if (detail::kind_of(a) == Kind::cylinder || detail::kind_of(b) == Kind::cylinder)
    return cylinder_separation(a, b, b_in_a);
  const ShapeCore core_b(b);
  const Mat3 R = b_in_a.q.toRotationMatrix();
  Separation result;
  Real radius_a = 0;
  if (detail::kind_of(a) == Kind::plane) {
    result = plane_core(*core_b, b_in_a);
    result.feature_a = {Feature::Kind::face, 0};
  } else {
    const ShapeCore core_a(a);
    result = ordered_cores(a, b, {*core_a, *core_b, R, b_in_a.p}, b_in_a, start);
    result.feature_a = supporting_feature(*core_a, result.normal);
    radius_a = core_a->radius;
  }
  result.feature_b = supporting_feature(*core_b, -(R.transpose() * result.normal));
  result.on_a += radius_a * result.normal;
  result.on_b -= core_b->radius * result.normal;
  result.gap -= radius_a + core_b->radius;
  return result;
}

}  // namespace

Real support_gap(const Shape& a, const Shape& b, const Pose& b_in_a, const Vec3& unit_normal) {
  TALUS_ASSERT(validate(a).empty() && validate(b).empty());
  const Vec3 in_b = b_in_a.q.conjugate() * unit_normal;
  return unit_normal.dot(b_in_a.p) - support_value(b, -in_b) - support_value(a, unit_normal);
}

Separation separation(const Shape& a, const Shape& b, const Pose& b_in_a, SeparationCache* cache) {
  TALUS_ASSERT(validate(a).empty() && validate(b).empty());
  TALUS_DEMAND(detail::kind_of(a) != Kind::plane || detail::kind_of(b) != Kind::plane);
  const Vec3 start = cache ? cache->axis : Vec3::Zero();
  Separation result;
  if (detail::must_swap(a, b)) {
    result = ordered_separation(b, a, b_in_a.inverse(), -(b_in_a.q.conjugate() * start));
    result.normal = -(b_in_a.q * result.normal);
    const Vec3 on_a = b_in_a * result.on_b;
    result.on_b = b_in_a * result.on_a;
    result.on_a = on_a;
    std::swap(result.feature_a, result.feature_b);
  } else {
    result = ordered_separation(a, b, b_in_a, start);
  }
  const bool is_bounded = detail::kind_of(a) != Kind::plane && detail::kind_of(b) != Kind::plane;
  const Real size = is_bounded ? bounding_radius(a) + bounding_radius(b) : 0;
  result.certified = is_bounded ? support_gap(a, b, b_in_a, result.normal) : result.gap;
  if (result.gap - result.certified <= kProof * size) result.status = Separation::Status::certified;
  if (cache) cache->axis = result.normal;
  return result;
}

}  // namespace talus::geometry
