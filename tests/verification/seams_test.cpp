#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/triangle_mesh.hpp>

#include "support/world.hpp"

// Contacts that a scheme foresees act only where their normals hold: bodies that slide over a seam,
// or past each other, feel nothing of the faces that they do not touch.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr int kTiles = 100;
constexpr Real kTile = 0.1, kHalf = 0.05, kStep = 1e-3;

struct Slider {
  const char* name;
  geometry::Shape shape;
  Real height;  ///< of its centre of mass
  Quat orientation = Quat::Identity();
  bool rolls = false;  ///< about y, with this height as its radius
};

std::vector<Slider> sliders() {
  const Real h = 0.05;
  // A pyramid about its centre of mass, a quarter of its height above its base.
  const std::vector<Vec3> corners = {
      {-h, -h, -0.02}, {h, -h, -0.02}, {h, h, -0.02}, {-h, h, -0.02}, {0, 0, 0.06}};
  const auto pyramid = std::make_shared<const geometry::Polytope>(geometry::convex_hull(corners));
  const Quat across(Eigen::AngleAxis<Real>(std::numbers::pi / 2, Vec3::UnitX()));
  const Quat yaw(Eigen::AngleAxis<Real>(0.3, Vec3::UnitZ()));
  return {{"box", geometry::Box{{h, h, h}}, h},
          {"turned box", geometry::Box{{h, 0.7 * h, h}}, h, yaw},
          {"cylinder on its face", geometry::Cylinder{h, h}, h},
          {"pyramid", pyramid, 0.02, yaw},
          {"ball", geometry::Sphere{h}, h},
          {"capsule", geometry::Capsule{h, h}, h, across},
          {"rolling ball", geometry::Sphere{h}, h, Quat::Identity(), true},
          {"rolling capsule", geometry::Capsule{h, h}, h, across, true},
          {"rolling cylinder", geometry::Cylinder{h, h}, h, across, true}};
}

/// By the name of the scheme: those that hold gaps closed.
class SeamsOfScheme : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(InSpace, SeamsOfScheme,
                         testing::Values("moreau_jean", "moreau_midpoint", "stewart_trinkle",
                                         "anitescu_potra_stabilised"),
                         [](const auto& test) { return std::string(test.param); });

/// A body that moves along x over tiles, or over one slab.
struct Course {
  World world;
  Index body;

  Course(const Slider& slider, bool has_tiles, Real start, Real speed)
      : world(slider.rolls ? 0.5 : 0.0) {
    if (has_tiles) {
      for (int i = 0; i < kTiles; ++i)
        world.add(geometry::Box{{kTile / 2, 1, kTile / 2}}, model::BodyKind::fixed,
                  {(i + 0.5) * kTile, 0, -kTile / 2});
    } else {
      world.add(geometry::Box{{kTiles * kTile, 1, kTile / 2}}, model::BodyKind::fixed,
                {0, 0, -kTile / 2});
    }
    body = world.add(slider.shape, model::BodyKind::dynamic, {start, 0, slider.height},
                     slider.orientation);
    world.state.velocity[body].x() = speed;
    if (slider.rolls) world.state.angular_velocity[body].y() = speed / slider.height;
  }
};

