#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/thread_ranks.hpp"
#include "support/witness.hpp"
#include "support/world.hpp"

// Penetration is taken back by displacements without velocity: what a scene starts with, or what a
// turning body makes in a step, does not become kinetic energy.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr std::array kLevelSchemes = {"moreau_jean", "stewart_trinkle",
                                      "anitescu_potra_stabilised"};

Real kinetic(const World& world) { return dynamics::energy(world.model, world.state).kinetic; }

// A ball that starts with 18 of its 200 mm in the floor is lifted out of it at rest, whatever the
// step: a velocity of depth over h would be 3.6 m/s at 1 ms and 358 m/s at 0.01 ms.
TEST(PushOut, BallInTheFloorIsLiftedAtRest) {
  for (const char* name : kLevelSchemes)
    for (const Real h : {1e-3, 1e-4, 1e-5}) {
      SCOPED_TRACE(fmt::format("{} {}", name, h));
      World world;
      world.add_floor();
      const Index ball = world.add_sphere(0.2, {0, 0, 0.182});
      const auto scheme = make_scheme(world.model, test::options(name, 1e-9));
      for (int k = 0; k < 100; ++k) {
        ASSERT_TRUE(scheme->step(world.state, h).is_certified());
        ASSERT_LE(world.state.velocity[ball].norm(), 1e-9 * 9.81 * h) << k;  // as certified
      }
      EXPECT_NEAR(world.state.position[ball].z(), 0.2, 2e-4) << "within the slop";
    }
}

// A cube of 1 m that starts 1, 5 or 9 cm deep stays where it is lifted to; it was thrown up to 13
// m.
TEST(PushOut, CubeInTheFloorIsNotThrown) {
  for (const char* name : kLevelSchemes)
    for (const Real depth : {0.01, 0.05, 0.09}) {
      SCOPED_TRACE(fmt::format("{} {}", name, depth));
      World world(0.5);
      world.add_floor();
      const Index cube = world.add_box({0.5, 0.5, 0.5}, {0, 0, 0.5 - depth});
      const auto scheme = make_scheme(world.model, test::options(name, 1e-9));
      Real highest = 0;
      for (int k = 0; k < 300; ++k) {
        ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
        highest = std::max(highest, world.state.position[cube].z());
      }
      EXPECT_LE(highest, 0.5 + 1e-9);
      EXPECT_GE(highest, 0.5 - 5e-4 - 1e-9) << "within the slop";
    }
}

/// Bodies thrown into each other and into a floor, without weight.
World tangle(std::uint64_t seed) {
  Random random(seed);
  World world(random.uniform(0, 1), 0, Vec3::Zero());
  world.add_floor();
  for (int i = 0; i < 8; ++i) {
    const Vec3 position = Vec3(0, 0, 0.15) + test::random_vector(random, 0.15);
    const Index body =
        i % 2 == 0 ? world.add_sphere(random.uniform(0.05, 0.1), position)
                   : world.add_box(Vec3(random.uniform(0.04, 0.1), random.uniform(0.04, 0.1), 0.06),
                                   position, test::random_rotation(random));
    world.state.velocity[body] = test::random_vector(random, 1);
    world.state.angular_velocity[body] = test::random_vector(random, 5);
  }
  return world;
}

Real step_size(std::uint64_t seed) {
  Random random(seed);
  return std::pow(10, random.uniform(-4, -2));
}

// Plastic bodies without weight that start inside each other, at any velocities, never gain kinetic
// energy: ΔE = Σ r·u' − ½ Δvᵀ M Δv, and neither the cone nor a gap that is closed lets r·u' be
// positive. The bound is the certificate's.
TEST(PushOut, OverlapAtTheStartGivesNoKineticEnergy) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    World world = tangle(seed);
    const Real h = step_size(seed);
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
    const Real start = kinetic(world);
    for (int k = 0; k < 50; ++k) {
      const Real before = kinetic(world);
      const auto report = scheme->step(world.state, h);
      ASSERT_LE(kinetic(world) - before, 1e-8 * start)
          << "step " << k << ", h " << h << ' ' << report.detail;
    }
  }
}

