#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/cylinder.hpp>
#include <talus/geometry/detail/feature_id.hpp>

namespace talus::geometry::detail {
namespace {

constexpr Real kEndAligned =
    2e-2;  // [rad] an end or a mantle line this close to the normal touches
constexpr Real kLinesParallel = 1e-2;  // [rad] lines this close to parallel touch along a line
constexpr Real kLinesApart = 0.1;      // of the radii: how far aside their ends may be then

Vec3 rim_point(const Cylinder& c, int k, Real z) {
  const Real angle = 2 * std::numbers::pi * k / CylinderFeature::kCorners;
  return {c.radius * std::cos(angle), c.radius * std::sin(angle), z};
}

constexpr Edge kLine[1] = {{0, 1, -1, -1}};

Real size_of(const Cylinder& c) { return std::hypot(c.radius, c.half_length); }

}  // namespace

CylinderFeature::CylinderFeature(const Cylinder& c, const Vec3& d) {
  core_.size = size_of(c);
  const Real across = std::hypot(d.x(), d.y());
  const Vec3 farthest = support_point(c, d);
  if (across < kEndAligned) {
    const bool is_up = d.z() > 0;
    const Real z = is_up ? c.half_length : -c.half_length;
    for (int k = 0; k < kCorners; ++k) vertices_[k] = rim_point(c, k, z);
    int count = kCorners;
    // How much lower the lowest point of the rim is than the fixed ones next to it.
    const Real angle = across > 0 ? std::atan2(d.y(), d.x()) : 0;
    const Real turns = angle / (2 * std::numbers::pi) * kCorners;
    const int before = static_cast<int>(std::floor(turns));
    const Real off = std::min(turns - before, before + 1 - turns);
    const Real lower = c.radius * across * (1 - std::cos(off * 2 * std::numbers::pi / kCorners));
    if (lower > kTie * core_.size) vertices_[count++] = farthest;
    int place = 0;
    for (int k = 0; k < kCorners; ++k) {
      loop_[place++] = k;
      if (count > kCorners && k == (before + kCorners) % kCorners) loop_[place++] = kCorners;
    }
    if (!is_up) std::reverse(loop_.begin(), loop_.begin() + count);
    core_.vertices = std::span(vertices_).first(count);
    face_[0] = {0, count};
    normal_[0] = {0, 0, is_up ? 1.0 : -1.0};
    offset_[0] = c.half_length;
    core_.face_normals = normal_;
    core_.face_offsets = offset_;
    core_.face_loops = face_;
    core_.loop_vertices = std::span(loop_).first(count);
  } else if (std::abs(d.z()) < kEndAligned) {
    vertices_[0] = {farthest.x(), farthest.y(), -c.half_length};
    vertices_[1] = {farthest.x(), farthest.y(), c.half_length};
    direction_[0] = Vec3::UnitZ();
    core_.vertices = std::span(vertices_).first(2);
    core_.edges = kLine;
    core_.edge_directions = direction_;
  } else {
    vertices_[0] = farthest;
    core_.vertices = std::span(vertices_).first(1);
  }
}

namespace {

/// The pair with B either a core or a second cylinder.
struct Pair {
  const Cylinder& a;
  const Cylinder* b_cylinder;
  const Core* b_core;
  Pose X;
  Mat3 R;

  /// The radii of two lines that touch.
  [[nodiscard]] Real radii() const {
    return a.radius + (b_cylinder != nullptr ? b_cylinder->radius : b_core->radius);
  }

