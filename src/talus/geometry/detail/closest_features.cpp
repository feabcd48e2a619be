#include <talus/geometry/detail/closest_features.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus::geometry::detail {
namespace {

constexpr Real kNear = 1e-2;  // of the size of a core: how far below the support plane to look

/// A core in A's frame, seen along an axis that points to the other core.
struct Side {
  const Core& core;
  const Mat3 R;
  const Vec3 p;
  Vec3 axis;  // in the core's frame
  Real threshold;

  Side(const Core& c, const Mat3& rotation, const Vec3& origin, const Vec3& direction)
      : core(c), R(rotation), p(origin), axis(rotation.transpose() * direction) {
    threshold = axis.dot(core.vertices[core.support(axis)]) - kNear * core.size;
  }
  [[nodiscard]] Vec3 vertex(int i) const { return p + R * core.vertices[i]; }
  [[nodiscard]] bool is_near(int i) const { return axis.dot(core.vertices[i]) >= threshold; }
  [[nodiscard]] bool is_near(const Edge& edge) const {
    return is_near(edge.v0) || is_near(edge.v1);
  }
  [[nodiscard]] int edge_count() const {
    return core.edges.empty() ? 1 : static_cast<int>(core.edges.size());
  }
  /// A point core counts as one edge without length.
  [[nodiscard]] Edge edge(int e) const { return core.edges.empty() ? Edge{} : core.edges[e]; }
};

void offer(FeaturePair& best, const Vec3& on_a, const Vec3& on_b, const Vec3& normal) {
  const Real distance = (on_b - on_a).norm();
  if (distance < best.distance) best = {on_a, on_b, normal, distance};
}

/// A point and the nearest point of the segment b + t v: inside the segment the direction is
/// perpendicular to it, so that round-off along the segment can be taken out.
void test_point_segment(const Vec3& x, const Vec3& b, const Vec3& v, Real sign, FeaturePair& best) {
  const Real vv = v.squaredNorm();
  const Real t = vv > 0 ? std::clamp((x - b).dot(v) / vv, Real(0), Real(1)) : Real(0);
  const Vec3 y = b + t * v;
  if ((y - x).squaredNorm() >= best.distance * best.distance) return;
  Vec3 direction = sign * (y - x);
  if (t > 0 && t < 1) direction -= v * (direction.dot(v) / vv);
  const Real length = direction.norm();
  const Vec3 normal = length > 0 ? Vec3(direction / length) : best.normal;
  sign > 0 ? offer(best, x, y, normal) : offer(best, y, x, normal);
}

/// Vertices of one side over the faces of the other; sign +1 when the faces belong to A.
void test_faces_against_points(const Side& faces, const Side& points, Real sign,
                               FeaturePair& best) {
  for (int f = 0; f < static_cast<int>(faces.core.face_normals.size()); ++f) {
    const auto loop = faces.core.face(f);
    if (std::none_of(loop.begin(), loop.end(), [&](int i) { return faces.is_near(i); })) continue;
    const Vec3 n = faces.R * faces.core.face_normals[f];
    const Vec3 origin = faces.vertex(loop[0]);
    for (int i = 0; i < static_cast<int>(points.core.vertices.size()); ++i) {
      if (!points.is_near(i)) continue;
      const Vec3 x = points.vertex(i);
      const Real height = n.dot(x - origin);
      if (std::abs(height) >= best.distance) continue;
      bool is_inside = true;
      for (std::size_t k = 0; k < loop.size() && is_inside; ++k) {
        const Vec3 c = faces.vertex(loop[k]);
        is_inside =
            (faces.vertex(loop[k + 1 == loop.size() ? 0 : k + 1]) - c).cross(x - c).dot(n) >= 0;
      }
      if (!is_inside) continue;
      const Vec3 foot = x - height * n;
      sign > 0 ? offer(best, foot, x, n) : offer(best, x, foot, -n);
    }
  }
}

void test_segments(const Vec3& a, const Vec3& u, const Vec3& b, const Vec3& v, const Vec3& axis,
                   FeaturePair& best) {
  const NearestOnLines at(a, u, b, v);
  if (at.across2 > 0 && at.s > 0 && at.s < 1 && at.t > 0 && at.t < 1)
    offer(best, a + at.s * u, b + at.t * v,
          at.across * ((at.across.dot(axis) < 0 ? -1 : 1) / std::sqrt(at.across2)));
}

/// Vertices of one side and the edges of the other; sign +1 when the edges belong to B.
void test_points_against_edges(const Side& points, const Side& edges, Real sign,
                               FeaturePair& best) {
  for (int e = 0; e < edges.edge_count(); ++e) {
    const Edge edge = edges.edge(e);
    if (!edges.is_near(edge)) continue;
    const Vec3 b = edges.vertex(edge.v0), v = edges.vertex(edge.v1) - b;
    for (int i = 0; i < static_cast<int>(points.core.vertices.size()); ++i)
      if (points.is_near(i)) test_point_segment(points.vertex(i), b, v, sign, best);
  }
}

}  // namespace

FeaturePair closest_features(const CorePair& pair, const Vec3& axis, const Vec3& shift_b) {
  const Side a(pair.a, Mat3::Identity(), Vec3::Zero(), axis);
  const Side b(pair.b, pair.R, pair.p + shift_b, -axis);
  FeaturePair best;
  best.normal = axis;
  best.distance = std::numeric_limits<Real>::infinity();
  test_faces_against_points(a, b, 1, best);
  test_faces_against_points(b, a, -1, best);
  test_points_against_edges(a, b, 1, best);
  test_points_against_edges(b, a, -1, best);
  for (int j = 0; j < b.edge_count(); ++j) {
    const Edge eb = b.edge(j);
    if (!b.is_near(eb)) continue;
    const Vec3 b0 = b.vertex(eb.v0), v = b.vertex(eb.v1) - b0;
    for (int i = 0; i < a.edge_count(); ++i) {
      const Edge ea = a.edge(i);
      if (!a.is_near(ea)) continue;
      const Vec3& a0 = pair.a.vertices[ea.v0];
      test_segments(a0, pair.a.vertices[ea.v1] - a0, b0, v, axis, best);
    }
  }
  return best;
}

}  // namespace talus::geometry::detail
