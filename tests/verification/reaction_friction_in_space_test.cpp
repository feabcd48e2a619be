// Dry friction of μ times a joint's reaction, which the friction itself changes: a bar pushes a
// slider along its rail, near the angle of self-locking, beyond it, and in machines at random.
#include <gtest/gtest.h>

#include <cmath>

#include "support/classic_machines.hpp"
#include "support/random_spatial_machine.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::Freedom;
using model::kWorld;
using test::SpatialMachineWorld;

constexpr Real kGravity = 9.81, kMass = 2, kFriction = 0.5;

/// A slider on a vertical rail with friction μ times its reaction, and a smooth one on a level
/// rail; a bar of 1 m between them, at a slope of tan α to the vertical.
struct BarAndSliders {
  SpatialMachineWorld world;
  Index slider = 0, foot = 0, level = 0;

  explicit BarAndSliders(Real slope) {
    const Real across = slope / std::hypot(1, slope), up = 1 / std::hypot(1, slope);
    slider = world.add_body(kMass, 0.01 * Mat3::Identity(), Vec3(0, 0, up));
    foot = world.add_body(1, 0.01 * Mat3::Identity(), Vec3(across, 0, 0));
    const Index rail =
        world.add_joint(model::prismatic_joint(), kWorld, slider, Vec3::Zero(), Vec3::UnitZ());
    level = world.add_joint(model::prismatic_joint(), kWorld, foot, Vec3::Zero(), Vec3::UnitX());
    model::AxisLaw law;
    law.axis = Freedom::z;
    law.friction_coefficient = kFriction;
    world.machine->joints[static_cast<std::size_t>(rail)].axes.push_back(law);
    model::SpatialJoint bar;
    bar.name = "bar";
    bar.body_a = foot;
    bar.body_b = slider;
    bar.kind = model::Distance{1};
    world.machine->joints.push_back(bar);
  }
};

// The foot is driven inwards at v: with the slope t = tan α, y = cos α and ÿ = −(v² + ẏ²)/y, ẏ = t
// v, the bar's force is T = m (g + ÿ)/(cos α − μ sin α) and friction μ T sin α. At μ t = 0.95 it is
// 19 times what it would be if it did not press the slider to its rail.
TEST(ReactionFrictionInSpace, NearSelfLockingItIsItsOwnLoad) {
  constexpr Real kSpeed = 0.1, kStep = 5e-5;
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    BarAndSliders bar(1.9);
    model::SpatialDrive drive;
    drive.name = "motor";
    drive.joint = bar.level;
    drive.axis = Freedom::z;
    drive.law = model::ConstantLaw{-kSpeed};
    drive.is_rate = true;
    bar.world.machine->drives.push_back(drive);
    bar.world.state.velocity[bar.foot] = Vec3(-kSpeed, 0, 0);
    bar.world.state.velocity[bar.slider] = Vec3(0, 0, 1.9 * kSpeed);
    for (int k = 1; k <= 100; ++k) {
      const Real across = bar.world.state.position[bar.foot].x(),
                 up = bar.world.state.position[bar.slider].z();
      ASSERT_EQ(bar.world.run(scheme, k * kStep, kStep), 0) << bar.world.first_failure;
      const Real speed = kSpeed * across / up;
      const Real rising = -(kSpeed * kSpeed + speed * speed) / up;
      const Real force = kMass * (kGravity + rising) / (up - kFriction * across);
      if (k == 1) continue;  // with θ = 1 rows of the start do not turn in the first step
      EXPECT_NEAR(-bar.world.scheme->axes()[0].friction / (kFriction * force * across), 1, 0.01)
          << scheme << ", step " << k;
    }
  }
}

// Beyond it, μ tan α = 1.5, no push on the foot moves the slider, and friction is what it has to
// be: F/tan α − m g. Within the tolerance of 1e-6, of what the push would do to the foot in a step.
TEST(ReactionFrictionInSpace, BeyondSelfLockingNoPushMovesTheSlider) {
  constexpr Real kStep = 2e-3;
  for (const Real push : {1e2, 1e5})
    for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
      BarAndSliders bar(3);
      model::AxisLaw law = test::axis_with_effort(-push);
      law.axis = Freedom::z;
      bar.world.machine->joints[static_cast<std::size_t>(bar.level)].axes.push_back(law);
      EXPECT_EQ(bar.world.run(scheme, 0.1, kStep), 0) << bar.world.first_failure;
      EXPECT_LT(bar.world.state.velocity[bar.slider].norm(), 1e-5 * push * kStep);
      EXPECT_NEAR(-bar.world.scheme->axes()[0].friction / (push / 3 - kMass * kGravity), 1, 1e-4);
    }
}

