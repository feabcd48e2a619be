#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <talus/geometry/manifold.hpp>
#include <talus/geometry/separation.hpp>

#include "poses.hpp"
#include "shapes.hpp"

// Band G6: what swapping the two shapes and moving both may change.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

Shape random_shape(Random& random) {
  switch (static_cast<int>(random.uniform(0, 5))) {
    case 0:
      return poses::sphere(random);
    case 1:
      return poses::box(random);
    case 2:
      return poses::capsule(random);
    case 3:
      return Plane{};
    default:
      return shapes::polytope(
          shapes::random_mesh(random, poses::log_uniform(random, 1e-3, 1e3), 100));
  }
}

Real size_of(const Shape& shape) {
  return std::holds_alternative<Plane>(shape) ? 1 : bounding_radius(shape);
}

Pose random_pose(Random& random, const Shape& a, const Shape& b) {
  const auto family =
      static_cast<poses::Family>(random.bits() % static_cast<int>(poses::Family::count));
  if (std::holds_alternative<Plane>(a) || std::holds_alternative<Plane>(b)) {
    // The other shape a little above or below the plane.
    const bool plane_first = std::holds_alternative<Plane>(a);
    const Shape& other = plane_first ? b : a;
    Pose X{Vec3::Zero(), poses::orientation(random, family)};
    X.p = Vec3(random.uniform(-1, 1), random.uniform(-1, 1),
               poses::extent(other, -(X.q.conjugate() * Vec3::UnitZ())) +
                   poses::relative_gap(random) * size_of(other));
    return plane_first ? X : X.inverse();
  }
  return poses::pose(random, a, b, family);
}

bool equal(const Vec3& x, const Vec3& y) { return x == y; }

// Swapping two different shapes gives the same points bit for bit: the answer in the other frame is
// the same computation, seen from there.
TEST(Symmetry, SwappedShapesGiveTheSameManifoldBitForBit) {
  Random random(31);
  for (int k = 0; k < 10000; ++k) {
    const Shape a = random_shape(random), b = random_shape(random);
    // Without rotation and with the origin in a power of two, the inverse pose is exact.
    const Pose X{random_pose(random, a, b).p, Quat::Identity()};
    const Pose back = X.inverse();
    if (!(equal(back.inverse().p, X.p))) continue;
    const Real margin = 0.1 * std::min(size_of(a), size_of(b));
    const Manifold m = manifold(a, b, X, margin), n = manifold(b, a, back, margin);
    ASSERT_TRUE(m.point_count == n.point_count);
    for (int i = 0; i < m.point_count; ++i) {
      ASSERT_TRUE(m.points[i].gap == n.points[i].gap);
      ASSERT_TRUE(m.points[i].feature == n.points[i].feature);
      ASSERT_TRUE(m.normal == -n.normal);
      // One of the two frames is the one of the computation; the other is a translation away.
      ASSERT_TRUE((m.points[i].position == X.p + n.points[i].position) ||
                  (n.points[i].position == back.p + m.points[i].position));
    }
  }
}

// With any orientation the inverse pose is rounded, and the gap changes by no more than that.
TEST(Symmetry, SwappedShapesGiveTheSameGap) {
  Random random(31);
  for (int k = 0; k < 10000; ++k) {
    const Shape a = random_shape(random), b = random_shape(random);
    if (!(!std::holds_alternative<Plane>(a) || !std::holds_alternative<Plane>(b))) continue;
    const Pose X = random_pose(random, a, b);
    const Separation s = separation(a, b, X), t = separation(b, a, X.inverse());
    const Real size = size_of(a) + size_of(b) + X.p.norm();
    ASSERT_TRUE(std::abs(s.gap - t.gap) <= 1e-14 * size);
  }
}

// A rigid motion of both shapes changes the gap only by the rounding of their world positions.
TEST(Symmetry, MovingBothShapesKeepsTheGap) {
  Random random(31);
  for (int k = 0; k < 10000; ++k) {
    const Shape a = random_shape(random), b = random_shape(random);
    if (!(!std::holds_alternative<Plane>(a) || !std::holds_alternative<Plane>(b))) continue;
    const Pose X = random_pose(random, a, b);
    const Real size = size_of(a) + size_of(b) + X.p.norm();
    const Pose world_a{1e3 * size * random.uniform() * poses::unit_vector(random),
                       poses::rotation(random)};
    const Pose world_b = world_a * X;
    const Real moved = separation(a, b, world_a.inverse() * world_b).gap;
    ASSERT_TRUE(std::abs(moved - separation(a, b, X).gap) <= 1e-13 * (world_a.p.norm() + size));
  }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