// A body that slides without friction, or rolls, over a hundred flush tiles moves as over one
// slab: to 1e-9 of its way and of its speed. (Against the hidden side of the next tile, 1 mm ahead
// with the normal −x, a box lost nine tenths of its speed; in anitescu_potra_stabilised half of it;
// in moreau_midpoint a fast ball was thrown up by the edge that it had not reached.)
TEST_P(SeamsOfScheme, BodiesMoveAsOverOneSlab) {
  const int most = GetParam() == std::string("moreau_jean") ? 4000 : 1000;
  for (const Slider& slider : sliders())
    for (const Real speed : {0.3, 2.0, 23.7}) {
      const Real start = 1.5 * kTile + 0.037 * kTile;
      const int steps =
          std::min(most, static_cast<int>((kTile * (kTiles - 2) - start) / (speed * kStep)));
      Course tiles(slider, true, start, speed), slab(slider, false, start, speed);
      const auto over_tiles = make_scheme(tiles.world.model, test::options(GetParam(), 1e-11));
      const auto over_slab = make_scheme(slab.world.model, test::options(GetParam(), 1e-11));
      for (int k = 0; k < steps; ++k) {
        const auto report = over_tiles->step(tiles.world.state, kStep);
        ASSERT_TRUE(report.is_certified()) << slider.name << " at " << speed << report.detail;
        const auto other = over_slab->step(slab.world.state, kStep);
        ASSERT_TRUE(other.is_certified()) << slider.name << " at " << speed << other.detail;
      }
      const model::State &a = tiles.world.state, &b = slab.world.state;
      EXPECT_LE((a.velocity[tiles.body] - b.velocity[slab.body]).norm(), 1e-9 * speed)
          << slider.name << " at " << speed << " m/s: " << a.velocity[tiles.body].transpose();
      EXPECT_LE((a.position[tiles.body] - b.position[slab.body]).norm(),
                1e-9 * speed * steps * kStep)
          << slider.name << " at " << speed << " m/s: " << a.position[tiles.body].transpose();
    }
}

// On velocity level a body sinks by h² g at most before its contacts act. Having sunk in one tile
// and not yet in the next it is inclined by h² g/R at most, R its half width, and its weight
// accelerates it along the slope: by g h² g/R for as long as it stays so, which is until something
// levels it. Over a time t the speed changes by (h g)² t/R and no more. (A box stopped at the first
// seam.)
TEST(Seams, VelocityLevelIsInclinedByWhatItSinks) {
  constexpr Real g = 9.81;
  for (const Slider& slider : sliders())
    for (const Real speed : {0.3, 2.0, 23.7}) {
      Course tiles(slider, true, 0.1537, speed);
      const auto scheme = make_scheme(tiles.world.model, test::options("anitescu_potra", 1e-11));
      const int steps = std::min(1000, static_cast<int>(9.6 / (speed * kStep)));
      for (int k = 0; k < steps; ++k)
        ASSERT_TRUE(scheme->step(tiles.world.state, kStep).is_certified()) << slider.name;
      const Real time = steps * kStep;
      EXPECT_NEAR(tiles.world.state.velocity[tiles.body].x(), speed,
                  kStep * kStep * g * g * time / kHalf)
          << slider.name << " at " << speed << " m/s";
    }
}

/// A box as a closed surface of triangles.
geometry::Shape box_of_triangles(const Vec3& half_size) {
  geometry::MeshData mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        half_size.cwiseProduct(Vec3((i & 1) * 2 - 1, (i & 2) - 1, (i & 4) / 2 - 1)));
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::TriangleMesh::build(std::move(mesh), geometry::TriangleMesh::Kind::solid));
}

geometry::Shape clump_of(const geometry::Shape& shape, const std::vector<Vec3>& places) {
  std::vector<geometry::Compound::Member> members;
  for (const Vec3& place : places) {
    members.emplace_back();
    members.back().shape = shape;
    members.back().pose.p = place;
  }
  return std::make_shared<const geometry::Compound>(geometry::Compound::build(std::move(members)));
}

std::vector<Slider> clumps() {
  const Real h = 0.05;
  return {{"clump of balls", clump_of(geometry::Sphere{h}, {{-h, 0, 0}, {h, -h, 0}, {h, h, 0}}), h},
          {"clump of boxes", clump_of(geometry::Box{{h, h, h}}, {{-h, 0, 0}, {h, 0, 0}}), h}};
}

