#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include <talus/geometry/triangle_mesh.hpp>

#include "support/world.hpp"

// Bodies on the rims of surfaces without thickness.
namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr Real kStep = 1e-3, kThick = 0.01;  // half of a plank's thickness [m]

/// Two upright fences at x = ∓0.5, 1 m deep, of heights 1 and 1 + rise; both face +x.
geometry::Shape fences(Real rise) {
  geometry::MeshData mesh;
  for (const auto& [x, height] : {std::pair(-0.5, 1.0), std::pair(0.5, 1 + rise)}) {
    const auto first = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), {Vec3(x, -0.5, 0), Vec3(x, 0.5, 0),
                                               Vec3(x, 0.5, height), Vec3(x, -0.5, height)});
    mesh.triangles.push_back({first, first + 1, first + 2});
    mesh.triangles.push_back({first, first + 2, first + 3});
  }
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::TriangleMesh::build(std::move(mesh), geometry::TriangleMesh::Kind::sheet));
}

// A plank across two fences, whose rims it presses along normals that look forwards on one and
// backwards on the other, stays where it is by friction: 0.5 holds a slope of 0.1. Rims had no
// normals that look backwards, and where matter was taken to be behind them a rod was lifted off a
// place where there is nothing.
TEST(Sheets, RimsCarryAPlank) {
  const std::array<geometry::Shape, 3> planks = {geometry::Box{{0.8, 0.05, kThick}},
                                                 geometry::Capsule{kThick, 0.8},
                                                 geometry::Cylinder{kThick, 0.8}};
  for (const char* name : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"})
    for (const Real rise : {0.0, 0.02, 0.1, -0.1})
      for (std::size_t k = 0; k < planks.size(); ++k) {
        World world(0.5);
        world.add(fences(rise), model::BodyKind::fixed, Vec3::Zero());
        const Real angle = std::atan(rise);
        const Vec3 normal(-std::sin(angle), 0, std::cos(angle));
        const Vec3 start = Vec3(0, 0, 1 + rise / 2) + (kThick + 1e-5) * normal;
        const Real upright = k == 0 ? 0 : std::numbers::pi / 2;
        const Index plank = world.add(planks[k], model::BodyKind::dynamic, start,
                                      Quat(Eigen::AngleAxisd(upright - angle, Vec3::UnitY())));
        const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
        for (int step = 0; step < 300; ++step) {
          const auto report = scheme->step(world.state, kStep);
          ASSERT_TRUE(report.is_certified())
              << name << ' ' << rise << ' ' << k << ", step " << step << ": " << report.detail;
        }
        // It falls by its gap of 1e-5 m, and slips while it lands.
        EXPECT_LT((world.state.position[plank] - start).norm(), 5e-5) << name << ' ' << rise << k;
        EXPECT_LT(world.state.velocity[plank].norm(), 1e-6) << name << ' ' << rise << k;
      }
}

/// A cup with a bottom, of triangles on n sides.
geometry::Shape cup(Real radius, Real height, int n) {
  geometry::MeshData mesh;
  for (int i = 0; i < n; ++i)
    for (const Real z : {Real(0), height}) {
      const Real angle = 2 * std::numbers::pi * i / n;
      mesh.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
    }
  mesh.vertices.emplace_back(0, 0, 0);
  for (int i = 0; i < n; ++i) {
    const int a = 2 * i, b = 2 * ((i + 1) % n);
    mesh.triangles.push_back({a, b, b + 1});
    mesh.triangles.push_back({a, b + 1, a + 1});
    mesh.triangles.push_back({b, a, 2 * n});
  }
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::TriangleMesh::build(std::move(mesh), geometry::TriangleMesh::Kind::sheet));
}

// A pencil leans out of a cup, with its middle beyond the wall, and is pressed down along itself:
// its foot slides to the corner of wall and bottom and stays there. The nearest point of the cup is
// on its rim, where the surface as a whole has no side: seen from outside, the foot goes through.
TEST(Sheets, APencilThatLeansOutOfACupHasItsFootInside) {
  constexpr Real kRadius = 0.06, kHeight = 0.08, kHalf = 0.15, kSide = 0.003;
  // From a foot near the wall at −x to a point above the rim at +x.
  const Vec3 foot(-kRadius + 0.012, 0, 0.012), over(kRadius, 0, kHeight + 0.005);
  const Vec3 axis = (over - foot).normalized(), start = foot + kHalf * axis;
  ASSERT_GT(start.x(), kRadius) << "its middle is beyond the wall";
  for (const bool is_box : {true, false})
    for (const char* name : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
      World world(0.3, 0, -9.81 * axis);
      world.add(cup(kRadius, kHeight, 24), model::BodyKind::fixed, Vec3::Zero());
      const geometry::Shape shape = is_box
                                        ? geometry::Shape(geometry::Box{{kSide, kSide, kHalf}})
                                        : geometry::Shape(geometry::Capsule{kSide, kHalf - kSide});
      const Index pencil =
          world.add(shape, model::BodyKind::dynamic, start, rotation_between(Vec3::UnitZ(), axis));
      const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
      Real energy = world.energy();
      for (int step = 0; step < 200; ++step) {
        const auto report = scheme->step(world.state, kStep);
        ASSERT_TRUE(report.is_certified())
            << name << is_box << ", step " << step << ": " << report.detail;
        EXPECT_LE(world.energy(), energy + 1e-9) << name << is_box << ", step " << step;
        energy = world.energy();
        const Vec3 along = world.state.orientation[pencil] * Vec3::UnitZ();
        const Vec3 end = world.state.position[pencil] - kHalf * along;
        ASSERT_LT(end.head<2>().norm(), kRadius) << name << is_box << ", step " << step;
        ASSERT_GT(end.z(), 0) << name << is_box << ", step " << step;
      }
      EXPECT_LT(world.state.velocity[pencil].norm(), 0.05) << name << is_box << " is held";
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
