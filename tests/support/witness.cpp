#include "support/witness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace talus::test {
namespace {

using geometry::Box;
using geometry::Capsule;
using geometry::Cylinder;
using geometry::Plane;
using geometry::Sphere;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// Largest d·x over a shape about the origin.
Real extent(const geometry::Shape& shape, const Vec3& d) {
  const Real across = std::sqrt(d.x() * d.x() + d.y() * d.y());
  if (const auto* sphere = std::get_if<Sphere>(&shape)) return sphere->radius * d.norm();
  if (const auto* box = std::get_if<Box>(&shape)) return box->half_size.dot(d.cwiseAbs());
  if (const auto* capsule = std::get_if<Capsule>(&shape))
    return capsule->radius * d.norm() + capsule->half_length * std::abs(d.z());
  const auto& cylinder = std::get<Cylinder>(shape);
  return cylinder.radius * across + cylinder.half_length * std::abs(d.z());
}

struct Side {
  const model::Body& body;
  const Pose& at;
  /// Largest n·x.
  [[nodiscard]] Real top(const Vec3& n) const {
    return n.dot(at.p) + extent(body.shape, at.q.conjugate() * n);
  }
  [[nodiscard]] bool is_plane() const { return std::holds_alternative<Plane>(body.shape); }
};

/// How far B is beyond A along a unit n.
Real gap_along(const Side& a, const Side& b, const Vec3& n) { return -b.top(-n) - a.top(n); }

/// Half of the segment that a ball or capsule is thick about [m]; negative for other shapes.
Real core(const model::Body& body) {
  if (std::holds_alternative<Sphere>(body.shape)) return 0;
  const auto* capsule = std::get_if<Capsule>(&body.shape);
  return capsule != nullptr ? capsule->half_length : -1;
}

/// Distance of two segments by turns: the nearest point of one to that of the other.
Real segment_distance(const Pose& a, Real half_a, const Pose& b, Real half_b) {
  const Vec3 u = a.q * Vec3::UnitZ(), w = b.q * Vec3::UnitZ(), way = b.p - a.p;
  Real s = 0, t = 0;
  for (int i = 0; i < 1000; ++i) {
    s = std::clamp((way + t * w).dot(u), -half_a, half_a);
    t = std::clamp((s * u - way).dot(w), -half_b, half_b);
  }
  return (way + t * w - s * u).norm();
}

/// Directions of a plane.
std::vector<Vec2> directions_around(int count) {
  std::vector<Vec2> around;
  for (int k = 0; k < count; ++k) {
    const Real angle = 2 * std::numbers::pi * k / count;
    around.emplace_back(std::cos(angle), std::sin(angle));
  }
  return around;
}

/// Eight for every climb, and more for one that may have stalled on a ridge.
const std::vector<Vec2> kAround = directions_around(8), kFinely = directions_around(96);

/// Walks uphill on the sphere of directions in ever smaller steps, down to a millionth: the gap is
/// then within a millionth of the bodies' sizes, but on ridges that lie between the directions.
Real climb(const Side& a, const Side& b, Vec3& n, Real enough, const std::vector<Vec2>& around) {
  Real best = gap_along(a, b, n);
  for (Real step = 0.2; step > 1e-6; step *= 0.5)
    for (bool is_better = true; is_better && best < enough;) {
      is_better = false;
      const Vec3 t = n.unitOrthogonal(), s = n.cross(t);
      for (const Vec2& way : around) {
        const Vec3 other = (n + step * (way.x() * t + way.y() * s)).normalized();
        const Real gap = gap_along(a, b, other);
        if (!(gap > best + 1e-15)) continue;
        best = gap, n = other, is_better = true;
      }
    }
  return best;
}

}  // namespace

Real reach(const model::Body& body) {
  if (std::holds_alternative<Plane>(body.shape)) return kInfinity;
  if (const auto* box = std::get_if<Box>(&body.shape)) return box->half_size.norm();
  if (const auto* cylinder = std::get_if<Cylinder>(&body.shape))
    return std::hypot(cylinder->radius, cylinder->half_length);
  return extent(body.shape, Vec3::UnitZ());
}

Real half_thickness(const model::Body& body) {
  if (std::holds_alternative<Plane>(body.shape)) return kInfinity;
  return std::min({extent(body.shape, Vec3::UnitX()), extent(body.shape, Vec3::UnitY()),
                   extent(body.shape, Vec3::UnitZ())});
}