// Shapes that are not convex: clumps slide over flush tiles, and boxes, balls and clumps over flush
// meshes, as over one slab. (A clump of boxes and a box over two meshes lost nine tenths of their
// speed.)
TEST(Seams, ClumpsAndMeshesHaveNone) {
  const Vec3 half_tile(kTile, 1, kTile / 2);
  std::vector<Slider> all = clumps();
  for (const Slider& slider : sliders())
    if (!slider.rolls) all.push_back(slider);
  for (const Slider& slider : all)
    for (const bool is_mesh : {false, true})
      for (const Real speed : {0.3, 2.0, 10.0}) {
        World world;
        for (int i = 0; i < 10; ++i)
          world.add(
              is_mesh ? box_of_triangles(half_tile) : geometry::Shape(geometry::Box{half_tile}),
              model::BodyKind::fixed, {2 * kTile * i, 0, -kTile / 2});
        const Index body = world.add(slider.shape, model::BodyKind::dynamic,
                                     {0.0123, 0, slider.height}, slider.orientation);
        world.state.velocity[body].x() = speed;
        const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-11));
        for (Real way = 0; way < 1.5; way += speed * kStep)
          ASSERT_TRUE(scheme->step(world.state, kStep).is_certified());
        EXPECT_LE((world.state.velocity[body] - Vec3(speed, 0, 0)).norm(), 1e-9 * speed)
            << slider.name << " at " << speed << " m/s, meshes " << is_mesh << ": "
            << world.state.velocity[body].transpose();
      }
}

/// A body passes another one, about the origin, 0.1 mm above its top: the world after it.
World passed(const geometry::Shape& other, model::BodyKind kind, const Slider& slider, Real speed,
             Real phase, const char* name = "moreau_jean") {
  constexpr Real kApart = 1e-4;
  World world(0.5, 0, Vec3::Zero());
  world.add(other, kind, {0, 0, -kHalf});
  const Index passing =
      world.add(slider.shape, model::BodyKind::dynamic,
                {-0.3 - phase * speed * kStep, 0.01, slider.height + kApart}, slider.orientation);
  world.state.velocity[passing].x() = speed;
  const auto scheme = make_scheme(world.model, test::options(name, 1e-11));
  for (Real way = 0; way < 0.6; way += speed * kStep)
    EXPECT_TRUE(scheme->step(world.state, kStep).is_certified());
  return world;
}

// Nor does what passes a mesh, or as a clump a box, 0.1 mm away feel them, while it goes no farther
// in a step than its own size.
TEST(Seams, ClumpsPassAndMeshesArePassed) {
  std::vector<Slider> all = clumps();
  for (const Slider& slider : sliders())
    if (!slider.rolls) all.push_back(slider);
  for (const Slider& slider : all)
    for (const bool is_mesh : {false, true})
      for (const Real speed : {1.0, 10.0, 19.0}) {
        const Vec3 half = Vec3::Constant(kHalf);
        const World world =
            passed(is_mesh ? box_of_triangles(half) : geometry::Shape(geometry::Box{half}),
                   model::BodyKind::fixed, slider, speed, 0.31);
        EXPECT_LE((world.state.velocity.back() - Vec3(speed, 0, 0)).norm(), 1e-9 * speed)
            << slider.name << " at " << speed << " m/s, mesh " << is_mesh;
      }
}

// What meets a thin wall of triangles with its face does not get through, at any speed.
TEST(Seams, NothingTunnelsThroughMeshes) {
  for (const Slider& slider : clumps())
    for (const Real speed : {1.0, 10.0, 40.0, 200.0, 1000.0})
      for (const Real phase : {0.0, 0.31, 0.77}) {
        World world(0.3, 0, Vec3::Zero());
        world.add(box_of_triangles({5e-4, 1, 1}), model::BodyKind::fixed, Vec3::Zero());
        const Index body = world.add(slider.shape, model::BodyKind::dynamic,
                                     {-0.3 - phase * speed * kStep, 0.01, 0.013});
        world.state.velocity[body].x() = speed;
        const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
        for (Real way = 0; way < 1.2; way += speed * kStep) {
          const auto report = scheme->step(world.state, kStep);
          EXPECT_TRUE(report.is_certified() || speed > 10) << slider.name << ": " << report.detail;
          if (!report.is_certified()) break;
          ASSERT_LE(world.state.position[body].x(), 0.0) << slider.name << ' ' << speed;
        }
      }
}

