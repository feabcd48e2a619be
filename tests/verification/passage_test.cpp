#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/triangle_mesh.hpp>

#include "support/world.hpp"

// Bodies do not go through each other within a step, however far they move or turn in it.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr Real kStep = 1e-3;

// A body that meets a plate of 1 mm does not get through it by the schemes of one LCP per step
// either, which look for contacts at q + h v, far behind the plate.
TEST(Passage, ImplicitSchemesLetNothingThroughAPlate) {
  const std::array<geometry::Shape, 3> shapes = {
      geometry::Sphere{0.02}, geometry::Box{{0.02, 0.03, 0.02}}, geometry::Cylinder{0.02, 0.02}};
  Random random(11);
  for (const char* name : {"stewart_trinkle", "anitescu_potra_stabilised"})
    for (const geometry::Shape& shape : shapes)
      for (const Real speed : {1.0, 30.0, 1e3, 1e4}) {
        World world(0.3, 0, Vec3::Zero());
        world.add(geometry::Box{{50, 50, 5e-4}}, model::BodyKind::fixed, Vec3::Zero());
        const Vec3 direction(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), -1);
        const Real height = random.uniform(0.05, 0.05 + speed * kStep);
        const Index body = world.add(shape, model::BodyKind::dynamic, -height * direction);
        world.state.velocity[body] = speed * direction;
        const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
        const int steps = std::min(200, 5 + static_cast<int>(0.2 / (speed * kStep)));
        for (int step = 0; step < steps; ++step) {
          const auto report = scheme->step(world.state, kStep);
          ASSERT_TRUE(report.is_certified()) << name << ' ' << speed << ": " << report.detail;
          ASSERT_GT(world.state.position[body].z(), 0.02)
              << name << " at " << speed << " m/s, step " << step;
        }
      }
}

/// A box whose lower edge comes down past the upper edge of a step of stairs: 3 mm above it and
/// `inside` over it, it goes 5 mm across and 5 mm down in a step of 2 ms.
World past_an_edge(int dimension, Real inside) {
  World world(0.5, 0.5, Vec3::Zero());
  world.model.dimension = dimension;
  const Vec3 half(0.1, 0.1, 0.1);
  world.add(geometry::Box{half}, model::BodyKind::fixed, {-0.1, -0.1, 0});
  const Index box = world.add_box(half, {0.1 - inside, 0.103, 0});
  world.state.velocity[box] = {2.5, -2.5, 0};
  return world;
}

// What passes a corner is not touched, though the normal now stops it and no plane separates the
// two before and after: n = (0, 1) now, (1, 0) then, where they overlapped by 1 mm. The distance on
// the way is (3 mm − 1 mm)/√2 at least. What would end 2 mm deep is stopped.
TEST(Passage, ACornerIsPassedUntouched) {
  for (const int dimension : {2, 3})
    for (const char* name : {"moreau_jean", "moreau_midpoint"}) {
      World clear = past_an_edge(dimension, 0.001), late = past_an_edge(dimension, 0.02);
      const Vec3 v = clear.state.velocity[1];
      for (World* world : {&clear, &late}) {
        const auto scheme = make_scheme(world->model, test::options(name, 1e-8));
        const auto report = scheme->step(world->state, 2e-3);
        EXPECT_TRUE(report.is_certified()) << name << dimension << report.detail;
      }
      EXPECT_EQ(clear.state.velocity[1], v) << name << dimension;
      EXPECT_TRUE(clear.state.angular_velocity[1].isZero(0)) << name << dimension;
      EXPECT_GT(late.state.velocity[1].y(), -2) << name << dimension;
    }
}

