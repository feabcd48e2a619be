#include <talus/dynamics/planar_narrow_phase.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace talus::dynamics {
namespace {

using geometry::CoreDistance;
using geometry::PlanarShape;
using geometry::reference_side;

constexpr Real kBehind = 0.5;  // sin 30°: a side of B reaches back behind one of A
constexpr Real kNear = 0.1;    // of the sides that meet there: at a corner
constexpr Real kTouch = 1e-8;  // of the lengths about: at a side, far above PlanarBodies's noise

/// The two sides of B at its corner, as unit directions away from it, and the shorter one's length.
struct Wedge {
  std::array<Vec2, 2> along;
  Real length = 0;
  /// How far the sides reach back behind a line with the normal n, as the sine of the angle.
  [[nodiscard]] Real behind(const Vec2& n) const {
    return -std::min(n.dot(along[0]), n.dot(along[1]));
  }
};

Wedge wedge_of(const PlanarShape& shape, std::size_t corner, const Mat2& R) {
  const std::size_t n = shape.corners.size();
  const Vec2 last = R * (shape.corners[(corner + n - 1) % n] - shape.corners[corner]);
  const Vec2 next = R * (shape.corners[(corner + 1) % n] - shape.corners[corner]);
  return {{last.normalized(), next.normalized()}, std::min(last.norm(), next.norm())};
}

/// The side of A that B touches near a corner of A.
struct Entry {
  CoreDistance core;
  Vec2 inward = Vec2::Zero();  ///< along it from its end there; 0 if B can rest on both or none
};

/// B can rest on a side behind which its own sides do not reach back: the one of the two sides of A
/// that meet at the corner nearest to p, if there is one such only. A side is told by the corner
/// that it begins at, counter-clockwise.
Entry entry_of(const PlanarShape& target, const Vec2& p, const Wedge& wedge,
               const CoreDistance& core) {
  const std::vector<Vec2>& corners = target.corners;
  const std::size_t n = corners.size();
  std::size_t at = 0;
  for (std::size_t i = 1; i < n; ++i)
    if ((corners[i] - p).squaredNorm() < (corners[at] - p).squaredNorm()) at = i;
  Entry entry{core};
  int count = 0;
  for (const std::size_t from : {at, (at + n - 1) % n}) {
    const Vec2 side = corners[(from + 1) % n] - corners[from];
    const Real length = side.norm();
    if ((corners[at] - p).norm() > kNear * std::min(length, wedge.length)) return {core};
    const CoreDistance line = distance_from_side(target, static_cast<Index>(from), p);
    if (wedge.behind(line.normal) > kBehind) continue;
    ++count;
    entry.core = line;
    entry.inward = (from == at ? 1 : -1) / length * side;
  }
  return count == 1 ? entry : Entry{core};
}

/// Along a side of A from the end that a point on it is nearer to, unit.
Vec2 inward_of(const PlanarShape& target, Index side, const Vec2& on_side) {
  const auto from = static_cast<std::size_t>(side);
  const Vec2 start = target.corners[from];
  const Vec2 along = (target.corners[(from + 1) % target.corners.size()] - start).normalized();
  const Vec2 middle = (start + target.corners[(from + 1) % target.corners.size()]) / 2;
  return along.dot(on_side - middle) < 0 ? along : Vec2(-along);
}

}  // namespace

Mat2 rotation2d(Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  return (Mat2() << c, -s, s, c).finished();
}

PlanarWitness closest_features(const CornerCandidate& candidate,
                               const std::vector<geometry::PlanarShape>& shapes,
                               const PlanarPose& pose_a, const PlanarPose& pose_b, bool moves_a,
                               bool moves_b, Index side) {
  const geometry::PlanarShape& target = shapes[static_cast<std::size_t>(candidate.body_a)];
  const geometry::PlanarShape& shape = shapes[static_cast<std::size_t>(candidate.body_b)];
  PlanarWitness touch;
  touch.body_a = candidate.body_a;
  touch.body_b = candidate.body_b;
  touch.corner = pose_b.p + pose_b.R * shape.corners[candidate.corner];
  const Vec2 p = pose_a.R.transpose() * (touch.corner - pose_a.p);
  CoreDistance core =
      side < 0 ? distance_from_core(target, p) : distance_from_side(target, side, p);
  const Real about =
      touch.corner.lpNorm<Eigen::Infinity>() + shape.corners[candidate.corner].norm() + p.norm();
  if (target.corners.size() > 2 && shape.corners.size() > 1 && core.distance <= kTouch * about) {
    const Wedge wedge = wedge_of(shape, candidate.corner, pose_a.R.transpose() * pose_b.R);
    const Entry entry = entry_of(target, p, wedge, core);
    if (side < 0 || side == entry.core.side) {
      core = entry.core;
      touch.inward = pose_a.R * entry.inward;
    }
  }
  if (side < 0 && core.distance > 0) {
    const Mat2 R = pose_a.R.transpose();
    const PlanarPose b_in_a{R * (pose_b.p - pose_a.p), R * pose_b.R};
    const Index parts = reference_side(target, shape, b_in_a, candidate.corner);
    if (parts >= 0) {
      core = distance_from_side(target, parts, p);
      touch.inward = pose_a.R * inward_of(target, parts, core.nearest);
    }
  }
  touch.gap = core.distance - shape.radius - target.radius;
  touch.normal = pose_a.R * core.normal;
  touch.centre = pose_a.p + pose_a.R * core.nearest;
  touch.centre_distance = core.distance;
  touch.is_point = core.is_corner;
  touch.side = core.side;
  if (shape.radius + target.radius == 0) touch.distance_to_edge_end = core.distance_to_edge_end;
  touch.surface_split = !moves_a ? 0 : !moves_b ? 1 : 0.5;
  touch.offset = shape.radius + touch.surface_split * touch.gap;
  const Vec2 on_b = touch.corner - shape.radius * touch.normal;
  const Vec2 on_a = touch.centre + target.radius * touch.normal;
  touch.position = !moves_a ? on_b : !moves_b ? on_a : Vec2((on_a + on_b) / 2);
  return touch;
}

}  // namespace talus::dynamics
