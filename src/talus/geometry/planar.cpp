#include <talus/geometry/planar.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <talus/base/contract.hpp>
#include <talus/geometry/polytope.hpp>

namespace talus::geometry {
namespace {

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// The vector turned by −90°: out of a polygon for a side run through counter-clockwise.
Vec2 outward(const Vec2& side) { return {side.y(), -side.x()}; }

PlanarShape shadow_of(const Sphere& sphere, const Pose& X) {
  return {{X.p.head<2>()}, sphere.radius, false, Vec2::UnitY()};
}
PlanarShape shadow_of(const Capsule& capsule, const Pose& X) {
  const Vec3 half = X.q * Vec3(0, 0, capsule.half_length);
  return {convex_hull({(X.p - half).head<2>(), (X.p + half).head<2>()}), capsule.radius, false,
          Vec2::UnitY()};
}
PlanarShape shadow_of(const Box& box, const Pose& X) {
  std::vector<Vec2> points;
  for (int i = 0; i < 8; ++i) {
    const Vec3 sign((i & 1) != 0 ? 1 : -1, (i & 2) != 0 ? 1 : -1, 0);
    if (i < 4) points.emplace_back((X * Vec3(sign.cwiseProduct(box.half_size))).head<2>());
  }
  const Vec3 depth = X.q * Vec3(0, 0, box.half_size.z());
  const std::vector<Vec2> middle = points;
  points.clear();
  for (const Vec2& p : middle) {
    points.emplace_back(p + depth.head<2>());
    points.emplace_back(p - depth.head<2>());
  }
  return {convex_hull(points), 0, false, Vec2::UnitY()};
}
PlanarShape shadow_of(const Plane& /*plane*/, const Pose& X) {
  const Vec3 normal = X.q * Vec3::UnitZ();
  TALUS_DEMAND(std::abs(normal.z()) < 1e-9);
  return {{X.p.head<2>()}, 0, true, normal.head<2>().normalized()};
}
PlanarShape shadow_of(const std::shared_ptr<const Polytope>& polytope, const Pose& X) {
  std::vector<Vec2> points;
  for (const Vec3& vertex : polytope->vertices()) points.emplace_back((X * vertex).head<2>());
  return {convex_hull(points), 0, false, Vec2::UnitY()};
}

/// Nearest point of a segment, and whether it is one of its ends.
struct Nearest {
  Vec2 point;
  bool is_end;
  Real distance_to_edge_end;  // to the nearer end
};
Nearest nearest_of(const Vec2& a, const Vec2& b, const Vec2& p) {
  const Vec2 side = b - a;
  const Real share = (p - a).dot(side) / side.squaredNorm();
  const Real inside = std::max(std::min(share, 1 - share), Real(0));
  return {a + std::clamp(share, Real(0), Real(1)) * side, share < 0 || share > 1,
          inside * side.norm()};
}

/// The least n·(x − from) of some points.
Real least_along(const Vec2& n, const Vec2& from, const std::vector<Vec2>& points) {
  Real least = std::numeric_limits<Real>::infinity();
  for (const Vec2& x : points) least = std::min(least, n.dot(x - from));
  return least;
}

/// The largest gap of points from the sides of a convex core, along a side's normal; of a point −∞,
/// a segment has two sides.
Real largest_gap(const std::vector<Vec2>& core, const std::vector<Vec2>& points) {
  Real largest = -std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; core.size() > 1 && i < core.size(); ++i) {
    const Vec2 normal = outward(core[(i + 1) % core.size()] - core[i]).normalized();
    largest = std::max(largest, least_along(normal, core[i], points));
  }
  return largest;
}

}  // namespace

/// Andrew's monotone chain.
std::vector<Vec2> convex_hull(std::vector<Vec2> points) {
  const auto less = [](const Vec2& a, const Vec2& b) {
    return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
  };
  std::sort(points.begin(), points.end(), less);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2> result;
  const auto sweep = [&](auto first, auto last) {
    const std::size_t base = result.size();
    for (auto p = first; p != last; ++p) {
      while (result.size() >= base + 2 &&
             cross(result.back() - result[result.size() - 2], *p - result.back()) <= 0)
        result.pop_back();
      result.push_back(*p);
    }
    result.pop_back();
  };
  sweep(points.begin(), points.end());
  sweep(points.rbegin(), points.rend());
  return result;
}

