#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/triangle_mesh.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

const char* const kCube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

// A hull, of points or of a file, is moved to its centre of mass and has its mass and inertia.
TEST(Shapes, HullsAreAboutTheirCentreOfMass) {
  const SceneFolder folder;
  folder.write("cube.obj", kCube);
  const Scene scene = folder.load(R"(
bodies:
  - {name: a, density: 1000, shape: {hull: {file: cube.obj, scale: 0.2}}, position: [1, 2, 3]}
  - {name: b, density: 1000, shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}}
  - {name: c, density: 1000, lattice: {shape: {hull: {file: cube.obj}}, count: [2, 1, 1], spacing: 5,
     origin: [10, 0, 0], size_spread: 0.5}}
)");
  ASSERT_EQ(scene.model.body_count(), 4);
  EXPECT_NEAR(scene.model.bodies[0].mass, 8, 1e-12);
  EXPECT_NEAR(scene.model.bodies[0].inertia(0, 0), 8 * 0.04 / 6, 1e-13);
  EXPECT_EQ(scene.initial.position[0], Vec3(1, 2, 3));
  for (const auto& body : scene.model.bodies)
    EXPECT_LT(geometry::mass_properties(body.shape, 1).centre.norm(), 1e-14);
  EXPECT_NEAR(scene.model.bodies[1].mass, 1000.0 / 6, 1e-10);
  EXPECT_NE(scene.model.bodies[2].mass, scene.model.bodies[3].mass);
  ASSERT_EQ(scene.sources.size(), 3U);
  EXPECT_EQ(scene.sources[1].text, kCube);
}

// A clump is about its common centre of mass; its mass is the sum of its members.
TEST(Shapes, ClumpsAreAboutTheirCentreOfMass) {
  const SceneFolder folder;
  const Scene scene = folder.load(R"(
bodies:
  - name: dumbbell
    density: 1000
    shape:
      clump:
        - {sphere: 0.1, position: [1, 0, 0]}
        - {sphere: 0.1, position: [3, 0, 0]}
        - {cylinder: {radius: 0.02, length: 2}, position: [2, 0, 0], orientation: {axis: [0, 1, 0], angle: 90 deg}}
)");
  const auto& body = scene.model.bodies[0];
  const Real ball = 4000 * std::numbers::pi / 3 * 1e-3, rod = 1000 * std::numbers::pi * 4e-4 * 2;
  EXPECT_NEAR(body.mass, 2 * ball + rod, 1e-12 * body.mass);
  const Real axial = 2 * 0.4 * ball * 0.01 + rod * 4e-4 / 2;
  const Real across = 2 * ball * (0.4 * 0.01 + 1) + rod * (4e-4 / 4 + 1.0 / 3);
  EXPECT_LT((body.inertia - Mat3(Vec3(axial, across, across).asDiagonal())).norm(), 1e-12 * across);
  const auto& clump = *std::get<std::shared_ptr<const geometry::Compound>>(body.shape);
  EXPECT_LT((clump.members()[0].pose.p - Vec3(-1, 0, 0)).norm(), 1e-15);
}

// Meshes and pipes are for bodies that do not move by forces; a mesh keeps its coordinates, and
// what is wrong with its file is said with file and line.
TEST(Shapes, MeshesAndPipesAreBoundaries) {
  const SceneFolder folder;
  folder.write("cube.obj", kCube);
  const std::string open(kCube, std::string_view(kCube).rfind("f 4 1"));
  folder.write("open.obj", open);
  const Scene scene = folder.load(R"(
bodies:
  - {name: block, fixed: true, shape: {mesh: cube.obj}}
  - {name: tray, motion: kinematic, velocity: [1, 0, 0], shape: {mesh: {file: open.obj, open: true}}}
  - {name: silo, fixed: true, shape: {pipe: {radius: 2, length: 6, ends: false}}}
)");
  const auto& mesh =
      *std::get<std::shared_ptr<const geometry::TriangleMesh>>(scene.model.bodies[0].shape);
  EXPECT_EQ(mesh.bounds().lower, Vec3(0, 0, 0));
  EXPECT_EQ(mesh.triangles().size(), 12U);
  const auto& silo = std::get<geometry::Pipe>(scene.model.bodies[2].shape);
  EXPECT_EQ(silo.half_length, 3);
  EXPECT_FALSE(silo.has_ends);
  EXPECT_TRUE(contains(folder.mistakes("bodies: [{name: a, density: 1, shape: {mesh: cube.obj}}]"),
                       "a mesh or a pipe is for single bodies that forces do not move"));
  EXPECT_TRUE(contains(
      folder.mistakes("bodies: [{name: a, density: 1, shape: {pipe: {radius: 1, length: 1}}}]"),
      "a mesh or a pipe is for single bodies that forces do not move"));
  EXPECT_TRUE(contains(folder.mistakes("bodies: [{name: a, fixed: true, shape: {mesh: open.obj}}]"),
                       "open.obj:9:1: the triangle of"));
  EXPECT_TRUE(contains(folder.mistakes("bodies: [{name: a, fixed: true, shape: {mesh: no.stl}}]"),
                       "no such file"));
  folder.write("bad.obj", "v 0 0\n");
  EXPECT_TRUE(contains(folder.mistakes("bodies: [{name: a, fixed: true, shape: {mesh: bad.obj}}]"),
                       "bad.obj:1"));
  EXPECT_TRUE(
      contains(folder.mistakes("\nbodies: [{name: a, fixed: true, shape: {mesh: bad.obj}}]"),
               "scene.yaml:2 names this file"));
  EXPECT_TRUE(
      contains(folder.mistakes(
                   "bodies: [{name: a, density: 1, shape: {hull: {points: [[0, 0, 0], [1, 0, 0], "
                   "[0, 1, 0], [1, 1, 0]]}}}]"),
               "all points lie in a plane"));
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
