#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <talus/geometry/contacts_of_pair.hpp>

#include "meshes.hpp"
#include "poses.hpp"
#include "shapes.hpp"

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;

Real flat(Real, Real) { return 0; }

std::vector<PairContact> contacts_of(const Shape& mesh, const Shape& b, const Pose& X,
                                     Real margin) {
  PairContacts contacts;
  contacts_of_pair(mesh, b, X, margin, contacts);
  return contacts.points;
}

// A box, a prism or a capsule lying on a flat mesh of any triangles has the contacts it has on a
// plane: same points to 1e-13, same gaps, exact normals, at gaps −1e-3, 0 and 1e-6.
TEST(MeshConvex, IsThePlaneOnAFlatMesh) {
  Random random(1);
  const Shape box = Box{{1, 0.7, 0.5}};
  const Shape prism = shapes::polytope(shapes::prism_mesh(6, 1, 0.5));
  const Shape capsule = Capsule{0.5, 1};
  const Quat lying(Eigen::AngleAxis<Real>(kPi / 2, Vec3::UnitX()));
  for (const Real cell : {0.2, 1.0, 7.0}) {
    const int n = cell < 1 ? 40 : 10;
    const Shape mesh = meshes::surface(meshes::graph(n, cell, 0.3, random, flat));
    for (int k = 0; k < 150; ++k) {
      const Shape& b = k % 3 == 0 ? box : k % 3 == 1 ? prism : capsule;
      const Real gap = std::array{-1e-3, 0.0, 1e-6, -1e-9}[k % 4];
      Pose X{{random.uniform(-1, 1), random.uniform(-1, 1), 0.5 + gap},
             Quat(Eigen::AngleAxis<Real>(random.uniform(0, 7), Vec3::UnitZ()))};
      if (k % 3 == 2) X.q = X.q * lying;
      const Manifold expected = manifold(Plane{}, b, X, 0.01);
      auto found = contacts_of(mesh, b, X, 0.01);
      ASSERT_EQ(static_cast<int>(found.size()), expected.point_count)
          << "cell " << cell << " case " << k;
      for (int i = 0; i < expected.point_count; ++i) {
        const Vec3& position = expected.points[i].position;
        const auto same = std::min_element(
            found.begin(), found.end(), [&](const PairContact& x, const PairContact& y) {
              return (x.position - position).norm() < (y.position - position).norm();
            });
        EXPECT_LT((same->position - position).norm(), 1e-13);
        EXPECT_NEAR(same->gap, expected.points[i].gap, 1e-14);
        EXPECT_LT((same->normal - Vec3::UnitZ()).norm(), 1e-13);
      }
    }
  }
}

// A cylinder stands on a flat mesh with eight points of its rim (and some more where only the arc
// between two of them reaches a triangle), lies on it with two, and tilted touches it with its
// lowest point, once or from two triangles, with exact normals and gaps.
TEST(MeshConvex, HoldsCylindersOnAFlatMesh) {
  Random random(8);
  const Shape cylinder = Cylinder{0.5, 1};
  const Quat lying(Eigen::AngleAxis<Real>(kPi / 2, Vec3::UnitX()));
  for (const Real cell : {0.3, 5.0}) {
    const Shape mesh = meshes::surface(meshes::graph(cell < 1 ? 30 : 8, cell, 0.3, random, flat));
    for (int k = 0; k < 60; ++k) {
      const Real gap = std::array{-1e-3, 0.0, 1e-6}[k % 3];
      const Vec3 at(random.uniform(-1, 1), random.uniform(-1, 1), 0);
      const Quat yaw(Eigen::AngleAxis<Real>(random.uniform(0, 7), Vec3::UnitZ()));
      const auto standing = contacts_of(mesh, cylinder, {at + Vec3(0, 0, 1 + gap), yaw}, 1e-2);
      EXPECT_GE(standing.size(), 8U) << "cell " << cell << " case " << k;
      const auto on_side =
          contacts_of(mesh, cylinder, {at + Vec3(0, 0, 0.5 + gap), yaw * lying}, 1e-2);
      EXPECT_EQ(on_side.size(), 2U) << "cell " << cell << " case " << k;
      for (const auto& contacts : {standing, on_side})
        for (const PairContact& contact : contacts) {
          EXPECT_NEAR(contact.gap, gap, 1e-13);
          EXPECT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-13);
        }
      const Real tilt = random.uniform(0.1, 1.4);
      const Quat tilted = yaw * Quat(Eigen::AngleAxis<Real>(tilt, Vec3::UnitX()));
      const Real height = 0.5 * std::sin(tilt) + std::cos(tilt);
      const auto on_rim =
          contacts_of(mesh, cylinder, {at + Vec3(0, 0, height + gap), tilted}, 1e-2);
      ASSERT_GE(on_rim.size(), 1U) << "cell " << cell << " case " << k;
      for (const PairContact& contact : on_rim) {
        EXPECT_NEAR(contact.gap, gap, 1e-13);
        EXPECT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-13);
        EXPECT_LT((contact.position - on_rim[0].position).norm(), 1e-5);
      }
    }
  }
}

