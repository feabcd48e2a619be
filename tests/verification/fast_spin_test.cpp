#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <talus/stepping/detail/raised_by_contacts.hpp>

#include "support/world.hpp"

// Bodies that turn by radians within a step of one LCP.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr Real kStep = 1e-3, kRadius = 1e-3;

/// A needle of 1 mm by 20 cm, of 0.1 kg.
Index add_needle(World& world, const Vec3& position, const Quat& orientation) {
  const geometry::Cylinder needle{kRadius, 0.1};
  const Real volume = std::numbers::pi * kRadius * kRadius * 0.2;
  return world.add(needle, model::BodyKind::dynamic, position, orientation, 0.1 / volume);
}

// Contacts without restitution take energy: T' ≤ T, and no step is certified that has more than the
// 1 % of T that its judge allows. Needles that turn by 0.3 to 3 rad in a step, farther than rows
// and inertia of one place hold, strike a heavy slab and each other: they gained up to 13 times T
// in certified steps.
TEST(FastSpin, NoCertifiedStepGainsEnergy) {
  Random random(380);
  int struck = 0, refused = 0;
  for (const char* name : {"stewart_trinkle", "anitescu_potra_stabilised", "anitescu_potra"})
    for (int trial = 0; trial < 40; ++trial) {
      World world(trial % 2 == 0 ? 0 : 0.4, 0, Vec3::Zero());
      world.add_box({2, 2, 0.005}, Vec3::Zero());
      for (const Real height : {0.2, 0.5}) {
        const Index needle = add_needle(world, Vec3(0, 0, height), test::random_rotation(random));
        world.state.velocity[needle] = Vec3(0, 0, -6) + test::random_vector(random, 2);
        world.state.angular_velocity[needle] =
            random.uniform(300, 3000) * test::random_vector(random, 1).normalized();
      }
      const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
      Real energy = world.energy();
      for (int step = 0; step < 150; ++step) {
        const auto report = scheme->step(world.state, kStep);
        struck += scheme->contacts().empty() ? 0 : 1;
        refused += report.detail.find("contacts raise") != std::string::npos ? 1 : 0;
        ASSERT_TRUE(!report.is_certified() || report.energy.total() <= 1.01 * energy)
            << name << ", trial " << trial << ", step " << step;
        if (!report.is_certified()) break;
        energy = report.energy.total();
      }
    }
  EXPECT_GT(struck, 20);
  EXPECT_GT(refused, 0);
}

// v̄ is what leads from q to q̄, so that the linearised gap is the gap at q̄ for v' = v̄, and the fixed
// point of section 3.6 is one with f(q') = 0: every step of a tumbling box that strikes a floor
// reaches it. (With v̄ as it is turned on the way |f(q')| stays at h n·(v̄ at q̄ − v̄).)
TEST(FastSpin, FixedPointsOfTumblingBodies) {
  World world(0.3);
  world.add_floor();
  const Index box = world.add_box({0.1, 0.05, 0.02}, Vec3(0, 0, 0.15));
  world.state.velocity[box] = {1, 0, -1};
  world.state.angular_velocity[box] = {20, 30, 5};
  stepping::SchemeOptions options = test::options("stewart_trinkle", 1e-8);
  options.fixed_point = true;
  const auto scheme = make_scheme(world.model, options);
  int struck = 0;
  for (int step = 0; step < 200; ++step) {
    const auto report = scheme->step(world.state, kStep);
    ASSERT_TRUE(report.is_certified()) << step << ": " << report.detail;
    struck += scheme->contacts().empty() ? 0 : 1;
  }
  EXPECT_GT(struck, 5);
}

// What a step brings deeper into something else than half of the half thickness is taken out of it
// by a displacement, and is no certified step: a needle that goes 13 cm a step in a pipe.
TEST(FastSpin, DeepOverlapsAreNotCertified) {
  int deep = 0;
  for (int trial = 0; trial < 20; ++trial) {
    Random random(443 + trial);
    World world(0.4, 0, Vec3::Zero());
    world.add(geometry::Pipe{1, 1}, model::BodyKind::fixed, Vec3::Zero());
    const Index needle = add_needle(world, Vec3::Zero(), test::random_rotation(random));
    world.state.velocity[needle] = 130 * test::random_vector(random, 1).normalized();
    world.state.angular_velocity[needle] = test::random_vector(random, 20);
    const auto scheme = make_scheme(world.model, test::options("stewart_trinkle", 1e-8));
    for (int step = 0; step < 30; ++step) {
      const auto report = scheme->step(world.state, kStep);
      if (report.is_certified()) {
        ASSERT_LE(report.max_penetration, 0.5 * kRadius) << trial << ", step " << step;
        continue;
      }
      deep += report.detail.find("overlap by") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(deep, 0);
}

// The judge of energy: T after the step against that of free velocities, with 1 % of it for what
// turns. Two balls of one mass m, h a = 0, that stick together: v' of each is v_free/2, T' = T/2; a
// v' of v_free/√2 √1.009 is within, one of v_free/√2 √1.011 beyond. Bodies that nothing strikes,
// and those that a body moves which is moved as prescribed, may have any.
TEST(FastSpin, JudgeOfEnergy) {
  World world(0, 0, Vec3::Zero());
  const Index a = world.add_sphere(0.1, Vec3::Zero()), b = world.add_sphere(0.1, Vec3(0.2, 0, 0));
  const Index wall = world.add(geometry::Sphere{0.1}, model::BodyKind::kinematic, Vec3(0.4, 0, 0));
  const stepping::StepContacts bodies(world.model);
  const Real speed = 3;
  const std::vector<Vec3> free = {{speed, 0, 0}, Vec3::Zero(), Vec3::Zero()},
                          still(3, Vec3::Zero());
  const auto judge = [&](Real ratio, std::vector<stepping::StepContact> contacts) {
    model::State end = world.state;
    for (const Index body : {a, b}) end.velocity[body].x() = speed * std::sqrt(ratio / 2);
    return stepping::detail::raised_by_contacts(bodies, world.state, {free, still}, end, contacts,
                                                kStep);
  };
  stepping::StepContact strikes, drives;
  strikes.body_a = a, strikes.body_b = b, strikes.impulse = Vec3::UnitX();
  drives.body_a = b, drives.body_b = wall, drives.impulse = Vec3::UnitX();
  EXPECT_EQ(judge(0.5, {strikes}), "");
  EXPECT_EQ(judge(1.009, {strikes}), "");
  EXPECT_NE(judge(1.011, {strikes}), "");
  EXPECT_EQ(judge(2, {}), "");
  EXPECT_EQ(judge(2, {strikes, drives}), "");
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
