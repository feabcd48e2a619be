#include "support/planar_witness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <talus/geometry/polytope.hpp>

namespace talus::test {
namespace {

constexpr Real kUnbounded = std::numeric_limits<Real>::infinity();

/// All points within a radius of the hull of some points.
struct Outline {
  std::vector<Vec2> points;  ///< counter-clockwise
  Real radius = 0;
};

Real turn_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Gift wrapping: from each corner to the point that has all others on its left.
std::vector<Vec2> wrapped(const std::vector<Vec2>& points) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i].y() < points[first].y() ||
        (points[i].y() == points[first].y() && points[i].x() < points[first].x()))
      first = i;
  std::vector<Vec2> corners;
  for (std::size_t at = first; corners.size() <= points.size();) {
    corners.push_back(points[at]);
    std::size_t next = at;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if ((points[i] - points[at]).norm() < 1e-9) continue;
      const Real side = next == at ? -1 : turn_of(points[at], points[next], points[i]);
      const bool is_farther = (points[i] - points[at]).norm() > (points[next] - points[at]).norm();
      if (side < -1e-12 || (std::abs(side) <= 1e-12 && is_farther)) next = i;
    }
    if (next == at || (points[next] - points[first]).norm() < 1e-9) break;
    at = next;
  }
  return corners;
}

Outline outline(const model::Body& body, const Pose& at) {
  const Pose X = at * body.X_BS;
  std::vector<Vec3> points;
  Real radius = 0;
  if (const auto* disc = std::get_if<geometry::Sphere>(&body.shape)) {
    points = {Vec3::Zero()};
    radius = disc->radius;
  } else if (const auto* rod = std::get_if<geometry::Capsule>(&body.shape)) {
    points = {Vec3(0, 0, rod->half_length), Vec3(0, 0, -rod->half_length)};
    radius = rod->radius;
  } else if (const auto* box = std::get_if<geometry::Box>(&body.shape)) {
    const Real x = box->half_size.x(), y = box->half_size.y();
    points = {Vec3(x, y, 0), Vec3(-x, y, 0), Vec3(-x, -y, 0), Vec3(x, -y, 0)};
  } else {
    const auto& prism = std::get<std::shared_ptr<const geometry::Polytope>>(body.shape);
    points.assign(prism->vertices().begin(), prism->vertices().end());
  }
  std::vector<Vec2> flat;
  for (const Vec3& point : points) flat.emplace_back((X * point).head<2>());
  return {flat.size() > 2 ? wrapped(flat) : flat, radius};
}

bool is_half_plane(const model::Body& body) {
  return std::holds_alternative<geometry::Plane>(body.shape);
}

struct Extent {
  Real least = kUnbounded, most = -kUnbounded;
};
Extent extent(const Outline& shape, const Vec2& n) {
  Extent e;
  for (const Vec2& point : shape.points)
    e = {std::min(e.least, n.dot(point)), std::max(e.most, n.dot(point))};
  return e;
}

/// The largest gap of the cores along a normal of a side, or along a rod: two rods in one line are
/// apart along it alone. −∞ for two points.
Real gap_of_axes(const Outline& a, const Outline& b) {
  Real best = -kUnbounded;
  for (const Outline* shape : {&a, &b})
    for (std::size_t i = 0; i < shape->points.size() && shape->points.size() > 1; ++i) {
      const Vec2 side = shape->points[(i + 1) % shape->points.size()] - shape->points[i];
      const Vec2 n = Vec2(side.y(), -side.x()).normalized();
      const Vec2 along = shape->points.size() == 2 ? Vec2(side.normalized()) : n;
      for (const Vec2& axis : {n, Vec2(-n), along, Vec2(-along)})
        best = std::max(best, extent(b, axis).least - extent(a, axis).most);
    }
  return best;
}

/// The least distance of the points of one from the sides of the other.
Real distance_of_points(const Outline& from, const Outline& to) {
  Real least = kUnbounded;
  for (const Vec2& p : from.points)
    for (std::size_t i = 0; i < to.points.size(); ++i) {
      const Vec2 a = to.points[i], side = to.points[(i + 1) % to.points.size()] - a;
      const Real long_by = side.squaredNorm();
      const Real share = long_by > 0 ? std::clamp((p - a).dot(side) / long_by, 0.0, 1.0) : 0;
      least = std::min(least, (p - a - share * side).norm());
    }
  return least;
}

}  // namespace

Real planar_reach(const model::Body& body) {
  if (is_half_plane(body)) return kUnbounded;
  const Outline shape = outline(body, Pose{});
  Real reach = 0;
  for (const Vec2& point : shape.points) reach = std::max(reach, point.norm());
  return reach + shape.radius;
}

Real planar_half_thickness(const model::Body& body) {
  if (is_half_plane(body)) return kUnbounded;
  const Outline shape = outline(body, Pose{});
  const Extent x = extent(shape, Vec2::UnitX()), y = extent(shape, Vec2::UnitY());
  return std::min(x.most - x.least, y.most - y.least) / 2 + shape.radius;
}

Real planar_apart(const model::Body& a, const Pose& at_a, const model::Body& b, const Pose& at_b) {
  if (is_half_plane(b)) return is_half_plane(a) ? -kUnbounded : planar_apart(b, at_b, a, at_a);
  const Outline other = outline(b, at_b);
  if (is_half_plane(a)) {
    const Pose X = at_a * a.X_BS;
    const Vec2 n = (X.q * Vec3::UnitZ()).head<2>();
    return extent(other, n).least - n.dot(X.p.head<2>()) - other.radius;
  }
  const Outline one = outline(a, at_a);
  const Real radii = one.radius + other.radius, depth = gap_of_axes(one, other);
  if (depth < 0 && std::isfinite(depth)) return depth - radii;
  return std::min(distance_of_points(one, other), distance_of_points(other, one)) - radii;
}

}  // namespace talus::test
