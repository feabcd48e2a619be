#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/convex_hull.hpp>

#include "meshes.hpp"
#include "poses.hpp"

// Surfaces without thickness, felt from both sides.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

using Kind = TriangleMesh::Kind;

MeshData turned(MeshData mesh) {
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  return mesh;
}

std::vector<PairContact> contacts_of(const Shape& mesh, const Shape& b, const Pose& X) {
  PairContacts contacts;
  contacts_of_pair(mesh, b, X, 0.02, contacts);
  return contacts.points;
}

/// The same points in whatever order: names differ where edges are run the other way.
void expect_same(const std::vector<PairContact>& found, const std::vector<PairContact>& expected,
                 int trial) {
  ASSERT_EQ(found.size(), expected.size()) << trial;
  for (const PairContact& x : expected) {
    const bool is_there = std::any_of(found.begin(), found.end(), [&](const PairContact& y) {
      return (x.position - y.position).norm() < 1e-12 && (x.normal - y.normal).norm() < 1e-12 &&
             std::abs(x.gap - y.gap) < 1e-12;
    });
    EXPECT_TRUE(is_there) << trial;
  }
}

std::vector<Shape> bodies() {
  std::vector<Vec3> corners = {Vec3(0.1, 0, -0.04), Vec3(-0.05, 0.08, -0.04),
                               Vec3(-0.05, -0.08, -0.04), Vec3(0, 0, 0.1)};
  return {Sphere{0.1}, Box{{0.1, 0.07, 0.05}}, Capsule{0.04, 0.08}, Cylinder{0.06, 0.05},
          std::make_shared<const Polytope>(convex_hull(corners))};
}

// A body on the outer side of a rolling sheet has the contacts that it has with the ground of these
// triangles, and one behind it those with the ground of the triangles turned round.
TEST(MeshSheet, IsGroundFromEitherSide) {
  Random random(40);
  int touching = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto height = [&](Real x, Real y) {
      return 0.1 * std::sin(5 * x) + 0.08 * std::sin(7 * y);
    };
    const MeshData data = meshes::graph(10, 0.15, 0.2, random, height);
    const Shape sheet = meshes::surface(data, Kind::sheet), above = meshes::surface(data),
                below = meshes::surface(turned(data));
    for (const Shape& body : bodies()) {
      const Real side = random.bits() % 2 == 0 ? 1 : -1;
      const Real x = random.uniform(-0.4, 0.4), y = random.uniform(-0.4, 0.4);
      const Vec3 place(x, y, height(x, y) + side * random.uniform(0.05, 0.11));
      const Pose X{place, poses::rotation(random)};
      const auto found = contacts_of(sheet, body, X);
      touching += found.empty() ? 0 : 1;
      expect_same(found, contacts_of(side > 0 ? above : below, body, X), trial);
    }
  }
  EXPECT_GT(touching, 1000);
}

// Which way round its triangles go means nothing for a sheet.
TEST(MeshSheet, HasNoOuterSide) {
  Random random(41);
  int touching = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const MeshData data =
        meshes::graph(6, 0.15, 0.3, random, [&](Real, Real) { return random.uniform(-0.1, 0.1); });
    const Shape one = meshes::surface(data, Kind::sheet),
                other = meshes::surface(turned(data), Kind::sheet);
    for (const Shape& body : bodies()) {
      const Vec3 place(random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5),
                       random.uniform(-0.3, 0.3));
      const Pose X{place, poses::rotation(random)};
      const auto found = contacts_of(one, body, X);
      touching += found.empty() ? 0 : 1;
      expect_same(found, contacts_of(other, body, X), trial);
    }
  }
  EXPECT_GT(touching, 400);
}

// Between two shelves of one file, whose outer sides are both up, a body touches both.
TEST(MeshSheet, PiecesHaveSidesOfTheirOwn) {
  MeshData shelves;
  for (const Real z : {0.0, 0.2})
    for (const auto& [x, y] :
         {std::pair(-1, -1), std::pair(1, -1), std::pair(1, 1), std::pair(-1, 1)})
      shelves.vertices.emplace_back(x, y, z);
  shelves.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
  const Shape sheet = meshes::surface(shelves, Kind::sheet);
  for (const Shape& body : {Shape(Sphere{0.099}), Shape(Box{{0.1, 0.1, 0.099}})}) {
    Real up = 0, down = 0;
    for (const PairContact& contact :
         contacts_of(sheet, body, {{0.1, 0.2, 0.1}, Quat::Identity()})) {
      EXPECT_NEAR(contact.gap, 1e-3, 1e-12);
      EXPECT_NEAR(std::abs(contact.normal.z()), 1, 1e-12);
      (contact.normal.z() > 0 ? up : down) += 1;
    }
    EXPECT_GT(up, 0);
    EXPECT_EQ(up, down);
  }
}

// A closed surface is a solid, whatever it is called.
TEST(MeshSheet, AClosedOneIsASolid) {
  EXPECT_EQ(meshes::surface(meshes::box({1, 1, 1}), Kind::sheet)->back(), nullptr);
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