/// A box before a post, 0.7 mm from its side and 1 mm below its top, at 1 m/s towards it; and, if
/// `is_pushed`, a heavy ball that comes from below at 6 m/s and takes it along.
World before_a_post(int dimension, bool is_pushed) {
  World world(0, 0, Vec3::Zero());
  world.model.dimension = dimension;
  world.add(geometry::Box{{0.1, 0.1, 0.1}}, model::BodyKind::fixed, {0.1, -0.1, 0});
  const Index box = world.add_box({0.02, 0.02, 0.02}, {-0.0207, 0.019, 0});
  world.state.velocity[box] = {1, 0, 0};
  const Index ball = world.add(geometry::Sphere{0.02}, model::BodyKind::dynamic,
                               {-0.0207, -0.0211, 0}, Quat::Identity(), 1e6);
  if (is_pushed) world.state.velocity[ball] = {0, 6, 0};
  return world;
}

// What another body pushes past an edge within the step is not touched by it, though it would have
// met it alone: the law of two bodies is of where they get to, not of where they would have.
TEST(Passage, WhatIsPushedOutOfTheWayIsNotTouched) {
  for (const int dimension : {2, 3})
    for (const char* name : {"moreau_jean", "moreau_midpoint"})
      for (const bool is_pushed : {true, false}) {
        World world = before_a_post(dimension, is_pushed);
        const auto scheme = make_scheme(world.model, test::options(name, 1e-10));
        const auto report = scheme->step(world.state, kStep);
        const Vec3& velocity = world.state.velocity[1];
        EXPECT_TRUE(report.is_certified()) << name << dimension << report.detail;
        if (is_pushed) {
          EXPECT_GE(velocity.x(), 1 - 1e-9) << name << dimension;
          EXPECT_GT(velocity.y(), 5.8) << name << dimension;
        } else {
          EXPECT_LT(velocity.x(), 0.95) << name << dimension;
        }
      }
}

// A ball that flies past another one is no contact, until a wall turns it: along the wall, with
// what is left of its velocity, v_t, it runs into the other, which goes on with (v_t − gap/h)/2, so
// that both touch where the step ends.
TEST(Passage, BallTurnedByAWallMeetsTheOneItWouldPass) {
  const Vec3 along = Vec3(1, 1, 0).normalized(), normal = Vec3(-1, 1, 0).normalized();
  for (const bool has_wall : {true, false}) {
    World world(0, 0, Vec3::Zero());
    const Real radius = 0.01, apart = 1.5 * 2 * radius;
    const Quat upright = Quat::FromTwoVectors(Vec3::UnitZ(), normal);
    if (has_wall) world.add(geometry::Plane{}, model::BodyKind::fixed, -radius * normal, upright);
    const Index one = world.add_sphere(radius, Vec3::Zero()),
                other = world.add_sphere(radius, apart * along);
    world.state.velocity[one].x() = 2 * 2 * radius / kStep;
    const Real turned = world.state.velocity[one].dot(along), gap = apart - 2 * radius;
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-10));
    EXPECT_TRUE(scheme->step(world.state, kStep).is_certified());
    const Real speed = world.state.velocity[other].dot(along);
    if (has_wall) {
      EXPECT_NEAR(speed, (turned - gap / kStep) / 2, 1e-8 * turned);
    } else {
      EXPECT_EQ(speed, 0);
    }
  }
}

// Where velocities alone are the law, a body may get into a plate and through it; no step is
// certified in which it does, or in which it is in the plate.
TEST(Passage, IsNeverCertified) {
  for (const Real speed : {30.0, 1e3, 1e4}) {
    World world(0, 0, Vec3::Zero());
    world.add(geometry::Box{{50, 50, 5e-4}}, model::BodyKind::fixed, Vec3::Zero());
    const Index ball = world.add_sphere(0.02, {0, 0, 0.05});
    world.state.velocity[ball].z() = -speed;
    const auto scheme = make_scheme(world.model, test::options("anitescu_potra", 1e-8));
    for (int step = 0; step < 5; ++step) {
      const Real before = world.state.position[ball].z();
      const auto report = scheme->step(world.state, kStep);
      const bool has_met = before > 0.0205 && world.state.position[ball].z() < 0.0203;
      const bool is_in = std::abs(world.state.position[ball].z()) < 0.0203;
      EXPECT_EQ(report.is_certified(), !has_met && !is_in) << speed << ' ' << report.detail;
    }
  }
}