// The same for bodies that lie 1e-5 m deep in the tiles, within the penetration that is left alone,
// also where a step ends 1e-7 m past a seam: of the two faces that a box overlaps the one that it
// moves along counts, not the one that it overlaps less.
TEST(Seams, DepthThatIsLeftAloneStopsNothing) {
  for (const Slider& slider : sliders())
    for (const Real speed : {0.3, 2.0}) {
      // After ten steps a box's front is at a seam.
      const Real start = 3 * kTile - 0.05 - 10 * speed * kStep + 1e-7;
      Course tiles(slider, true, start, speed), slab(slider, false, start, speed);
      const auto over_tiles = make_scheme(tiles.world.model, test::options("moreau_jean", 1e-11));
      const auto over_slab = make_scheme(slab.world.model, test::options("moreau_jean", 1e-11));
      for (World* world : {&tiles.world, &slab.world}) world->state.position.back().z() -= 1e-5;
      for (int k = 0; k < 400; ++k) {
        ASSERT_TRUE(over_tiles->step(tiles.world.state, kStep).is_certified());
        ASSERT_TRUE(over_slab->step(slab.world.state, kStep).is_certified());
      }
      EXPECT_LE((tiles.world.state.velocity.back() - slab.world.state.velocity.back()).norm(),
                1e-9 * speed)
          << slider.name << " at " << speed
          << " m/s: " << tiles.world.state.velocity.back().transpose();
    }
}

// Without gravity a body passes another one 0.1 mm away, at any speed, and neither moves otherwise
// for it: they never touch, so there is no impulse.
TEST_P(SeamsOfScheme, BodiesThatPassEachOtherFeelNothing) {
  for (const Slider& slider : sliders())
    for (const Real speed : {1.0, 10.0, 100.0})
      for (const Real phase : {0.0, 0.31, 0.77}) {
        const World world = passed(geometry::Box{Vec3::Constant(kHalf)}, model::BodyKind::dynamic,
                                   slider, speed, phase, GetParam());
        EXPECT_LE((world.state.velocity.back() - Vec3(speed, 0, 0)).norm(), 1e-9 * speed)
            << slider.name << " at " << speed << " m/s, phase " << phase;
        EXPECT_LE(world.state.velocity.front().norm(), 1e-9 * speed) << slider.name;
      }
}

// A body that meets a plate of 1 mm with its face does not get through, head-on or aslant, at any
// speed; and in any orientation and with any spin while it turns less than a radian a step.
TEST(Seams, NothingTunnels) {
  Random random(5);
  for (const Slider& slider : sliders())
    for (const Real speed : {1.0, 10.0, 100.0, 1e3, 1e4})
      for (int k = 0; k < 20; ++k) {
        const bool is_turned = speed <= 10 && k % 2 == 1;
        World world(is_turned ? 0.3 : 0.0, 0, Vec3::Zero());
        world.add(geometry::Box{{50, 50, 5e-4}}, model::BodyKind::fixed, Vec3::Zero());
        const Real height = random.uniform(0.1, 0.1 + 0.5 * speed * kStep);
        const Vec3 direction(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), -1);
        const Index body =
            world.add(slider.shape, model::BodyKind::dynamic, -height * direction,
                      is_turned ? test::random_rotation(random) : slider.orientation);
        world.state.velocity[body] = speed * direction;
        if (is_turned) world.state.angular_velocity[body] = test::random_vector(random, 50);
        const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-8));
        const int steps = std::min(200, 5 + static_cast<int>(0.2 / (speed * kStep)));
        for (int step = 0; step < steps; ++step) {
          (void)scheme->step(world.state, kStep);
          ASSERT_GT(world.state.position[body].z(), 0)
              << slider.name << " at " << speed << " m/s, case " << k << " step " << step;
        }
      }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
