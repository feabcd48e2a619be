#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <string>

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/separation.hpp>

#include "meshes.hpp"
#include "poses.hpp"
#include "shapes.hpp"

// Bodies in the ridges and tips of meshes, against the convex hulls of the same corners.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

std::vector<PairContact> contacts_of(const Shape& mesh, const Shape& b, const Pose& X,
                                     Real margin) {
  PairContacts contacts;
  contacts_of_pair(mesh, b, X, margin, contacts);
  return contacts.points;
}

struct Solid {
  std::string name;
  MeshData mesh;
};

MeshData roof(Real height) {
  MeshData mesh;
  mesh.vertices = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {-1, 0, height}, {1, 0, height}};
  mesh.triangles = {{0, 1, 5}, {0, 5, 4}, {2, 3, 4}, {2, 4, 5},
                    {0, 4, 3}, {1, 2, 5}, {0, 3, 2}, {0, 2, 1}};
  return mesh;
}

MeshData pyramid() {
  MeshData mesh;
  mesh.vertices = {{1, 1, 0}, {-1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {0, 2, 1}, {0, 3, 2}};
  return mesh;
}

std::vector<Solid> solids() {
  return {{"cube", meshes::box({1, 1, 1})},
          {"cut cube", meshes::cut(meshes::box({1, 1, 1}), 2)},
          {"roof", roof(1)},
          {"cut roof", meshes::cut(roof(1), 2)},
          {"steep roof", roof(2)},
          {"pyramid", pyramid()},
          {"icosahedron", meshes::icosphere(0)},
          {"icosphere", meshes::icosphere(1)}};
}

struct Body {
  std::string name;
  Shape shape;
  Real half_thickness;
};

std::vector<Body> bodies() {
  shapes::Mesh octahedron = shapes::octahedron_mesh();
  for (Vec3& x : octahedron.vertices) x *= 0.15;
  return {{"capsule", Capsule{0.05, 0.15}, 0.05},
          {"cylinder", Cylinder{0.15, 0.12}, 0.12},
          {"tablet", Cylinder{0.2, 0.03}, 0.03},
          {"rod", Cylinder{0.03, 0.3}, 0.03},
          {"box", Box{{0.15, 0.12, 0.08}}, 0.08},
          {"octahedron", shapes::polytope(octahedron), 0.15 / std::sqrt(Real(3))}};
}

/// A pose of B in which its signed distance from a convex solid is `gap`, or as near to it as the
/// normal there goes. @return false where B misses the solid.
bool place(const Shape& solid, const Shape& b, Real gap, Random& random, Pose& pose) {
  constexpr int kMost = 60;
  pose.q = poses::rotation(random);
  const Vec3 way = poses::unit_vector(random), shift = 0.6 * poses::unit_vector(random);
  pose.p = Vec3(0, 0, 0.3) + shift + way * (4 - way.dot(shift));
  Separation found = separation(solid, b, pose);
  for (int i = 0; i < kMost && found.gap > 1e-13; ++i) {
    const Real rate = found.normal.dot(way);
    if (rate <= 0.05) return false;
    pose.p -= found.gap / rate * way;
    found = separation(solid, b, pose);
    if (found.gap < -1e-9) pose.p -= found.gap * found.normal;
    found = separation(solid, b, pose);
  }
  pose.p += (gap - found.gap) * found.normal;
  return std::abs(separation(solid, b, pose).gap - gap) < 0.3 * std::abs(gap);
}

// A closed convex mesh is its hull: the deepest contact of a convex body is as deep, or as far, as
// the signed distance from the hull, at faces, ridges and tips, right, obtuse and acute ones alike.
// Nothing goes through unseen, and nothing is pushed by what it does not touch.
TEST(MeshRidges, AreThoseOfTheHull) {
  for (const Solid& solid : solids()) {
    const Shape mesh = meshes::surface(solid.mesh);
    const Shape hull =
        std::make_shared<const Polytope>(convex_hull(std::span<const Vec3>(solid.mesh.vertices)));
    for (const Body& body : bodies()) {
      Random random(7);
      for (const Real relative : {1e-2, -1e-6, -1e-3, -1e-2, -0.1, -0.5})
        for (int k = 0; k < 60; ++k) {
          Pose X;
          if (!place(hull, body.shape, relative * body.half_thickness, random, X)) continue;
          const Real gap = separation(hull, body.shape, X).gap;
          Real deepest = 1;
          for (const PairContact& contact :
               contacts_of(mesh, body.shape, X, 0.02 * body.half_thickness))
            deepest = std::min(deepest, contact.gap);
          EXPECT_NEAR(deepest, gap, 2e-6 * bounding_radius(body.shape))
              << body.name << " in " << solid.name << ", gap " << relative << ", case " << k;
        }
    }
  }
}

// A box that lies with an edge across an edge of a cube, apart by less than the tie by which points
// count as over a face, is not pushed by the faces beside which it lies.
TEST(MeshRidges, DoNotPushBesideThem) {
  const Shape cube = meshes::surface(meshes::box({0.1, 0.1, 0.1}));
  const Pose cube_on_its_corner{
      Vec3::Zero(), Quat(Eigen::AngleAxis<Real>(0.9553166181245092, Vec3(1, -1, 0).normalized()))};
  const Pose bar{
      {0.0010232339918194464, -0.013160730647282848, 0.19309667037215292},
      Quat(0.8362118213189265, 0.41289926161818435, -0.33854742046772, 0.1250984961392218)
          .normalized()};
  const auto found =
      contacts_of(cube, Box{{0.08, 0.015, 0.015}}, cube_on_its_corner.inverse() * bar, 1e-3);
  ASSERT_EQ(found.size(), 2U);
  for (const PairContact& contact : found) {
    EXPECT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-12);
    EXPECT_NEAR(contact.gap, 0, 2e-5);
  }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
