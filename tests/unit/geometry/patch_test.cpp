#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <talus/geometry/manifold.hpp>

#include "poses.hpp"
#include "shapes.hpp"

// Bands M1 and M2: how many points a contact patch has, and that it does not flicker.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

constexpr Real kMargin = 1e-3;

struct Resting {
  const char* name;
  Shape a, b;
  Pose pose;  ///< touching, gap 0 along +z or as `up` says
  int point_count;
  Vec3 up = Vec3::UnitZ();
};

Pose at(const Vec3& p, Real yaw = 0) {
  return {p, Quat(Eigen::AngleAxis<Real>(yaw, Vec3::UnitZ()))};
}

std::vector<Resting> resting_pairs() {
  constexpr Real kPi = std::numbers::pi;
  const Shape cube = Box{Vec3::Ones()};
  const Shape slab = Box{Vec3(5, 5, 0.5)};
  const Shape plane = Plane{};
  const Shape capsule = Capsule{0.5, 1};
  const Shape hexagon = shapes::polytope(shapes::prism_mesh(6, 1.1, 1));
  const Shape cube_of_faces = shapes::polytope(shapes::box_mesh(Vec3::Ones()));
  const Quat lying(Eigen::AngleAxis<Real>(kPi / 2, Vec3::UnitX()));
  const Quat on_edge(Eigen::AngleAxis<Real>(kPi / 4, Vec3::UnitX()));
  return {
      {"box on plane", plane, cube, at({0, 0, 1}), 4},
      {"polytope on plane", plane, hexagon, at({0, 0, 1}, 0.3), 6},
      {"capsule lying on plane", plane, capsule, {{0, 0, 0.5}, lying}, 2},
      {"capsule upright on plane", plane, capsule, at({0, 0, 1.5}), 1},
      {"equal boxes aligned", cube, cube, at({0, 0, 2}), 4},
      {"equal boxes offset", cube, cube, at({0.4, -0.7, 2}), 4},
      {"box on slab", slab, cube, at({0.4, -0.7, 1.5}), 4},
      {"box under slab", cube, slab, at({0.4, -0.7, 1.5}), 4},
      {"boxes at yaw 30", cube, cube, at({0, 0, 2}, kPi / 6), 8},
      {"boxes at yaw 45", cube, cube, at({0, 0, 2}, kPi / 4), 8},
      {"polytope cubes at yaw 45", cube_of_faces, cube_of_faces, at({0, 0, 2}, kPi / 4), 8},
      {"hexagonal prism on box", cube, hexagon, at({0, 0, 2}, 0.1), 8},
      {"capsule lying on box", cube, capsule, {{0, 0, 1.5}, lying}, 2},
      {"capsule lying on polytope", hexagon, capsule, {{0, 0, 1.5}, lying}, 2},
      {"box on its edge on box", cube, cube, {{0, 0.2, 1 + std::numbers::sqrt2}, on_edge}, 2},
      {"box on its edge on plane", plane, cube, {{0, 0.2, std::numbers::sqrt2}, on_edge}, 2},
      {"parallel capsules", capsule, capsule, at({1, 0, 0}), 2, Vec3::UnitX()},
      {"crossed capsules",
       capsule,
       capsule,
       {{0, 1, 0}, Quat(0, 1, 0, 1).normalized()},
       1,
       Vec3::UnitY()},
  };
}

/// Support function of a patch in a horizontal direction.
Real patch_support(const Manifold& m, const Vec3& d) {
  Real value = -1e9;
  for (int i = 0; i < m.point_count; ++i) value = std::max(value, d.dot(m.points[i].position));
  return value;
}

// Resting contacts have the point counts of their patches at gaps −1e-6, 0 and 1e-6, and 1000
// perturbations of 1e-9 change neither the points' names nor the patch by more than 1e-8 of
// the smaller shape.
TEST(ContactPatch, HasTheRightPointsAndDoesNotFlicker) {
  Random random(5);
  for (const Resting& pair : resting_pairs())
    for (const Real gap : {-1e-6, 0.0, 1e-6}) {
      Pose rest = pair.pose;
      rest.p += gap * pair.up;
      const Manifold m = manifold(pair.a, pair.b, rest, kMargin);
      EXPECT_EQ(m.point_count, pair.point_count) << pair.name << " at gap " << gap;
      EXPECT_LT((m.normal - pair.up).norm(), 1e-15) << pair.name;
      for (int i = 0; i < m.point_count; ++i) EXPECT_NEAR(m.points[i].gap, gap, 1e-15) << pair.name;
      int flickers = 0;
      Real change = 0;
      for (int k = 0; k < 1000; ++k) {
        Pose X = rest;
        X.p += 1e-9 * poses::unit_vector(random);
        X.q = rotation_exp(1e-9 * poses::unit_vector(random)) * X.q;
        const Manifold n = manifold(pair.a, pair.b, X, kMargin);
        bool is_same = n.point_count == m.point_count;
        for (int i = 0; is_same && i < m.point_count; ++i)
          is_same = n.points[i].feature == m.points[i].feature;
        flickers += !is_same;
        const Vec3 d = poses::unit_vector(random);
        change = std::max(change, std::abs(patch_support(n, d) - patch_support(m, d)));
      }
      EXPECT_EQ(flickers, 0) << pair.name << " at gap " << gap;
      EXPECT_LE(change, 1e-8 * std::min(bounding_radius(pair.a), bounding_radius(pair.b)))
          << pair.name << " at gap " << gap;
    }
}

// A patch with more corners than a manifold holds keeps eight of them, spread over the patch: the
// support function of the kept points is that of the patch to 12 % of its radius.
TEST(ContactPatch, KeepsEightSpreadPointsOfALargePatch) {
  const Shape floor = Box{Vec3(5, 5, 1)};
  const Shape coin = shapes::polytope(shapes::prism_mesh(48, 1, 0.1));
  for (const Shape& support : {floor, Shape(Plane{})}) {
    const Real top = std::holds_alternative<Plane>(support) ? 0 : 1;
    const Manifold m = manifold(support, coin, at({0.3, 0.1, top + 0.1}), kMargin);
    ASSERT_EQ(m.point_count, 8);
    for (int k = 0; k < 360; ++k) {
      const Real angle = std::numbers::pi * k / 180;
      const Vec3 d(std::cos(angle), std::sin(angle), 0);
      EXPECT_GT(patch_support(m, d) - d.dot(Vec3(0.3, 0.1, 0)), 0.88);
    }
  }
}

// Points beyond the margin are left out and points within it kept: a tilted box touches with an
// edge, and its far edge joins when the margin reaches it.
TEST(ContactPatch, KeepsThePointsWithinTheMargin) {
  const Shape cube = Box{Vec3::Ones()};
  const Quat tilt(Eigen::AngleAxis<Real>(1e-3, Vec3::UnitX()));
  Pose X{Vec3::Zero(), tilt};
  X.p.z() = std::cos(1e-3) + std::sin(1e-3);
  const Real far = 2 * std::sin(1e-3);
  EXPECT_EQ(manifold(Plane{}, cube, X, 0.99 * far).point_count, 2);
  EXPECT_EQ(manifold(Plane{}, cube, X, 1.01 * far).point_count, 4);
  const Shape floor = Box{Vec3(5, 5, 1)};
  X.p.z() += 1;
  EXPECT_EQ(manifold(floor, cube, X, 0.99 * far).point_count, 2);
  EXPECT_EQ(manifold(floor, cube, X, 1.01 * far).point_count, 4);
  EXPECT_EQ(manifold(floor, cube, at({0, 0, 2.1}), 0.099).point_count, 0);
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
