#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <talus/geometry/polytope.hpp>

// An independent reference for the distance of two shapes, in long double and without any pruning:
// every face, every pair of edges, every vertex. It shares no code with geometry/.
namespace talus::geometry::reference {

using Long = long double;
using LVec = Eigen::Matrix<Long, 3, 1>;
using LMat = Eigen::Matrix<Long, 3, 3>;

/// A polyhedral core: points, faces as loops of points, edges as pairs; and a thickness.
struct Body {
  std::vector<LVec> points;
  std::vector<std::vector<int>> faces;
  std::vector<std::pair<int, int>> edges;
  Long radius = 0;
};

inline void collect_edges(Body& body) {
  for (const auto& face : body.faces)
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int i = face[k], j = face[(k + 1) % face.size()];
      if (i < j) body.edges.emplace_back(i, j);
    }
}

inline Body box(const Vec3& h) {
  Body body;
  for (const int z : {-1, 1})
    for (const int y : {-1, 1})
      for (const int x : {-1, 1}) body.points.emplace_back(x * h.x(), y * h.y(), z * h.z());
  body.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  collect_edges(body);
  return body;
}

inline Body make(const Shape& shape) {
  Body body;
  if (const auto* b = std::get_if<Box>(&shape)) return box(b->half_size);
  if (const auto* s = std::get_if<Sphere>(&shape)) {
    body.points = {LVec::Zero()};
    body.radius = s->radius;
  } else if (const auto* c = std::get_if<Capsule>(&shape)) {
    body.points = {LVec(0, 0, -c->half_length), LVec(0, 0, c->half_length)};
    body.edges = {{0, 1}};
    body.radius = c->radius;
  } else if (const auto* p = std::get_if<std::shared_ptr<const Polytope>>(&shape)) {
    for (const Vec3& x : (*p)->vertices()) body.points.push_back(x.cast<Long>());
    for (const Loop& loop : (*p)->face_loops()) {
      const auto corners = (*p)->loop_vertices().subspan(loop.first, loop.count);
      body.faces.emplace_back(corners.begin(), corners.end());
    }
    collect_edges(body);
  }
  return body;
}

inline Body moved(Body body, const Pose& pose) {
  const Eigen::Quaternion<Long> q = pose.q.cast<Long>().normalized();
  const LMat R = q.toRotationMatrix();
  for (LVec& x : body.points) x = pose.p.cast<Long>() + R * x;
  return body;
}

/// Newell's normal: exact for planar loops, stable for any.
inline LVec face_normal(const Body& body, const std::vector<int>& face) {
  LVec n = LVec::Zero();
  const LVec& origin = body.points[face[0]];
  for (std::size_t k = 1; k + 1 < face.size(); ++k)
    n += (body.points[face[k]] - origin).cross(body.points[face[k + 1]] - origin);
  return n.normalized();
}

/// s(n) = min over B of n·x − max over A of n·x for the thick bodies, n unit.
inline Long support_gap(const Body& a, const Body& b, const LVec& n) {
  Long high = -std::numeric_limits<Long>::infinity(), low = -high;
  for (const LVec& x : a.points) high = std::max(high, n.dot(x));
  for (const LVec& x : b.points) low = std::min(low, n.dot(x));
  return low - high - a.radius - b.radius;
}

inline Long point_segment_distance(const LVec& p, const LVec& s0, const LVec& s1) {
  const LVec d = s1 - s0;
  const Long t = std::clamp((p - s0).dot(d) / d.squaredNorm(), Long(0), Long(1));
  return (p - s0 - t * d).norm();
}

/// Distance of two segments by all their features.
inline Long segment_distance(const LVec& a0, const LVec& a1, const LVec& b0, const LVec& b1) {
  Long best = std::min({point_segment_distance(a0, b0, b1), point_segment_distance(a1, b0, b1),
                        point_segment_distance(b0, a0, a1), point_segment_distance(b1, a0, a1)});
  const LVec u = a1 - a0, v = b1 - b0, w = b0 - a0;
  const LVec n = u.cross(v);
  const Long nn = n.squaredNorm();
  if (nn > 0) {
    const Long s = w.cross(v).dot(n) / nn, t = w.cross(u).dot(n) / nn;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
      best = std::min(best, std::abs(w.dot(n)) / std::sqrt(nn));
  }
  return best;
}

inline Long vertex_face_distance(const Body& a, const Body& b) {
  Long best = std::numeric_limits<Long>::infinity();
  for (const auto& face : b.faces) {
    const LVec n = face_normal(b, face);
    for (const LVec& p : a.points) {
      const Long height = n.dot(p - b.points[face[0]]);
      if (height < 0 || height >= best) continue;
      bool inside = true;
      for (std::size_t k = 0; k < face.size() && inside; ++k) {
        const LVec& x0 = b.points[face[k]];
        const LVec& x1 = b.points[face[(k + 1) % face.size()]];
        inside = (x1 - x0).cross(p - x0).dot(n) >= 0;
      }
      if (inside) best = height;
    }
  }
  return best;
}

/// Signed distance of the cores: over all separating axes when they overlap, over all pairs of
/// features when they do not.
inline Long core_gap(const Body& a, const Body& b) {
  Body thin_a = a, thin_b = b;
  thin_a.radius = thin_b.radius = 0;
  Long axes = -std::numeric_limits<Long>::infinity();
  for (const auto& face : a.faces)
    axes = std::max(axes, support_gap(thin_a, thin_b, face_normal(a, face)));
  for (const auto& face : b.faces)
    axes = std::max(axes, support_gap(thin_a, thin_b, -face_normal(b, face)));
  for (const auto& [i, j] : a.edges)
    for (const auto& [k, l] : b.edges) {
      const LVec n = (a.points[j] - a.points[i]).cross(b.points[l] - b.points[k]);
      const Long length = n.norm();
      const Long scale = (a.points[j] - a.points[i]).norm() * (b.points[l] - b.points[k]).norm();
      if (length <= 1e-10L * scale) continue;
      axes = std::max({axes, support_gap(thin_a, thin_b, n / length),
                       support_gap(thin_a, thin_b, -n / length)});
    }
  if (!a.faces.empty() || !b.faces.empty())
    if (axes <= 0) return axes;

  Long distance = std::min(vertex_face_distance(a, b), vertex_face_distance(b, a));
  for (const LVec& x : a.points)
    for (const LVec& y : b.points) distance = std::min(distance, (y - x).norm());
  for (const auto& [i, j] : a.edges) {
    for (const auto& [k, l] : b.edges)
      distance =
          std::min(distance, segment_distance(a.points[i], a.points[j], b.points[k], b.points[l]));
    for (const LVec& y : b.points)
      distance = std::min(distance, point_segment_distance(y, a.points[i], a.points[j]));
  }
  for (const auto& [k, l] : b.edges)
    for (const LVec& x : a.points)
      distance = std::min(distance, point_segment_distance(x, b.points[k], b.points[l]));
  return distance;
}

inline Long gap(const Body& a, const Body& b) { return core_gap(a, b) - a.radius - b.radius; }

}  // namespace talus::geometry::reference
