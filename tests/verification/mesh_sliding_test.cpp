#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include <talus/geometry/triangle_mesh.hpp>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// Strips across y over the profile z(x), every cell cut into two triangles.
geometry::Shape track(const std::vector<Vec2>& profile) {
  geometry::MeshData mesh;
  constexpr int kRows = 7;
  for (const Vec2& p : profile)
    for (int j = 0; j < kRows; ++j)
      mesh.vertices.emplace_back(p.x(), j - 3.1 + 0.03 * p.x(), p.y());
  for (int i = 0; i + 1 < static_cast<int>(profile.size()); ++i)
    for (int j = 0; j + 1 < kRows; ++j) {
      const int a = i * kRows + j, b = a + kRows;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::TriangleMesh::build(std::move(mesh), geometry::TriangleMesh::Kind::ground));
}

// Without friction a box slides ten of its lengths over the joints of a flat mesh at a speed that
// changes by no more than 1e-10, without turning (band T3).
TEST(MeshSliding, FlatMeshDoesNotSlowABox) {
  World world;
  std::vector<Vec2> profile;
  for (int i = 0; i <= 30; ++i) profile.emplace_back(-2 + 0.5 * i, 0);
  world.add(track(profile), model::BodyKind::fixed, Vec3::Zero());
  const Index box = world.add_box({0.5, 0.4, 0.3}, {0.1, 0.2, 0.3},
                                  Quat(Eigen::AngleAxis<Real>(0.3, Vec3::UnitZ())));
  world.state.velocity[box] = Vec3(2, 0, 0);
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-13));
  for (int step = 0; step < 500; ++step) {
    const auto report = scheme->step(world.state, 1e-2);
    ASSERT_EQ(scheme->contacts().size(), 4U) << "step " << step;
    ASSERT_LE((world.state.velocity[box] - Vec3(2, 0, 0)).norm(), 1e-10) << "step " << step;
    ASSERT_LE(world.state.angular_velocity[box].norm(), 1e-10) << "step " << step;
  }
  EXPECT_GT(world.state.position[box].x(), 10);
}

// A sheet has no thickness that overlaps could be compared with: on a flat one, as on a plane, a
// cylinder rolls in certified steps, whose overlaps are rounding.
TEST(MeshSliding, FlatSheetsHaveNoThickness) {
  World world(0.5);
  world.add(track({{-2, 0}, {0, 0}, {2, 0}}), model::BodyKind::fixed, Vec3::Zero());
  const Index roll =
      world.add(geometry::Cylinder{0.1, 0.1}, model::BodyKind::dynamic, Vec3(-0.5, 0.013, 0.1),
                Quat(Eigen::AngleAxis<Real>(std::numbers::pi / 2, Vec3::UnitX())));
  world.state.velocity[roll] = Vec3(1, 0, 0);
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-12));
  for (int step = 0; step < 500; ++step) {
    const auto report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
  }
  EXPECT_NEAR(world.state.position[roll].z(), 0.1, 1e-9);
}

// A box that slides down a ramp into a concave bottom does not sink into it and leaves over the
// flat part.
TEST(MeshSliding, ConcaveBottomDoesNotLetABoxThrough) {
  World world;
  const geometry::Shape ramp = track({{-6, 3}, {-4, 2}, {-2, 1}, {0, 0}, {2, 0}, {5, 0}, {9, 0}});
  world.add(ramp, model::BodyKind::fixed, Vec3::Zero());
  const Vec3 half(0.5, 0.4, 0.1), normal = Vec3(1, 0, 2).normalized();
  const Index box = world.add_box(half, Vec3(-4, 0.2, 2) + 0.1001 * normal,
                                  rotation_between(Vec3::UnitZ(), normal));
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-8));
  Real deepest = 0;
  for (int step = 0; step < 2000; ++step) {
    ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified()) << "step " << step;
    for (const auto& contact : scheme->contacts()) deepest = std::min(deepest, contact.gap);
    ASSERT_GT(world.state.position[box].z(), 0.05) << "step " << step;
  }
  EXPECT_GT(world.state.position[box].x(), 1);
  EXPECT_GE(deepest, -5e-3);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