  [[nodiscard]] Real support_gap(const Vec3& n) const {
    const Vec3 in_b = R.transpose() * n;
    const Real low = b_cylinder != nullptr ? -support_value(*b_cylinder, in_b)
                                           : in_b.dot(b_core->vertices[b_core->support(-in_b)]);
    return n.dot(X.p) + low - support_value(a, n);
  }
  [[nodiscard]] Real smaller_size() const {
    return std::min(size_of(a), b_cylinder != nullptr ? size_of(*b_cylinder) : b_core->size);
  }
};

struct Choice {
  Vec3 normal;
  bool on_a = false;
  bool has_face = false;
};

/// The normal and the flat face it belongs to: A's end first, then B's face or end if better by the
/// tie, then none; faces nearly along the normal are clipped against it as it is.
Choice choose(const Pair& pair, const ClosestPoints& sep) {
  const Real size = kTie * pair.smaller_size();
  const Real tie = sep.gap > size ? size * (size / sep.gap) : size;
  const Vec3 end_a(0, 0, std::copysign(Real(1), sep.normal.z()));
  if (pair.support_gap(end_a) >= sep.gap - tie) return {end_a, true, true};
  const Vec3 towards_a = -(pair.R.transpose() * sep.normal);
  Vec3 face_b = Vec3::Zero();
  if (pair.b_cylinder != nullptr) {
    face_b = -std::copysign(Real(1), towards_a.z()) * pair.R.col(2);
  } else if (const int face = supporting_face(*pair.b_core, towards_a); face >= 0) {
    face_b = -(pair.R * pair.b_core->face_normals[face]);
  }
  if (!face_b.isZero() && pair.support_gap(face_b) >= sep.gap - tie) return {face_b, false, true};
  if ((end_a - sep.normal).norm() < kEndAligned) return {sep.normal, true, true};
  if (!face_b.isZero() && (face_b - sep.normal).norm() < kEndAligned)
    return {sep.normal, false, true};
  return {sep.normal, false, false};
}

/// Lines of a mantle and of B that are nearly parallel touch where they cross, and come apart
/// towards the ends, which lie aside of each other by x, as two circles do:
///   gap = n · (b − a) + R − √(R² − x²),   R the sum of the radii.
void take_line(const CorePair& pair, int edge_b, const Vec3& normal, Real radii, Real tie,
               const ClosestPoints& sep, CorePatch& patch) {
  clip_edges(pair, 0, edge_b, normal, patch);
  bool is_deepest = false;
  for (int i = 0; i < patch.count; ++i) {
    CorePoint& point = patch.points[i];
    const Real aside = (point.on_b - point.on_a).cross(normal).dot(pair.a.edge_directions[0]);
    if (std::abs(aside) > kLinesApart * radii) {
      patch.count = 0;
      return;
    }
    point.gap += radii - std::sqrt(radii * radii - aside * aside);
    is_deepest = is_deepest || point.gap <= sep.gap + tie;
  }
  if (patch.count > 0 && !is_deepest)
    patch.points[patch.count++] = {sep.on_a, sep.on_b, sep.gap,
                                   feature_id(PointKind::witness, false, 0)};
}

void find_cylinder_patch(const CorePair& pair, const Choice& choice, const ClosestPoints& sep,
                         Real radii, Real push, CorePatch& patch) {
  patch.count = 0;
  const Vec3 towards_a = -(pair.R.transpose() * choice.normal);
  if (choice.has_face) {
    const int face =
        choice.on_a ? supporting_face(pair.a, choice.normal) : supporting_face(pair.b, towards_a);
    if (face >= 0) clip_to_face(pair, {choice.on_a, face}, choice.normal, push, patch);
    return;
  }
  if (pair.a.edges.empty()) return;
  for (int e = 0; e < static_cast<int>(pair.b.edges.size()); ++e) {
    const int vertex = pair.b.support(towards_a);
    const Edge& edge = pair.b.edges[e];
    if (edge.v0 != vertex && edge.v1 != vertex) continue;
    const Vec3 along = pair.R * pair.b.edge_directions[e];
    if (pair.a.edge_directions[0].cross(along).norm() < kLinesParallel &&
        std::abs(choice.normal.dot(along)) < kLinesParallel)
      return take_line(pair, e, choice.normal, radii, push, sep, patch);
  }
}

Manifold manifold_of(const CorePatch& patch, const Vec3& normal, Real radius_b) {
  Manifold manifold;
  manifold.normal = normal;
  manifold.point_count = patch.count;
  for (int i = 0; i < patch.count; ++i) {
    const CorePoint& point = patch.points[i];
    manifold.points[i].gap = point.gap - radius_b;
    manifold.points[i].feature = point.feature;
    manifold.points[i].position = (point.on_a + point.on_b - radius_b * normal) / 2;
  }
  return manifold;
}

void keep_within(Real gap, CorePatch& patch) {
  int kept = 0;
  for (int i = 0; i < patch.count; ++i)
    if (patch.points[i].gap <= gap) patch.points[kept++] = patch.points[i];
  patch.count = kept;
}

}  // namespace

Manifold cylinder_manifold(const Cylinder& a, const Shape& b, const Pose& b_in_a, Real margin) {
  const auto* b_cylinder = std::get_if<Cylinder>(&b);
  std::optional<ShapeCore> b_shape;
  if (b_cylinder == nullptr) b_shape.emplace(b);
  const Pair pair{a, b_cylinder, b_shape ? &**b_shape : nullptr, b_in_a,
                  b_in_a.q.toRotationMatrix()};
  const Real radius = b_shape ? (*b_shape)->radius : 0;
  const Real reach = size_of(a) + (b_cylinder ? size_of(*b_cylinder) : (*b_shape)->size) + margin;
  if (b_in_a.p.squaredNorm() > reach * reach) return {};
  const ClosestPoints sep = b_cylinder != nullptr
                                ? cylinder_cylinder(a, *b_cylinder, b_in_a, margin)
                                : cylinder_core(a, *pair.b_core, pair.R, b_in_a.p, margin + radius);
  if (sep.gap - radius > margin) return {};

  Choice choice = choose(pair, sep);
  const CylinderFeature feature_a(a, choice.normal);
  std::optional<CylinderFeature> feature_b;
  if (b_cylinder != nullptr) feature_b.emplace(*b_cylinder, -(pair.R.transpose() * choice.normal));
  const CorePair features{*feature_a, feature_b ? **feature_b : *pair.b_core, pair.R, b_in_a.p};
  const Real tie = kTie * pair.smaller_size();
  CorePatch patch;
  find_cylinder_patch(features, choice, sep, pair.radii(), tie, patch);
  Real smallest = std::numeric_limits<Real>::infinity();
  for (int i = 0; i < patch.count; ++i) smallest = std::min(smallest, patch.points[i].gap);
  if (smallest > sep.gap + 2 * tie) {
    choice.normal = sep.normal;
    patch.points[0] = {sep.on_a, sep.on_b, sep.gap, feature_id(PointKind::witness, false, 0)};
    patch.count = 1;
  }
  keep_within(margin + radius, patch);
  reduce_patch(patch, Manifold::kMaxPoints, tie);
  return manifold_of(patch, choice.normal, radius);
}

Manifold plane_cylinder(const Cylinder& b, const Pose& b_in_a, Real margin) {
  const Mat3 R = b_in_a.q.toRotationMatrix();
  const Vec3 down = -R.row(2);  // in the cylinder's frame
  CorePatch patch;
  patch.count = 0;
  const auto offer = [&](const Vec3& x, int name) {
    CorePoint& point = patch.points[patch.count++];
    point.on_b = b_in_a.p + R * x;
    point.on_a = Vec3(point.on_b.x(), point.on_b.y(), 0);
    point.gap = point.on_b.z();
    point.feature = feature_id(PointKind::core_vertex, true, 0, name);
  };
  const Real across = std::hypot(down.x(), down.y());
  if (across < kEndAligned) {
    const Real z = down.z() > 0 ? b.half_length : -b.half_length;
    const int first = down.z() > 0 ? 8 : 0;
    Real lowest = std::numeric_limits<Real>::infinity();
    for (int k = 0; k < CylinderFeature::kCorners; k += 2) {
      offer(rim_point(b, k, z), first + k);
      lowest = std::min(lowest, patch.points[patch.count - 1].gap);
    }
    const Vec3 x = support_point(b, down);
    if ((b_in_a.p + R * x).z() < lowest - kTie * size_of(b)) offer(x, first + 1);
  } else {
    const Vec3 x = support_point(b, down);
    offer({x.x(), x.y(), -b.half_length}, 16);
    offer({x.x(), x.y(), b.half_length}, 17);
  }
  keep_within(margin, patch);
  reduce_patch(patch, Manifold::kMaxPoints, kTie * size_of(b));
  return manifold_of(patch, Vec3::UnitZ(), 0);
}

}  // namespace talus::geometry::detail
