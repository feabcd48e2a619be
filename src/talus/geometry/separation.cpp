#include <talus/geometry/separation.hpp>

#include <cmath>
#include <limits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/core_manifold.hpp>
#include <talus/geometry/detail/dispatch.hpp>
#include <talus/geometry/detail/round_pairs.hpp>

namespace talus::geometry {
namespace {

using detail::Core;
using detail::CorePair;
using detail::Kind;
using detail::ShapeCore;

constexpr Real kSameDirection = 1e-12;  // a face this close to the normal is the touching feature
constexpr Real kPerpendicular = 1e-9;   // an edge this close to perpendicular to it
constexpr Real kProof = 1e-8;           // of the size: how far the two bounds may be apart

/// Largest value of n·x over a shape in its own frame.
Real support_value(const Shape& shape, const Vec3& n) {
  if (detail::kind_of(shape) == Kind::plane)
    return n.x() == 0 && n.y() == 0 && n.z() > 0 ? 0 : std::numeric_limits<Real>::infinity();
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

Separation ordered_separation(const Shape& a, const Shape& b, const Pose& b_in_a,
                              const Vec3& start) {
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