PlanarShape project_to_plane(const Shape& shape, const Pose& X) {
  return std::visit(
      [&](const auto& s) -> PlanarShape {
        if constexpr (requires { shadow_of(s, X); })
          return shadow_of(s, X);
        else
          TALUS_DEMAND(!"only sphere, plane, box, capsule and polytope have a planar shadow");
        return {};
      },
      shape);
}

Real bounding_radius(const PlanarShape& shape) {
  if (shape.is_half_plane) return std::numeric_limits<Real>::infinity();
  Real reach = 0;
  for (const Vec2& corner : shape.corners) reach = std::max(reach, corner.norm());
  return reach + shape.radius;
}

CoreDistance distance_from_core(const PlanarShape& shape, const Vec2& p) {
  const std::vector<Vec2>& corners = shape.corners;
  const std::size_t n = corners.size();
  if (shape.is_half_plane) {
    const Real distance = shape.normal.dot(p - corners[0]);
    return {distance, shape.normal, p - distance * shape.normal, false,
            std::numeric_limits<Real>::infinity()};
  }
  const auto apart = [&](const Nearest& nearest, const Vec2& otherwise) {
    const Vec2 between = p - nearest.point;
    const Real distance = between.norm();
    return CoreDistance{distance, distance > 0 ? Vec2(between / distance) : otherwise,
                        nearest.point, nearest.is_end, nearest.distance_to_edge_end};
  };
  if (n == 1) return apart({corners[0], true, 0}, Vec2::UnitX());
  if (n == 2)
    return apart(nearest_of(corners[0], corners[1], p),
                 outward(corners[1] - corners[0]).normalized());
  CoreDistance inside{-std::numeric_limits<Real>::infinity(), Vec2::UnitY(), p, false, 0};
  CoreDistance outside{std::numeric_limits<Real>::infinity(), Vec2::UnitY(), p, false, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2& a = corners[i];
    const Vec2& b = corners[(i + 1) % n];
    const Vec2 normal = outward(b - a).normalized();
    const Real height = normal.dot(p - a);
    const Nearest nearest = nearest_of(a, b, p);
    const auto at = static_cast<Index>(i);
    if (height > inside.distance)
      inside = {height, normal, p - height * normal, false, nearest.distance_to_edge_end, at};
    CoreDistance side = apart(nearest, normal);
    if (!nearest.is_end) {
      side.normal = height < 0 ? Vec2(-normal) : normal;
      side.side = at;
    }
    if (side.distance < outside.distance) outside = side;
  }
  return inside.distance <= 0 ? inside : outside;
}

CoreDistance distance_from_side(const PlanarShape& shape, Index side, const Vec2& p) {
  const auto n = static_cast<Index>(shape.corners.size());
  TALUS_DEMAND(n > 2 && side >= 0 && side < n);
  const Vec2& from = shape.corners[static_cast<std::size_t>(side)];
  const Vec2 way = shape.corners[static_cast<std::size_t>((side + 1) % n)] - from;
  const Real length = way.norm(), along = way.dot(p - from) / length;
  const Vec2 normal = outward(way) / length;
  const Real height = normal.dot(p - from);
  return {height, normal, p - height * normal, false, std::min(along, length - along), side};
}

