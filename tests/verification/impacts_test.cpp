#include <gtest/gtest.h>

#include <cmath>

#include <talus/math/rotation.hpp>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

// Three equal balls in a row, touching, e = 1, the first moving at 1: Moreau's simultaneous impact
// gives (−1/3, 2/3, 2/3).
TEST(ThreeBalls, TouchingSharesTheImpact) {
  World world(0, 1, Vec3::Zero());
  for (int i = 0; i < 3; ++i) world.add_sphere(0.5, {Real(i), 0, 0});
  world.state.velocity[0] = {1, 0, 0};
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-14));
  ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  EXPECT_NEAR(world.state.velocity[0].x(), -1.0 / 3, 1e-13);
  EXPECT_NEAR(world.state.velocity[1].x(), 2.0 / 3, 1e-13);
  EXPECT_NEAR(world.state.velocity[2].x(), 2.0 / 3, 1e-13);
}

// The same balls apart from each other hit one after the other: (0, 0, 1).
TEST(ThreeBalls, ApartPassTheImpactOn) {
  World world(0, 1, Vec3::Zero());
  for (int i = 0; i < 3; ++i) world.add_sphere(0.5, {1.1 * i, 0, 0});
  world.state.velocity[0] = {1, 0, 0};
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-14));
  for (int k = 0; k < 400; ++k) ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  EXPECT_NEAR(world.state.velocity[0].x(), 0, 1e-13);
  EXPECT_NEAR(world.state.velocity[1].x(), 0, 1e-13);
  EXPECT_NEAR(world.state.velocity[2].x(), 1, 1e-13);
}

// A block 0.5 × 2 that rocks onto its other edge loses rate by the ratio 0.911764706 and energy by
// 0.831314879, when it neither slips nor rebounds: J_edge ω' = (J_edge − m b²/2…) ω with the
// printed numbers of the closed form.
TEST(RockingBlock, LosesTheRateOfTheClosedForm) {
  World world(1.0, 0, Vec3::Zero());
  world.add_floor();
  const Vec3 half(0.25, 0.25, 1);
  const Index block = world.add_box(half, {0, 0, 1});
  const Real rate = 0.1;  // about the edge x = −0.25; the edge x = +0.25 comes down
  world.state.angular_velocity[block] = {0, rate, 0};
  world.state.velocity[block] = Vec3(0, rate, 0).cross(Vec3(0.25, 0, 1));
  const Real before = world.energy();
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-13));
  ASSERT_TRUE(scheme->step(world.state, 1e-6).is_certified());
  // The closed form is of a plane body, J = m(b² + h²)/12 about the centre; so is the box about y.
  EXPECT_NEAR(world.state.angular_velocity[block].y() / rate, 0.911764706, 1e-8);
  EXPECT_NEAR(world.energy() / before, 0.831314879, 1e-8);
}

// Two bodies that collide conserve linear and angular momentum to round-off, whatever their shapes,
// inertias, orientations, friction and restitution: the inertia that impulses act through is the
// world-frame one.
TEST(TwoBodyImpact, ConservesMomentumToRoundOff) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world(random.uniform(0, 1.5), random.uniform(0, 1), Vec3::Zero());
    const auto half = [&] {
      return Vec3(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5));
    };
    const Index a = world.add_box(half(), Vec3::Zero(), test::random_rotation(random));
    const Index b = world.add_box(half(), {1.2, 0.1, -0.1}, test::random_rotation(random));
    world.state.velocity[a] = {3, 0, 0};
    world.state.velocity[b] = {-2, random.uniform(-0.2, 0.2), 0};
    world.state.angular_velocity[a] = test::random_vector(random, 3);
    world.state.angular_velocity[b] = test::random_vector(random, 3);
    const Vec3 p = dynamics::linear_momentum(world.model, world.state);
    const Vec3 l = dynamics::angular_momentum(world.model, world.state);
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
    Real mass = world.model.bodies[a].mass + world.model.bodies[b].mass;
    Index touched = 0;
    for (int k = 0; k < 200; ++k) {
      const auto report = scheme->step(world.state, 1e-3);
      ASSERT_TRUE(report.is_certified());
      for (const auto& contact : scheme->contacts()) touched += contact.impulse.isZero(0) ? 0 : 1;
    }
    EXPECT_GT(touched, 0) << "they were meant to collide";
    EXPECT_LT((dynamics::linear_momentum(world.model, world.state) - p).norm(), 1e-12 * mass * 3);
    EXPECT_LT((dynamics::angular_momentum(world.model, world.state) - l).norm(), 1e-11 * mass * 3);
  }
}