/// The deepest overlap of two bodies over the half thickness of the thinner one, as a witness
/// measures it, from 0.99 % on.
Real overlap(const World& world) {
  const model::Model& model = world.model;
  Real deepest = 0;
  for (Index j = 0; j < model.body_count(); ++j)
    for (Index i = 0; i < j; ++i) {
      const Real thin =
          std::min(test::half_thickness(model.bodies[i]), test::half_thickness(model.bodies[j]));
      const Real apart = test::apart(model.bodies[i], world.state.pose(i), model.bodies[j],
                                     world.state.pose(j), -0.0099 * thin);
      deepest = std::max(deepest, -apart / thin);
    }
  return deepest;
}

// Whatever a scene starts with, after a certified step no two bodies overlap by more than 1 % of
// the thinner one.
TEST(PushOut, CertifiedStepsLeaveNoOverlap) {
  for (const char* name : {"moreau_jean", "moreau_midpoint"}) {
    int uncertified = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      World world = tangle(seed);
      const Real h = step_size(seed);
      const auto scheme = make_scheme(world.model, test::options(name, 1e-6));
      for (int k = 0; k < 50; ++k) {
        const stepping::StepReport report = scheme->step(world.state, h);
        uncertified += report.is_certified() ? 0 : 1;
        if (!report.is_certified()) continue;
        ASSERT_LE(overlap(world), 0.01 * (1 + 1e-6)) << name << ", seed " << seed << ", " << k;
      }
    }
    EXPECT_LE(uncertified, 1) << name;
  }
}