Real separation(const PlanarShape& a, const PlanarPose& pose_a, const PlanarShape& b,
                const PlanarPose& pose_b) {
  if (b.is_half_plane && !a.is_half_plane) return separation(b, pose_b, a, pose_a);
  if (b.is_half_plane) return -std::numeric_limits<Real>::infinity();
  // Both cores in the frame of A.
  PlanarShape core = b;
  for (Vec2& corner : core.corners)
    corner = pose_a.R.transpose() * (pose_b.p + pose_b.R * corner - pose_a.p);
  const Real radii = a.radius + b.radius;
  if (a.is_half_plane) return least_along(a.normal, a.corners.front(), core.corners) - radii;
  const Real depth =
      std::max(largest_gap(a.corners, core.corners), largest_gap(core.corners, a.corners));
  if (depth < 0 && std::isfinite(depth)) return depth - radii;  // two points have no sides
  Real distance = std::numeric_limits<Real>::infinity();
  for (const Vec2& corner : core.corners)
    distance = std::min(distance, std::abs(distance_from_core(a, corner).distance));
  for (const Vec2& corner : a.corners)
    distance = std::min(distance, std::abs(distance_from_core(core, corner).distance));
  return distance - radii;
}

Index reference_side(const PlanarShape& a, const PlanarShape& b, const PlanarPose& b_in_a,
                     std::size_t corner) {
  const std::vector<Vec2>& corners = a.corners;
  const std::size_t n = corners.size(), m = b.corners.size();
  if (n < 3 || m < 3) return -1;
  const auto place = [&](std::size_t j) { return Vec2(b_in_a.p + b_in_a.R * b.corners[j % m]); };
  const Vec2 p = place(corner);
  const Vec2 last = place(corner + m - 1) - p, next = place(corner + 1) - p;
  CoreDistance deepest{-std::numeric_limits<Real>::infinity()};
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 across = outward(corners[(i + 1) % n] - corners[i]);
    if (across.dot(last) < 0 || across.dot(next) < 0) continue;
    const CoreDistance side = distance_from_side(a, static_cast<Index>(i), p);
    if (side.distance >= 0) return -1;
    if (side.distance > deepest.distance) deepest = side;
  }
  if (deepest.side < 0 || deepest.distance_to_edge_end < deepest.distance) return -1;
  // Whether some corner of B is as deep behind every side of A, and of A behind every side of B.
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 normal = outward(corners[(i + 1) % n] - corners[i]).normalized();
    Real least = std::numeric_limits<Real>::infinity();
    for (std::size_t j = 0; j < m && least > deepest.distance; ++j)
      least = std::min(least, normal.dot(place(j) - corners[i]));
    if (least > deepest.distance) return -1;
  }
  for (std::size_t j = 0; j < m; ++j) {
    const Vec2 normal = outward(place(j + 1) - place(j)).normalized();
    if (least_along(normal, place(j), corners) > deepest.distance) return -1;
  }
  return deepest.side;
}

AreaProperties area_properties(const PlanarShape& shape) {
  constexpr Real kPi = std::numbers::pi;
  const std::vector<Vec2>& c = shape.corners;
  const Real r = shape.radius;
  TALUS_DEMAND(!shape.is_half_plane && !c.empty() && (c.size() < 3 || r == 0));
  if (c.size() == 1) return {kPi * r * r, c[0], kPi / 2 * r * r * r * r};
  if (c.size() ==
      2) {  // rectangle l × 2r and two half discs, centres 4r/(3π) from their flat sides
    const Real l = (c[1] - c[0]).norm(), rectangle = 2 * r * l, discs = kPi * r * r;
    return {rectangle + discs, (c[0] + c[1]) / 2,
            rectangle * (l * l + 4 * r * r) / 12 +
                discs * (r * r / 2 + l * l / 4 + 4 * l * r / (3 * kPi))};
  }
  AreaProperties sum;
  Real about_first = 0;
  for (std::size_t i = 1; i + 1 < c.size(); ++i) {  // triangles from the first corner
    const Vec2 a = c[i] - c[0], b = c[i + 1] - c[0];
    const Real area = cross(a, b) / 2;
    sum.area += area;
    sum.centre += area * (a + b) / 3;
    about_first += area / 6 * (a.dot(a) + a.dot(b) + b.dot(b));
  }
  sum.centre /= sum.area;
  sum.moment = about_first - sum.area * sum.centre.squaredNorm();
  sum.centre += c[0];
  return sum;
}

}  // namespace talus::geometry