// A tilted box touches a flat mesh with an edge or a corner as it touches a plane, wherever the
// triangles' joints run.
TEST(MeshConvex, IsThePlaneForTiltedBoxes) {
  Random random(2);
  const Shape box = Box{{1, 0.7, 0.5}};
  const Shape mesh = meshes::surface(meshes::graph(30, 0.3, 0.3, random, flat));
  for (int k = 0; k < 500; ++k) {
    Pose X{{random.uniform(-1, 1), random.uniform(-1, 1), 0}, poses::rotation(random)};
    const Vec3 down = X.q.conjugate() * -Vec3::UnitZ();
    X.p.z() = poses::extent(box, down) + std::array{-1e-3, 1e-3, -1e-6}[k % 3];
    const Manifold expected = manifold(Plane{}, box, X, 0.01);
    const auto found = contacts_of(mesh, box, X, 0.01);
    ASSERT_EQ(static_cast<int>(found.size()), expected.point_count) << "case " << k;
    for (const PairContact& contact : found) {
      EXPECT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-13);
      Real nearest = 1;
      for (int i = 0; i < expected.point_count; ++i)
        nearest = std::min(nearest, (expected.points[i].position - contact.position).norm());
      EXPECT_LT(nearest, 1e-13);
    }
  }
}

// On top of a box mesh, partly over its rim, a box has the contacts that two boxes have.
TEST(MeshConvex, IsTheBoxOnABoxMesh) {
  Random random(3);
  const Shape table = meshes::surface(meshes::box({2, 2, 1}));
  const Shape solid = Box{{2, 2, 1}};
  const Shape box = Box{{1, 0.7, 0.5}};
  for (int k = 0; k < 400; ++k) {
    const Real gap = std::array{-1e-3, 0.0, 1e-4}[k % 3];
    const Pose X{{random.uniform(-2.3, 2.3), random.uniform(-2.3, 2.3), 1.5 + gap},
                 Quat(Eigen::AngleAxis<Real>(random.uniform(0, 7), Vec3::UnitZ()))};
    const Manifold expected = manifold(solid, box, X, 0.01);
    const auto found = contacts_of(table, box, X, 0.01);
    ASSERT_GE(expected.point_count, 1);
    for (const PairContact& contact : found) {
      ASSERT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-12) << "case " << k;
      ASSERT_NEAR(contact.gap, gap, 1e-12) << "case " << k;
    }
    for (int d = 0; d < 16; ++d) {
      const Vec3 way(std::cos(d * kPi / 8), std::sin(d * kPi / 8), 0);
      Real reach = -10, expected_reach = -10;
      for (const PairContact& contact : found) reach = std::max(reach, way.dot(contact.position));
      for (int i = 0; i < expected.point_count; ++i)
        expected_reach = std::max(expected_reach, way.dot(expected.points[i].position));
      EXPECT_NEAR(reach, expected_reach, 1e-5) << "case " << k;
    }
  }
}