// Machines at random in which bounds and reactions crept, went to and fro, or were each the other's
// error for 60 rounds: every step is certified.
TEST(ReactionFrictionInSpace, SettlesInRandomMachines) {
  struct Found {
    std::uint64_t seed;
    const char* scheme;
    bool has_floor;
  };
  for (const Found found :
       {Found{100096, "moreau_jean", false}, Found{100096, "moreau_midpoint", false},
        Found{100504, "moreau_jean", true}, Found{101035, "moreau_jean", true},
        Found{100205, "moreau_jean", true}, Found{100651, "moreau_midpoint", true},
        Found{100816, "moreau_midpoint", true}}) {
    SpatialMachineWorld world = test::random_spatial_machine(found.seed, {found.has_floor, true});
    EXPECT_EQ(world.run(found.scheme, 1, 2e-3), 0)
        << found.seed << ", " << found.scheme << ": " << world.first_failure;
  }
}

/// A wagon on four wheels, whose axles rub with μ r times what they bear, spins and skids.
SpatialMachineWorld skidding_wagon(Real friction, Real speed, Real spin) {
  constexpr Real kRadius = 0.2, kWheel = 3;
  SpatialMachineWorld world(Vec3(0, 0, -kGravity), 0.8);
  world.add_floor();
  const Vec3 size(1.2, 0.6, 0.2);
  const Vec3 inertia = 40.0 / 12 * (size.squaredNorm() * Vec3::Ones() - size.cwiseAbs2());
  const Index frame = world.add_body(40, inertia.asDiagonal(), Vec3(0, 0, 0.3));
  world.state.velocity[frame] = Vec3(speed, 0, 0);
  world.state.angular_velocity[frame] = Vec3(0, 0, spin);
  for (const Vec3& at : {Vec3(0.5, 0.4, kRadius), Vec3(0.5, -0.4, kRadius),
                         Vec3(-0.5, 0.4, kRadius), Vec3(-0.5, -0.4, kRadius)}) {
    const Index wheel =
        world.add_body(kWheel, 0.4 * kWheel * kRadius * kRadius * Mat3::Identity(), at);
    world.model.bodies[wheel].shape = geometry::Sphere{kRadius};
    world.state.velocity[wheel] = Vec3(speed, 0, 0);
    world.state.angular_velocity[wheel] = Vec3(0, speed / kRadius, 0);
    const Index axle = world.add_joint(model::revolute_joint(), frame, wheel, at, Vec3::UnitY());
    model::AxisLaw law;
    law.axis = Freedom::turn_z;
    law.friction_coefficient = friction;
    law.pin_radius = 0.02;
    world.machine->joints[static_cast<std::size_t>(axle)].axes.push_back(law);
  }
  return world;
}

// What the wheels bear sideways may be shared in more ways than one, and so are the reactions of
// the axles, whose friction follows: solves that each started from the one before slid along these
// ways without an end.
TEST(ReactionFrictionInSpace, SettlesWhereContactsShareWhatTheyBear) {
  struct Found {
    const char* scheme;
    Real friction, step, speed, spin;
  };
  for (const Found& found :
       {Found{"moreau_midpoint", 1, 2e-3, 0.5, 3}, Found{"moreau_midpoint", 1, 2e-3, 3, 3},
        Found{"moreau_midpoint", 1.5, 2e-3, 3, 6}, Found{"moreau_jean", 1.5, 4e-3, 3, 6}}) {
    SpatialMachineWorld world = skidding_wagon(found.friction, found.speed, found.spin);
    EXPECT_EQ(world.run(found.scheme, 1, found.step), 0)
        << found.scheme << ", " << found.friction << ": " << world.first_failure;
  }
}

// The rounds in which friction follows reactions share the iterations of one solve, of which a step
// takes a few where contacts come about.
TEST(ReactionFrictionInSpace, RoundsShareTheIterationsOfAStep) {
  constexpr Index kSolves = 4;
  SpatialMachineWorld world = skidding_wagon(1, 0.5, 3);
  stepping::SchemeOptions options = test::options("moreau_midpoint", 1e-6);
  for (const Index most : {1, 5, 20}) {
    options.solver.max_iterations = most;
    model::State state = world.state;
    EXPECT_LE(make_scheme(world.model, options)->step(state, 2e-3).iterations, kSolves * most);
  }
}

// A limit that the correction of joints has just passed was taken for what rounding leaves: joints
// stayed open by up to 2.6e-12. They hold to 1e-12 where limits are reached too.
TEST(ReactionFrictionInSpace, JointsHoldWhereLimitsAreReached) {
  for (const std::uint64_t seed : {102827, 105875, 107979, 108393}) {
    SpatialMachineWorld world = test::random_spatial_machine(seed, {true, true});
    for (int k = 1; k <= 350; ++k) {
      ASSERT_EQ(world.run("moreau_jean", k * 2e-3, 2e-3), 0) << world.first_failure;
      ASSERT_LE(world.last.joints.drift, 1e-12) << seed << " at " << world.state.time;
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
