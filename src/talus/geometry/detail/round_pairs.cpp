#include <talus/geometry/detail/round_pairs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/geometry/detail/feature_id.hpp>

namespace talus::geometry::detail {
namespace {

constexpr Real kCapsulesParallel =
    1e-3;                             // [rad] capsules this close to parallel touch along a line
constexpr Real kShortOverlap = 1e-6;  // of the size: two points closer than this are one

}  // namespace

ClosestPoints closest_box_point(const Box& box, const Vec3& point) {
  const Vec3& h = box.half_size;
  const Vec3 on_box = point.cwiseMax(-h).cwiseMin(h);
  const Vec3 v = point - on_box;
  const Real distance = v.norm();
  if (distance > 0) return {on_box, point, v / distance, distance};
  int axis = 0;
  const Real gap = (point.cwiseAbs() - h).maxCoeff(&axis);
  const Real sign = std::copysign(Real(1), point[axis]);
  Vec3 on_face = point;
  on_face[axis] = sign * h[axis];
  return {on_face, point, sign * Vec3::Unit(axis), gap};
}

ClosestPoints closest_segment_point(Real half_length, const Vec3& point) {
  const Vec3 on_segment(0, 0, std::clamp(point.z(), -half_length, half_length));
  const Vec3 v = point - on_segment;
  const Real distance = v.norm();
  if (distance > 0) return {on_segment, point, v / distance, distance};
  return {on_segment, point, half_length > 0 ? Vec3::UnitX() : Vec3::UnitZ(), distance};
}

ClosestPoints closest_segments(Real half_a, Real half_b, const Vec3& p, const Vec3& d) {
  // Points s e_z on A and p + t d on B: ‖p + t d − s e_z‖² is least at s = p_z + t d_z and
  // t (1 − d_z²) = d_z p_z − p·d, written here without their cancellations. At the ends of a
  // segment the other parameter follows alone.
  const Real sine_squared = d.x() * d.x() + d.y() * d.y();
  Vec3 on_a, on_b;
  bool inside_a = false, inside_b = false;
  Real best = std::numeric_limits<Real>::infinity();
  const auto offer = [&](Real s, Real t) {
    const Vec3 a(0, 0, s), b = p + t * d;
    const Real value = (b - a).squaredNorm();
    if (!(value < best)) return;
    best = value, on_a = a, on_b = b;
    inside_a = std::abs(s) < half_a, inside_b = std::abs(t) < half_b;
  };
  const auto s_of = [&](Real t) { return std::clamp(p.z() + t * d.z(), -half_a, half_a); };
  const auto t_of = [&](Real s) { return std::clamp(s * d.z() - p.dot(d), -half_b, half_b); };
  if (sine_squared > 0) {
    const Real t = std::clamp(-(p.x() * d.x() + p.y() * d.y()) / sine_squared, -half_b, half_b);
    offer(s_of(t), t);
  }
  for (const Real s : {-half_a, half_a}) offer(s, t_of(s));
  for (const Real t : {-half_b, half_b}) offer(s_of(t), t);

  // Where a closest point is inside its segment the direction is perpendicular to it: taking that
  // out leaves round-off only where it does no harm. Where both are, their common perpendicular is
  // the better of the two directions when the segments are close.
  Vec3 v = on_b - on_a;
  const Real sine = std::sqrt(sine_squared), size = half_a + half_b + p.norm();
  const Vec3 across = sine > 0 ? Vec3(Vec3(-d.y(), d.x(), 0) / sine) : Vec3::UnitX();
  if (inside_a && inside_b && v.norm() < sine * size) {
    const Real gap = across.dot(v);
    if (gap != 0) return {on_a, on_b, gap < 0 ? Vec3(-across) : across, std::abs(gap)};
    return {on_a, on_b, across.dot(p) < 0 ? Vec3(-across) : across, 0};
  }
  if (inside_a) v.z() = 0;
  if (inside_b) v -= v.dot(d) * d;
  const Real distance = v.norm();
  if (distance > 0) return {on_a, on_b, v / distance, distance};
  return {on_a, on_b, across, 0};
}

Manifold point_manifold(const ClosestPoints& closest, Real radius_a, Real radius_b, Real margin) {
  Manifold manifold;
  const Real gap = closest.gap - radius_a - radius_b;
  if (gap > margin) return manifold;
  manifold.normal = closest.normal;
  manifold.point_count = 1;
  manifold.points[0].gap = gap;
  manifold.points[0].position =
      (closest.on_a + closest.on_b + (radius_a - radius_b) * closest.normal) / 2;
  return manifold;
}

Manifold capsule_capsule(const Capsule& a, const Capsule& b, const Pose& b_in_a, Real margin) {
  const Vec3 d = b_in_a.q * Vec3::UnitZ();
  const ClosestPoints closest = closest_segments(a.half_length, b.half_length, b_in_a.p, d);
  Manifold manifold = point_manifold(closest, a.radius, b.radius, margin);
  if (manifold.point_count == 0 || std::hypot(d.x(), d.y()) > kCapsulesParallel) return manifold;
  const Real t0 = b_in_a.p.z() - b.half_length * d.z(), t1 = b_in_a.p.z() + b.half_length * d.z();
  const Real low = std::max(-a.half_length, std::min(t0, t1));
  const Real high = std::min(a.half_length, std::max(t0, t1));
  if (high - low <= kShortOverlap * (a.half_length + b.half_length)) return manifold;
  manifold.point_count = 0;
  for (const Real s : {low, high}) {
    const Vec3 on_a(0, 0, s);
    const Vec3 on_b = b_in_a.p + (s - b_in_a.p.z()) / d.z() * d;
    const Real gap = closest.normal.dot(on_b - on_a) - a.radius - b.radius;
    if (gap > margin) continue;
    ManifoldPoint& point = manifold.points[manifold.point_count++];
    point.gap = gap;
    point.position = (on_a + on_b + (a.radius - b.radius) * closest.normal) / 2;
    point.feature = feature_id(PointKind::edge_ends, true, 0, 0, s == low ? 0 : 1);
  }
  return manifold;
}

}  // namespace talus::geometry::detail