// Cylinders that fall into a bin and turn fast there: every step is certified at 1 ms, and none
// leaves more than 1 % of their half thickness. (38 of 250 were not, with up to 1.5 mm.)
TEST(PushOut, CylindersFallIntoABin) {
  constexpr Real kHalf = 0.06, kSize = 0.008, kSpacing = 0.026;
  World world(0.5);
  world.add_floor();
  for (const Vec3& n : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    world.add(geometry::Plane{}, model::BodyKind::fixed, -kHalf * n,
              Quat::FromTwoVectors(Vec3::UnitZ(), n));
  Random random(3);
  for (int i = 0; i < 64; ++i)
    world.add(geometry::Cylinder{kSize, kSize}, model::BodyKind::dynamic,
              {kSpacing * (i % 4 - 1.5), kSpacing * (i / 4 % 4 - 1.5), 0.02 + kSpacing * (i / 16)},
              test::random_rotation(random));
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
  for (int k = 0; k < 250; ++k) {
    const auto report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
    ASSERT_LE(report.max_penetration, 0.01 * kSize) << "step " << k;
  }
}

// A cube deep in the floor, a ball deep in the floor and a ball deep in a ball are apart after
// their first step, at any h.
TEST(PushOut, IsDoneInOneStep) {
  for (const char* name : {"moreau_jean", "moreau_midpoint"})
    for (const Real h : {1e-2, 1e-3, 1e-5}) {
      SCOPED_TRACE(fmt::format("{} {}", name, h));
      World world(0.5);
      world.add_floor();
      const Index cube = world.add_box({0.5, 0.5, 0.5}, {0, 0, 0.41});
      const Index ball = world.add_sphere(0.2, {3, 0, 0.12});
      const Index one = world.add_sphere(0.2, {6, 0, 0.2}),
                  other = world.add_sphere(0.1, {6.2, 0, 0.3});
      const auto scheme = make_scheme(world.model, test::options(name, 1e-9));
      const auto report = scheme->step(world.state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      EXPECT_GE(world.state.position[cube].z(), 0.495);
      EXPECT_GE(world.state.position[ball].z(), 0.198);
      EXPECT_GE((world.state.position[one] - world.state.position[other]).norm(), 0.299);
      EXPECT_LE(kinetic(world), 0.5 * world.model.bodies[other].mass * 9.81 * 9.81 * h * h * 1.01);
    }
}

// So are bodies that fly, whose way in the step takes up the margins in which contacts were
// searched, or passes them: they are moved as far as their margins reach, and the rest with
// contacts that are searched anew.
TEST(PushOut, IsDoneInOneStepInFlight) {
  for (const Real speed : {0.1, 1., 10., 100., 1000.})
    for (const Real h : {1e-2, 1e-3, 1e-5}) {
      SCOPED_TRACE(fmt::format("{} m/s, {} s", speed, h));
      World world(0.5, 0, Vec3::Zero());
      const auto spin = Quat(Eigen::AngleAxisd(0.3, Vec3(1, 2, 3).normalized()));
      world.add_sphere(0.2, {0, 0, 0});
      world.add_sphere(0.1, {0.22, 0, 0});
      world.add_box({0.1, 0.1, 0.1}, {0, 3, 0});
      world.add_box({0.1, 0.1, 0.1}, {0.05, 3.04, 0.1}, spin);
      for (Vec3& velocity : world.state.velocity) velocity = speed * Vec3(0.6, 0, 0.8);
      const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
      const auto report = scheme->step(world.state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      EXPECT_LE(overlap(world), 0.01 * (1 + 1e-6));
    }
}

// Ranks look for balls that are still too deep in parts of the contacts, and find the one that is,
// whether it is the first one of many or the last.
TEST(PushOut, IsDoneInOneStepAmongMany) {
  constexpr int kMany = 1200;
  for (const int deep : {0, kMany - 1})
    for (const int ranks : {1, 2}) {
      World world;
      world.add_floor();
      for (int i = 0; i < kMany; ++i)
        world.add_sphere(0.2, {Real(i % 50), Real(i / 50), i == deep ? 0.12 : 0.2});
      test::ThreadRanks all(ranks);
      all.run([&](int) {
        model::State state = world.state;
        const auto report =
            make_scheme(world.model, test::options("moreau_jean", 1e-9))->step(state, 1e-5);
        EXPECT_TRUE(report.is_certified()) << report.detail;
        EXPECT_GE(state.position[1 + deep].z(), 0.198) << deep << " on " << ranks;
      });
    }
}

// Two balls that overlap move apart in inverse proportion to their masses: the displacement is the
// shortest one in the metric of the masses, and the centre of mass stays.
TEST(PushOut, IsTheShortestInTheMetricOfTheMasses) {
  World world(0, 0, Vec3::Zero());
  const Index small = world.add_sphere(0.1, {0, 0, 0});
  const Index large = world.add_sphere(0.2, {0.27, 0, 0});
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  const Real gone_small = -world.state.position[small].x();
  const Real gone_large = world.state.position[large].x() - 0.27;
  EXPECT_NEAR(gone_small + gone_large, 0.03, 1e-4) << "within the slop";
  EXPECT_NEAR(gone_small / gone_large, 8, 1e-9);
  EXPECT_EQ(kinetic(world), 0);
}

// What cannot be pushed apart is said: a ball between two fixed walls that are too near.
TEST(PushOut, WhatIsJammedIsNotCertified) {
  World world(0, 0, Vec3::Zero());
  world.add_floor();
  const Index lid =
      world.add({geometry::Box{Vec3(1, 1, 0.1)}}, model::BodyKind::fixed, {0, 0, 0.1 + 0.195});
  world.add_sphere(0.1, {0, 0, 0.0975});
  (void)lid;
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
  const auto report = scheme->step(world.state, 1e-3);
  EXPECT_FALSE(report.is_certified());
  EXPECT_NE(report.detail.find("cannot be pushed apart"), std::string::npos) << report.detail;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