// In the corner of a floor and a wall, both of them hold a box, each with its own normal.
TEST(MeshConvex, TouchesFloorAndWallInACorner) {
  MeshData corner;
  corner.vertices = {{0, -5, 0}, {5, -5, 0}, {5, 5, 0}, {0, 5, 0}, {0, -5, 5}, {0, 5, 5}};
  corner.triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 5}, {0, 5, 4}};
  const auto found = contacts_of(meshes::surface(corner), Box{{0.5, 0.5, 0.5}},
                                 {{0.5 - 1e-6, 0.3, 0.5 - 1e-6}, Quat::Identity()}, 1e-3);
  int on_floor = 0, on_wall = 0;
  for (const PairContact& contact : found) {
    EXPECT_NEAR(contact.gap, -1e-6, 1e-15);
    on_floor += (contact.normal - Vec3::UnitZ()).norm() < 1e-14;
    on_wall += (contact.normal - Vec3::UnitX()).norm() < 1e-14;
  }
  EXPECT_EQ(on_floor, 4);
  EXPECT_EQ(on_wall, 4);
  EXPECT_EQ(found.size(), 8U);
}

// A box balanced on the ridge of a roof touches it along the ridge with the vertical normal; on the
// tip of a pyramid it touches once.
TEST(MeshConvex, TouchesRidgesAndTips) {
  Random random(4);
  const Shape roof = meshes::surface(
      meshes::graph(10, 1, 0, random, [](Real x, Real) { return -0.5 * std::abs(x); }));
  const Shape box = Box{{0.5, 0.4, 0.3}};
  for (const Real gap : {-1e-5, 0.0, 1e-5}) {
    const auto found = contacts_of(roof, box, {{0.1, 0.2, 0.3 + gap}, Quat::Identity()}, 1e-3);
    Real low = 1, high = -1;
    for (const PairContact& contact : found) {
      EXPECT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-12);
      EXPECT_NEAR(contact.gap, gap, 1e-13);
      low = std::min(low, contact.position.y());
      high = std::max(high, contact.position.y());
    }
    EXPECT_NEAR(low, -0.2, 1e-5);
    EXPECT_NEAR(high, 0.6, 1e-5);
  }
  MeshData pyramid;
  pyramid.vertices = {{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {0, 0, 1}};
  pyramid.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {0, 2, 1}, {0, 3, 2}};
  for (const Real gap : {-1e-5, 0.0, 1e-5}) {
    const auto found =
        contacts_of(meshes::surface(pyramid), box, {{0.1, 0.2, 1.3 + gap}, Quat::Identity()}, 1e-3);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_LT((found[0].normal - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_NEAR(found[0].gap, gap, 1e-13);
  }
}

// While a box slides over a flat mesh its contacts keep their names.
TEST(MeshConvex, KeepsNamesWhileSliding) {
  Random random(5);
  const Shape mesh = meshes::surface(meshes::graph(40, 0.3, 0.3, random, flat));
  const Shape box = Box{{1, 0.7, 0.5}};
  const auto names = [&](Real x) {
    std::vector<FeatureId> result;
    for (const auto& contact : contacts_of(mesh, box, {{x, 0.1, 0.5}, Quat::Identity()}, 1e-3))
      result.push_back(contact.feature);
    return result;
  };
  const auto first = names(-3);
  ASSERT_EQ(first.size(), 4U);
  for (int k = 1; k < 300; ++k) ASSERT_EQ(names(-3 + 0.02 * k), first);
}

// Names of contacts of shapes leave one bit free, by which contacts of joints with play are named:
// the hashes of triangles, which fill all bits, do not reach it.
TEST(MeshConvex, NamesOfContactsLeaveABit) {
  Random random(5);
  const auto hills = [](Real x, Real y) { return 0.1 * std::sin(3 * x) * std::cos(2 * y); };
  const Shape mesh = meshes::surface(meshes::graph(20, 0.3, 0.3, random, hills));
  std::size_t count = 0;
  FeatureId seen = 0;
  for (int i = 0; i < 200; ++i) {
    const Pose X{{random.uniform(-1, 1), random.uniform(-1, 1), 0.55}, Quat::Identity()};
    for (const PairContact& contact : contacts_of(mesh, Box{{0.5, 0.5, 0.5}}, X, 0.05)) {
      EXPECT_EQ(contact.feature & kNotOfShapes, 0U);
      seen |= contact.feature;
      ++count;
    }
  }
  EXPECT_GE(count, 200U);
  EXPECT_EQ(seen, ~kNotOfShapes);  // every other bit is used
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