Real apart(const model::Body& a, const Pose& at_a, const model::Body& b, const Pose& at_b,
           Real enough) {
  const Side one{a, at_a}, other{b, at_b};
  if (one.is_plane()) {
    const Vec3 n = at_a.q * Vec3::UnitZ();
    return -other.top(-n) - n.dot(at_a.p);
  }
  if (other.is_plane()) return apart(b, at_b, a, at_a, enough);
  if (core(a) >= 0 && core(b) >= 0)
    return segment_distance(at_a, core(a), at_b, core(b)) - extent(a.shape, Vec3::UnitX()) -
           extent(b.shape, Vec3::UnitX());
  const Vec3 way = at_b.p - at_a.p;
  const Real far = way.norm() - reach(a) - reach(b);
  if (far > 0) return far;
  std::vector<Vec3> directions;
  const auto add = [&](const Vec3& n) {
    if (n.norm() > 1e-9) directions.push_back(n.normalized());
  };
  add(way);
  for (const Quat& q : {at_a.q, at_b.q}) {  // across an axis
    const Vec3 axis = q * Vec3::UnitZ();
    add(way - way.dot(axis) * axis);
  }
  for (int i = 0; i < 3; ++i) {  // faces
    directions.push_back(at_a.q * Vec3::Unit(i));
    directions.push_back(at_b.q * Vec3::Unit(i));
    for (int j = 0; j < 3; ++j) {  // edges
      const Vec3 cross = (at_a.q * Vec3::Unit(i)).cross(at_b.q * Vec3::Unit(j));
      add(cross);
    }
  }
  constexpr int kSpiral = 60;
  for (int i = 0; i < kSpiral; ++i) {  // Fibonacci's
    const Real z = 1 - (2 * i + 1.0) / kSpiral, angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Real across = std::sqrt(1 - z * z);
    directions.emplace_back(across * std::cos(angle), across * std::sin(angle), z);
  }
  std::vector<std::pair<Real, Vec3>> starts;
  for (const Vec3& n : directions)
    for (const Real sign : {1.0, -1.0})
      starts.emplace_back(gap_along(one, other, sign * n), sign * n);
  // A climb may end on a ridge: an overlap is believed after more of them, and one in finer
  // directions from where the best of them ended; one that may be judged too deep after all in
  // finer directions.
  constexpr int kClimbs = 4, kMostClimbs = 16;
  std::partial_sort(starts.begin(), starts.begin() + kMostClimbs, starts.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  const Real thin = std::min(half_thickness(a), half_thickness(b));
  const Real believed = -2e-3 * thin, judged = -9e-3 * thin;
  Real best = starts.front().first;
  Vec3 best_n = starts.front().second;
  const auto try_from = [&](Vec3 n, const std::vector<Vec2>& around) {
    const Real gap = climb(one, other, n, enough, around);
    if (gap > best) best = gap, best_n = n;
  };
  for (int i = 0; i < kMostClimbs && best < enough && (i < kClimbs || best < believed); ++i)
    try_from(starts[i].second, kAround);
  if (best < std::min(believed, enough)) try_from(best_n, kFinely);
  for (int i = 0; i < kMostClimbs && best < std::min(judged, enough); ++i)
    try_from(starts[i].second, kFinely);
  return best;
}

Real kinetic_energy_of(const model::Model& model, const model::State& state) {
  Real energy = 0;
  for (Index i = 0; i < model.body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    if (body.kind != model::BodyKind::dynamic) continue;
    const Vec3 w = state.orientation[i].conjugate() * state.angular_velocity[i];
    energy += 0.5 * body.mass * state.velocity[i].squaredNorm() + 0.5 * w.dot(body.inertia * w);
  }
  return energy;
}

Pose moved_freely(const Pose& pose, const Vec3& v, const Vec3& w, const Vec3& gravity, Real h,
                  Real share) {
  Pose next = pose;
  next.p += share * h * (v + h * gravity);
  const Real angle = share * h * w.norm();
  if (angle > 0)
    next.q = (Quat(Eigen::AngleAxis<Real>(angle, w.normalized())) * pose.q).normalized();
  return next;
}

}  // namespace talus::test