/// A surface of two triangles in the plane z = 0.
geometry::Shape sheet(geometry::TriangleMesh::Kind kind = geometry::TriangleMesh::Kind::ground) {
  geometry::MeshData mesh;
  mesh.vertices = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::TriangleMesh::build(std::move(mesh), kind));
}

/// Two thin boxes across each other: thinner than their common box.
geometry::Shape cross() {
  const auto member = [](const Vec3& half) {
    return geometry::Compound::Member{geometry::Box{half}, Pose{}, half.norm()};
  };
  return std::make_shared<const geometry::Compound>(
      geometry::Compound::build({member({0.012, 0.004, 0.001}), member({0.004, 0.001, 0.012})}));
}

// A sheet without thickness stops what strikes it from either side: thrown at it with and against
// its weight, bodies bounce and stay on their side. A ball that came from behind was moved through
// the sheet by its diameter in one certified step, and gained the energy for it.
TEST(Passage, NothingGoesThroughASheetFromBehind) {
  const std::array<geometry::Shape, 4> shapes = {geometry::Sphere{0.05},
                                                 geometry::Box{{0.05, 0.04, 0.03}},
                                                 geometry::Cylinder{0.04, 0.05}, cross()};
  Random random(42);
  for (const char* name : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"})
    for (int trial = 0; trial < 32; ++trial) {  // shapes, sides, weights
      const Real side = trial % 2 == 0 ? 1 : -1, weight = trial % 4 < 2 ? 9.81 : -9.81;
      World world(0.3, 0, Vec3(0, 0, weight));
      world.add(sheet(geometry::TriangleMesh::Kind::sheet), model::BodyKind::fixed, Vec3::Zero());
      const Index body = world.add(shapes[trial / 4 % shapes.size()], model::BodyKind::dynamic,
                                   {0, 0, 0.1 * side});
      world.state.orientation[body] = test::random_rotation(random);
      world.state.velocity[body] = {0.5, 0.3, -2 * side};
      world.state.angular_velocity[body] = test::random_vector(random, 3);
      stepping::SchemeOptions options = test::options(name, 1e-8);
      options.max_halvings = 8;
      const auto scheme = make_scheme(world.model, options);
      const Real energy = world.energy();
      for (int step = 0; step < 300; ++step) {
        const auto report = scheme->step(world.state, kStep);
        ASSERT_TRUE(report.is_certified())
            << name << trial << ", step " << step << ": " << report.detail;
        ASSERT_GT(side * world.state.position[body].z(), 0) << name << trial << ", step " << step;
      }
      EXPECT_LT(world.energy(), energy);
    }
}

// What comes out of the ground from below is moved to its surface by twice its radius: no such step
// is certified.
TEST(Passage, NothingComesOutOfTheGround) {
  for (const char* name : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
    World world(0, 0, Vec3::Zero());
    world.add(sheet(), model::BodyKind::fixed, Vec3::Zero());
    const Index ball = world.add_sphere(0.05, {0.1, 0.2, -0.06});
    world.state.velocity[ball].z() = 1.3;
    const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
    bool is_certified = true;
    for (int step = 0; step < 60; ++step)
      is_certified = scheme->step(world.state, kStep).is_certified() && is_certified;
    EXPECT_GT(world.state.position[ball].z(), 0);
    EXPECT_FALSE(is_certified) << name;
  }
}

// Ground is felt by bodies whose middle lies in front of it, and a thin coin that strikes it with
// its rim swings round by as much as its own thickness in a step: it ended behind the mesh, where
// no contact was found, and each of these steps was certified. Now none that brings its centre
// behind the mesh is; halved, all are certified and no coin gets through. So of bodies that are
// made of thin ones.
TEST(Passage, NothingThinSwingsThroughAMesh) {
  Random random(39);
  const std::array<geometry::Shape, 2> shapes = {geometry::Cylinder{0.012, 0.001}, cross()};
  for (const char* name : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
    Index refused = 0;
    for (int trial = 0; trial < 40; ++trial)
      for (const Index halvings : {0, 8}) {
        World world(0.3, 0, Vec3(0, 0, -9.81));
        world.add(sheet(), model::BodyKind::fixed, Vec3::Zero());
        const Index coin = world.add(shapes[trial % 2], model::BodyKind::dynamic, {0, 0, 0.03});
        world.state.orientation[coin] = Quat(random.uniform(-1, 1), random.uniform(-1, 1),
                                             random.uniform(-1, 1), random.uniform(-1, 1))
                                            .normalized();
        world.state.velocity[coin] = {0.5, 0.3, trial < 20 ? -3.0 : -10.0};
        world.state.angular_velocity[coin] = {3, 5, 2};
        stepping::SchemeOptions options = test::options(name, 1e-8);
        options.max_halvings = halvings;
        const auto scheme = make_scheme(world.model, options);
        for (int step = 0; step < 30; ++step) {
          const auto report = scheme->step(world.state, kStep);
          if (!report.is_certified()) {
            ++refused;
            EXPECT_EQ(halvings, 0) << name << trial << ": " << report.detail;
            break;
          }
          ASSERT_GT(world.state.position[coin].z(), 0) << name << trial << ", step " << step;
        }
      }
    EXPECT_GT(refused, 0) << name << ": steps of 1 ms are short enough";
  }
}

/// A rod that turns about its middle at a rate, and a post in its way, at an angle.
struct Spin {
  World world{0.3, 0, Vec3::Zero()};
  Index rod;
  Spin(Real rate, Real angle) {
    world.add(geometry::Capsule{0.01, 0.25}, model::BodyKind::fixed,
              {0.4 * std::cos(angle), 0.4 * std::sin(angle), 0});
    rod = world.add(geometry::Box{{0.5, 0.01, 0.01}}, model::BodyKind::dynamic, Vec3::Zero());
    world.state.angular_velocity[rod].z() = rate;
  }
};

// A rod that turns 0.3, 0.7, 1 or 2 rad a step hits a post, whatever the angle between them (it
// passed it in some), loses energy in that, and does not go on past it. A step in which the bodies
// overlap by more than a hundredth is not certified; halved, all are.
TEST(Passage, ASpinningRodHitsThePost) {
  for (const char* name : {"moreau_jean", "stewart_trinkle"})
    for (const Real rate : {300.0, 700.0, 1000.0, 2000.0})
      for (Real angle = 0.13; angle < std::numbers::pi - 0.1; angle += 0.26) {
        Spin spin(rate, angle);
        auto options = test::options(name, 1e-8);
        options.max_halvings = 6;
        const auto scheme = make_scheme(spin.world.model, options);
        const Real before = spin.world.energy();
        for (int step = 0; step < 12; ++step) {
          const auto report = scheme->step(spin.world.state, kStep);
          ASSERT_TRUE(report.is_certified())
              << name << ' ' << rate << ' ' << angle << ": " << report.detail;
        }
        EXPECT_LE(spin.world.energy(), 0.5 * before) << name << ' ' << rate << ' ' << angle;
      }
}

/// A planar world without weight.
struct Sheet : World {
  Sheet() : World(0.3, 0, Vec3::Zero()) { model.dimension = 2; }
  Index add_rod(Real radius, Real half_length, const Vec3& position) {
    const Index rod =
        add(geometry::Capsule{radius, half_length}, model::BodyKind::dynamic, position);
    model.bodies[rod].X_BS.q = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
    return rod;
  }
};

/// Discs, boxes and rods that fly at a plate of 1 mm, 0.02 thick at least themselves.
template <class Judge>
void fly_at_a_plate(const char* name, const Judge& judge) {
  Random random(12);
  for (int shape = 0; shape < 3; ++shape)
    for (const Real speed : {1.0, 30.0, 1e3, 1e4})
      for (int repetition = 0; repetition < 4; ++repetition) {
        Sheet sheet;
        sheet.add(geometry::Box{{50, 5e-4, 1}}, model::BodyKind::fixed, Vec3::Zero());
        const Vec3 direction(random.uniform(-0.3, 0.3), -1, 0);
        const Vec3 from = -random.uniform(0.05, 0.05 + speed * kStep) * direction;
        const Index body = shape == 0   ? sheet.add_sphere(0.02, from)
                           : shape == 1 ? sheet.add(geometry::Box{{0.02, 0.03, 0.02}},
                                                    model::BodyKind::dynamic, from)
                                        : sheet.add_rod(0.02, 0.02, from);
        sheet.state.velocity[body] = speed * direction;
        const auto scheme = make_scheme(sheet.model, test::options(name, 1e-8));
        const int steps = std::min(200, 5 + static_cast<int>(0.2 / (speed * kStep)));
        for (int step = 0; step < steps; ++step) {
          const auto report = scheme->step(sheet.state, kStep);
          if (!judge(report, sheet.state.position[body].y())) break;
        }
      }
}

// In the plane as in space nothing gets through a plate, by velocities and by positions, and every
// step is certified, those too in which nothing but rounding moves.
TEST(Passage, NothingGetsThroughAPlateInThePlane) {
  for (const char* scheme :
       {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra_stabilised"})
    fly_at_a_plate(scheme, [&](const stepping::StepReport& report, Real height) {
      EXPECT_TRUE(report.is_certified()) << scheme << ": " << report.detail;
      EXPECT_GT(height, 0.0199) << scheme;
      return report.is_certified();
    });
}

// Velocities alone are the law of Anitescu and Potra: what meets a plate in a step may go through
// it. No such step is certified.
TEST(Passage, IsNeverCertifiedInThePlane) {
  Real before = 1;
  int refused = 0;
  fly_at_a_plate("anitescu_potra", [&](const stepping::StepReport& report, Real height) {
    const bool has_met = before > 0.0205 && height < 0.0203;
    EXPECT_FALSE(has_met && report.is_certified()) << before << ' ' << height;
    refused += has_met ? 1 : 0;
    before = height;
    return true;
  });
  EXPECT_GE(refused, 10);
}

// A rod that turns 0.3, 0.7, 1 or 2 rad a step in the plane hits a post, whatever the angle between
// them, and loses energy in that, or no step is certified in which it passes it.
TEST(Passage, ASpinningRodHitsThePostInThePlane) {
  for (const char* name : {"moreau_jean", "stewart_trinkle", "moreau_midpoint"})
    for (const Real rate : {300.0, 700.0, 1000.0, 2000.0})
      for (Real angle = 0.13; angle < std::numbers::pi - 0.1; angle += 0.26) {
        Sheet sheet;
        sheet.add(geometry::Sphere{0.01}, model::BodyKind::fixed,
                  {0.4 * std::cos(angle), 0.4 * std::sin(angle), 0});
        const Index rod = sheet.add_box({0.5, 0.01, 0.01}, Vec3::Zero());
        sheet.state.angular_velocity[rod].z() = rate;
        auto options = test::options(name, 1e-8);
        options.max_halvings = 6;
        const auto scheme = make_scheme(sheet.model, options);
        const Real before = sheet.energy();
        bool is_certified = true;
        for (int step = 0; step < 12 && is_certified; ++step) {
          const auto report = scheme->step(sheet.state, kStep);
          is_certified = report.is_certified();
          EXPECT_TRUE(is_certified) << name << ' ' << rate << ' ' << angle << ": " << report.detail;
        }
        EXPECT_TRUE(!is_certified || sheet.energy() <= 0.5 * before)
            << name << ' ' << rate << ' ' << angle;
      }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