// So do balls of any sizes that rub: the arms of both reach the same point, also across a gap that
// closes in the step. With arms that end at the surfaces 4e-5 of Σ‖L_i‖ is
// lost here.
TEST(Balls, ThatRubConserveAngularMomentumToRoundOff) {
  for (const Real restitution : {0.0, 0.6}) {
    SCOPED_TRACE(restitution);
    Random random(7);
    World world(0.5, restitution, Vec3::Zero());
    for (int i = 0; i < 60; ++i) {
      const Index ball = world.add_sphere(random.uniform(0.03, 0.07),
                                          {0.2 * (i % 4), 0.2 * (i / 4 % 4), 0.2 * Real(i / 16)});
      const Vec3 inwards = Vec3(0.3, 0.3, 0.3) - world.state.position[ball];
      world.state.velocity[ball] = 2 * inwards + test::random_vector(random, 1);
      world.state.angular_velocity[ball] = test::random_vector(random, 20);
    }
    const Vec3 l = dynamics::angular_momentum(world.model, world.state);
    Real size = 0;
    for (Index i = 0; i < world.model.body_count(); ++i)
      size += world.model.bodies[i].mass *
              world.state.position[i].cross(world.state.velocity[i]).norm();
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-8));
    Index impacts = 0;
    for (int k = 0; k < 500; ++k) {
      ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
      for (const auto& contact : scheme->contacts()) impacts += contact.impulse.isZero(0) ? 0 : 1;
    }
    EXPECT_GT(impacts, 50);
    EXPECT_LT((dynamics::angular_momentum(world.model, world.state) - l).norm(), 1e-13 * size);
  }
}

// Newton's law with friction, for a tilted capsule that strikes a floor while it slides, raised the
// energy by up to 20 % in one impact. `bounded` takes e smaller until it does not; what loses
// energy as it is keeps its e, to the bit.
TEST(TiltedCapsule, ReboundsWithoutGainingEnergy) {
  Index raised = 0;
  for (const auto& [restitution, friction] : {std::pair(0.9, 0.3), {0.9, 1.0}, {1.0, 1.0}})
    for (int k = 0; k < 60; ++k) {
      SCOPED_TRACE(k);
      const auto strike = [&, e = restitution, mu = friction](const char* law) {
        World world(mu, e, Vec3::Zero());
        world.add_floor();
        const Real tilt = 0.15 + 0.12 * (k % 10), length = 0.5, radius = 0.05;
        const Quat q = rotation_exp(Vec3(0, tilt, 0));
        const Real height = radius + length * std::cos(tilt) + 1e-4;
        const Index capsule = world.add(geometry::Capsule{radius, length}, model::BodyKind::dynamic,
                                        {0, 0, height}, q);
        world.state.velocity[capsule] = {-2.0 + 0.8 * (k / 10), 0, -1};
        auto options = test::options("moreau_jean", 1e-10);
        options.machine.restitution = law;
        const Real before = world.energy();
        const auto scheme = make_scheme(world.model, options);
        EXPECT_TRUE(scheme->step(world.state, 1e-3).is_certified());
        return std::pair(world.energy() / before - 1, world.state);
      };
      const auto [gain, state] = strike("bounded");
      const auto [gain_as_given, state_as_given] = strike("as_given");
      EXPECT_LE(gain, 1e-9);
      if (gain_as_given > 1e-9) {
        ++raised;
        // The share is right to 2⁻¹⁰, and the energy changes by less than twice itself with it.
        EXPECT_GE(gain, -std::ldexp(2.0, -10)) << "no smaller than it must be";
      } else {
        EXPECT_EQ(state.hash(), state_as_given.hash());
      }
    }
  EXPECT_GT(raised, 20);
}

// A ball that rebounds beside such a capsule does so by Newton's law, to the bit: the bound is of
// bodies that hang together.
TEST(TiltedCapsule, BoundsNoOtherImpact) {
  const auto strike = [](bool has_capsule) {
    World world(1, 0.9, Vec3::Zero());
    world.add_floor();
    const Index ball = world.add_sphere(0.1, {5, 0, 0.1001});
    world.state.velocity[ball] = {0.3, 0, -1};
    if (has_capsule) {
      const Real tilt = 0.5;
      const Index capsule =
          world.add(geometry::Capsule{0.05, 0.5}, model::BodyKind::dynamic,
                    {0, 0, 0.0501 + 0.5 * std::cos(tilt)}, rotation_exp(Vec3(0, tilt, 0)));
      world.state.velocity[capsule] = {-1.2, 0, -1};
    }
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-12));
    EXPECT_TRUE(scheme->step(world.state, 1e-3).is_certified());
    return Vec3(world.state.velocity[ball]);
  };
  EXPECT_EQ(strike(true), strike(false));
  EXPECT_NEAR(strike(true).z(), 0.9, 1e-15);
}

// A frictionless inelastic impact of a rotated box on its corner, edge or face never gains energy,
// in any orientation. (An inertia used in the wrong frame gained 48 % elsewhere.)
TEST(CornerImpact, NeverGainsEnergy) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world(0, 0, Vec3::Zero());
    world.add_floor();
    const Vec3 half(random.uniform(0.05, 1), random.uniform(0.05, 1), random.uniform(0.05, 1));
    const Quat q = test::random_rotation(random);
    const Real height =
        (q.toRotationMatrix().row(2).cwiseAbs() * half)(0);  // lowest point on the floor
    const Index box = world.add_box(half, {0, 0, height}, q);
    world.state.velocity[box] = {random.uniform(-1, 1), random.uniform(-1, 1), -1};
    world.state.angular_velocity[box] = test::random_vector(random, 2);
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-10));
    for (int k = 0; k < 50; ++k) {
      const Real before = world.energy();
      ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
      EXPECT_LE(world.energy(), before * (1 + 1e-12)) << "step " << k;
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
