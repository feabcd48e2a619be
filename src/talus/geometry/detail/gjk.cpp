#include <talus/geometry/detail/gjk.hpp>

#include <limits>

namespace talus::geometry::detail {
namespace {

/// A point w = b − a of the Minkowski difference with the vertices that make it.
struct Support {
  Vec3 w, a, b;
  int ia, ib;
};

struct Simplex {
  std::array<Support, 4> points;
  std::array<Real, 4> weights;
  int count = 0;
  Vec3 closest;  ///< Σ weight w: the point of the simplex closest to the origin
};

/// The best point found so far among the faces of the simplex.
struct ClosestSubset {
  Real squared = std::numeric_limits<Real>::infinity();
  Vec3 point = Vec3::Zero();
  std::array<int, 3> index{};
  std::array<Real, 3> weight{};
  int count = 0;

  void offer(const Vec3& p, std::array<int, 3> i, std::array<Real, 3> w, int n) {
    const Real value = p.squaredNorm();
    if (value < squared) squared = value, point = p, index = i, weight = w, count = n;
  }
};

bool holds_origin(const Simplex& s) {
  const Vec3 &p0 = s.points[0].w, &p1 = s.points[1].w, &p2 = s.points[2].w, &p3 = s.points[3].w;
  const Vec3 c = p1.cross(p2);
  const Real v3 = p0.dot(c), v0 = -p3.dot(c);
  const Vec3 d = p0.cross(p3);
  const Real v1 = -d.dot(p2), v2 = d.dot(p1);
  return (v0 > 0 && v1 > 0 && v2 > 0 && v3 > 0) || (v0 < 0 && v1 < 0 && v2 < 0 && v3 < 0);
}

/// Reduces the simplex to the smallest face that holds its point closest to the origin. Only faces
/// with the newest point can, since that point lies beyond the plane of the previous closest point.
/// Returns true when the simplex is a tetrahedron around the origin.
bool reduce(Simplex& s) {
  if (s.count == 4 && holds_origin(s)) return true;
  const int last = s.count - 1;
  const Vec3& p = s.points[last].w;
  ClosestSubset best;
  best.offer(p, {last, 0, 0}, {1, 0, 0}, 1);
  for (int i = 0; i < last; ++i) {
    const Vec3 e = s.points[i].w - p;
    const Real t = -p.dot(e), length = e.squaredNorm();
    if (t > 0 && t < length) {
      const Real x = t / length;
      best.offer(p + x * e, {last, i, 0}, {1 - x, x, 0}, 2);
    }
    for (int j = 0; j < i; ++j) {
      const Vec3& q = s.points[j].w;
      const Vec3 n = e.cross(q - p);
      const Real area = n.squaredNorm();
      const Real wi = n.dot(q.cross(p)), wj = n.dot(p.cross(s.points[i].w));
      if (!(wi > 0 && wj > 0 && wi + wj < area)) continue;
      best.offer(n * (n.dot(p) / area), {last, i, j},
                 {(area - wi - wj) / area, wi / area, wj / area}, 3);
    }
  }
  const std::array<Support, 4> old = s.points;
  s.count = best.count;
  // The newest point stays last.
  for (int k = 0; k < best.count; ++k) {
    s.points[best.count - 1 - k] = old[best.index[k]];
    s.weights[best.count - 1 - k] = best.weight[k];
  }
  s.closest = best.point;
  return false;
}

bool is_known(const Simplex& s, const Support& point) {
  for (int i = 0; i < s.count; ++i)
    if (s.points[i].ia == point.ia && s.points[i].ib == point.ib) return true;
  return false;
}

constexpr int kIdleSteps = 4;

}  // namespace

GjkResult gjk(const CorePair& pair, Real cutoff, const Vec3& start) {
  constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const Real tolerance = 4 * kEpsilon * pair.size();
  GjkResult result;
  result.distance = kInfinity;
  result.lower = -kInfinity;
  Simplex simplex;
  Vec3 v = start.isZero() ? pair.p : start;
  if (v.isZero()) v = Vec3::UnitX();
  // A step that comes no closer may still turn the axis: the distance feels an error of the closest
  // point only in second order, its certificate in first order.
  int idle_steps = 0;
  while (result.iteration_count < kGjkMaxIterations && idle_steps <= kIdleSteps) {
    ++result.iteration_count;
    const Vec3 n = v.normalized();
    Support next;
    next.ia = pair.support_a(n);
    next.ib = pair.support_b(-n);
    next.a = pair.a.vertices[next.ia];
    next.b = pair.vertex_b(next.ib);
    next.w = next.b - next.a;
    const Real lower = n.dot(next.w);
    if (lower > result.lower) result.lower = lower, result.normal = n;
    if (lower > cutoff) {
      result.beyond = true;
      return result;
    }
    if (result.distance - result.lower <= tolerance || is_known(simplex, next)) break;
    simplex.points[simplex.count++] = next;
    if (reduce(simplex)) {
      result.overlap = true;
      return result;
    }
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
    for (int i = 0; i < simplex.count; ++i) {
      on_a += simplex.weights[i] * simplex.points[i].a;
      on_b += simplex.weights[i] * simplex.points[i].b;
    }
    const Real distance = (on_b - on_a).norm();
    ++idle_steps;
    if (distance < result.distance) {
      result.distance = distance;
      result.on_a = on_a;
      result.on_b = on_b;
      idle_steps = 0;
    }
    v = simplex.closest;
    if (distance <= tolerance || v.isZero()) break;
  }
  result.overlap = !(result.lower > 0);
  return result;
}

}  // namespace talus::geometry::detail
