// Laws of time that change within less than a step: what they give is given, wherever the change
// lies in its steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/machine_world.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using test::SpatialMachineWorld;

constexpr Real kStep = 1e-3, kShort = 1e-4;  // of the scheme, of the law [s]

/// From 0 to a value in kShort, beginning at a time.
model::TimeLaw jump_at(Real begin, Real value) {
  return model::make_table({0, begin, begin + kShort, 1}, {0, 0, value, value}, false);
}

/// Within a step, at the end of one, and across one.
const std::vector<Real> kBegins = {0.0103, 0.01, 0.00995};

/// A cart on a rail along x that a table moves, with a rod on a hinge at its centre, no gravity.
SpatialMachineWorld cart_with_rod(Real length, Real begin, Real way) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index cart = world.add_body(1, Mat3::Identity(), Vec3::Zero());
  const Index rod = world.add_body(3, length * length * Mat3::Identity(), Vec3(0, 0, -length));
  world.add_joint(model::prismatic_joint(), kWorld, cart, Vec3::Zero(), Vec3::UnitX());
  world.add_joint(model::revolute_joint(), cart, rod, Vec3::Zero(), Vec3::UnitY());
  model::SpatialDrive drive;
  drive.name = "table";
  drive.joint = 0;
  drive.axis = model::Freedom::z;
  drive.law = jump_at(begin, way);
  world.machine->drives.push_back(drive);
  return world;
}

// A cart is moved by d in a short time τ. Its start turns the rod that hangs on it by
// ω = k V, V = d/τ, k = m l/(J + m l²); with the cart the rod then turns evenly by φ = k d, and the
// stop of the cart takes back ω cos φ: it turns on with
//   ω (1 − cos φ).
// Midpoint steps of τ/2 give it up to terms of φ² (1/24 of the square of what a part turns).
TEST(FastLaws, AMovedCartLeavesItsRodTurning) {
  constexpr Real kLength = 0.2, kWay = 0.02;
  const Real k = 3 * kLength / (kLength * kLength + 3 * kLength * kLength), phi = k * kWay;
  const Real expected = k * kWay / kShort * (1 - std::cos(phi));
  for (const Real begin : kBegins) {
    SpatialMachineWorld world = cart_with_rod(kLength, begin, kWay);
    EXPECT_EQ(world.run("moreau_midpoint", 0.02, kStep), 0) << begin << world.first_failure;
    EXPECT_NEAR(world.state.position[0].x(), kWay, 1e-14);
    EXPECT_NEAR(std::abs(world.state.angular_velocity[1].y()) / expected, 1, phi * phi / 4)
        << begin;
  }
}

// It turns the same wherever the jump lies in the steps, by Jean's rule too.
TEST(FastLaws, WhereTheJumpLiesDoesNotMatter) {
  constexpr Real kLength = 0.2, kWay = 0.02;
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    std::vector<Real> rates;
    for (const Real begin : kBegins) {
      SpatialMachineWorld world = cart_with_rod(kLength, begin, kWay);
      EXPECT_EQ(world.run(scheme, 0.02, kStep), 0) << scheme << world.first_failure;
      rates.push_back(world.state.angular_velocity[1].y());
    }
    EXPECT_GT(std::abs(rates[0]), 0.1) << scheme;
    EXPECT_NEAR(rates[1] / rates[0], 1, 1e-4) << scheme;
    EXPECT_NEAR(rates[2] / rates[0], 1, 1e-4) << scheme;
  }
}

// A driven angle is that of its law, whole turns too, or the step is not certified: of a law that
// swings faster than steps of h follow, 10 rad at 0.9/h, a step knows rates that turn it on and on.
TEST(FastLaws, ADriveTurnsByItsLawOrSaysSo) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
    SpatialMachineWorld world(Vec3::Zero());
    const Index wheel = world.add_body(1, Mat3::Identity(), Vec3::Zero());
    world.add_joint(model::revolute_joint(), kWorld, wheel, Vec3::Zero());
    model::SpatialDrive drive;
    drive.name = "shaker";
    drive.law = model::HarmonicLaw{0, 10, 0.9 / kStep, 0};
    world.machine->drives.push_back(drive);
    EXPECT_EQ(world.run(scheme, kStep, kStep), 1) << scheme;
    EXPECT_NE(world.first_failure.find("drive shaker turns its joint by"), std::string::npos)
        << scheme << world.first_failure;
  }
}

// The target of a servo with damping d jumps by a: it gives d a, whatever the time that it takes. A
// wheel of inertia J takes d a/J; what it loses of it to the end of the step, d h/J, is 1e-4.
TEST(FastLaws, ADamperIsPulledByWhatItsTargetMoves) {
  constexpr Real kDamping = 0.02, kInertia = 0.2;
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
    for (const Real begin : kBegins) {
      SpatialMachineWorld world(Vec3::Zero());
      const Index wheel = world.add_body(1, kInertia * Mat3::Identity(), Vec3::Zero());
      world.add_joint(model::revolute_joint(), kWorld, wheel, Vec3::Zero());
      model::Motor motor;
      motor.mode = model::Motor::Mode::position;
      motor.target = jump_at(begin, 1);
      motor.damping = kDamping;
      model::AxisLaw axis;
      axis.motor = motor;
      world.machine->joints[0].axes = {axis};
      EXPECT_EQ(world.run(scheme, 0.012, kStep), 0) << scheme << world.first_failure;
      EXPECT_NEAR(world.state.angular_velocity[wheel].z() * kInertia / kDamping, 1, 4e-4)
          << scheme << ' ' << begin;
    }
}

// The effort of a drive is the mean over the step, of steps in parts too: h times it is what the
// momentum m v of the cart gains in the step.
TEST(FastLaws, TheEffortOfADriveIsThatOfTheStep) {
  constexpr Real kWay = 0.02;
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
    for (const Real begin : kBegins) {
      SpatialMachineWorld world(Vec3::Zero());
      const Index cart = world.add_body(2, Mat3::Identity(), Vec3::Zero());
      world.add_joint(model::prismatic_joint(), kWorld, cart, Vec3::Zero(), Vec3::UnitX());
      model::SpatialDrive drive;
      drive.name = "table";
      drive.axis = model::Freedom::z;
      drive.law = jump_at(begin, kWay);
      world.machine->drives.push_back(drive);
      Real largest = 0;
      for (int k = 1; k <= 20; ++k) {
        const Real before = 2 * world.state.velocity[cart].x();
        EXPECT_EQ(world.run(scheme, k * kStep, kStep), 0) << scheme << world.first_failure;
        const Real gained = 2 * world.state.velocity[cart].x() - before;
        EXPECT_NEAR(kStep * world.scheme->reactions()[1].effort, gained, 1e-9 * 2 * kWay / kShort)
            << scheme << ' ' << begin << ' ' << k;
        largest = std::max(largest, std::abs(gained));
      }
      EXPECT_EQ(largest > 1, begin < 0.01) << "the jump goes over the end of a step";
    }
}

// The impulse of a contact is the sum over the parts: that of the ball which a jerk of the floor
// throws, m v, and of nothing else.
TEST(FastLaws, TheImpulseOfAContactIsThatOfTheStep) {
  for (const Real begin : kBegins) {
    test::World world(0, 0, Vec3::Zero());
    const Index floor =
        world.add(geometry::Box{Vec3(1, 1, 0.1)}, model::BodyKind::kinematic, Vec3(0, 0, -0.1));
    const Index ball = world.add_sphere(0.1, Vec3(0, 0, 0.1));
    model::TabulatedMotion jerk;
    jerk.time = {0, begin, begin + kShort, begin + 2 * kShort};
    jerk.displacement = {Vec3::Zero(), Vec3::Zero(), Vec3(0, 0, 1e-3), Vec3::Zero()};
    world.model.motions.push_back({floor, world.state.pose(floor), {jerk}});
    const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-8));
    Real sum = 0;
    for (int k = 0; k < 20; ++k) {
      EXPECT_TRUE(scheme->step(world.state, kStep).is_certified());
      for (const stepping::StepContact& contact : scheme->contacts()) sum += contact.impulse.z();
    }
    const Real expected = world.model.bodies[ball].mass * 1e-3 / kShort;
    EXPECT_NEAR(world.state.velocity[ball].z() * kShort / 1e-3, 1, 1e-6) << begin;
    EXPECT_NEAR(std::abs(sum) / expected, 1, 1e-6) << begin;
  }
}

/// A pulse of force that lasts kShort, steep at first: F k/2 is its impulse.
model::TimeLaw pulse_at(Real begin, Real force) {
  return model::make_table({0, begin, begin + kShort / 5, begin + kShort, 1}, {0, 0, force, 0, 0},
                           false);
}

const std::vector<const char*> kSchemes = {"moreau_jean",    "moreau_midpoint", "stewart_trinkle",
                                           "anitescu_potra", "index_3",         "event_driven"};

// A force F(t) gives a free body of mass m the velocity ∫F dt / m, wherever it lies in the steps of
// whatever scheme: to rounding, some ulp of the table's area over 10 to 100 steps.
TEST(FastLaws, APulseOfForceGivesItsImpulse) {
  constexpr Real kForce = 2e4, kMass = 2, kExpected = kForce * kShort / 2 / kMass;
  for (const char* scheme : kSchemes)
    for (const Real h : {1e-2, kStep})
      for (const Real begin : kBegins) {
        SpatialMachineWorld world(Vec3::Zero());
        const Index body = world.add_body(kMass, Mat3::Identity(), Vec3::Zero());
        model::AppliedForce push;
        push.force = pulse_at(begin, kForce);
        world.machine->forces.push_back({"push", kWorld, body, push});
        EXPECT_EQ(world.run(scheme, 0.1, h), 0) << scheme << world.first_failure;
        EXPECT_NEAR(world.state.velocity[body].x() / kExpected, 1, 1e-12)
            << scheme << ' ' << h << ' ' << begin;
      }
}

// It does so in the plane.
TEST(FastLaws, APulseOfForceInThePlaneGivesItsImpulse) {
  constexpr Real kForce = 2e4, kMass = 2, kExpected = kForce * kShort / 2 / kMass;
  for (const char* scheme : kSchemes)
    for (const Real begin : kBegins) {
      test::MachineWorld world({}, Vec3::Zero());
      const Index base = world.add(geometry::Sphere{0.1}, model::BodyKind::fixed, Vec3(0, 9, 0));
      const Index body = world.add_body(geometry::Sphere{0.1}, kMass, 1, Vec2::Zero());
      world.machine->visual_only = {base};
      model::PointForce push;
      push.force = pulse_at(begin, kForce);
      world.machine->forces.push_back({"push", base, body, push});
      const auto stepper = stepping::make_scheme(world.model, test::options(scheme, 1e-8));
      for (int k = 0; k < 10; ++k)
        EXPECT_TRUE(stepper->step(world.state, 1e-2).is_certified()) << scheme;
      EXPECT_NEAR(world.state.velocity[body].x() / kExpected, 1, 1e-12) << scheme << ' ' << begin;
    }
}

// The target of a motor that is a damper of constant d gives d ∫target dt, less what the axis takes
// back, d h/m = 1e-4 of it.
TEST(FastLaws, APulseOfTargetSpeedPullsADamper) {
  constexpr Real kDamping = 0.02, kMass = 2, kSpeed = 1e4;
  for (const char* scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "index_3"})
    for (const Real begin : kBegins) {
      SpatialMachineWorld world(Vec3::Zero());
      const Index cart = world.add_body(kMass, Mat3::Identity(), Vec3::Zero());
      world.add_joint(model::prismatic_joint(), kWorld, cart, Vec3::Zero(), Vec3::UnitX());
      model::Motor motor;
      motor.target = pulse_at(begin, kSpeed);
      motor.damping = kDamping;
      model::AxisLaw axis;
      axis.axis = model::Freedom::z;
      axis.motor = motor;
      world.machine->joints[0].axes = {axis};
      EXPECT_EQ(world.run(scheme, 0.03, 1e-2), 0) << scheme << world.first_failure;
      EXPECT_NEAR(world.state.velocity[cart].x() / (kDamping * kSpeed * kShort / 2 / kMass), 1,
                  2 * kDamping * 0.02 / kMass)
          << scheme << ' ' << begin;
    }
}

/// How far a mass on a spring of its own circular frequency ω = 2 is from its motion under the
/// force a sin 3t after 1 s: x = (a/(ω² − 9)) (sin 3t − (3/ω) sin ωt).
Real miss_of_smooth_force(const char* scheme, Real h) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index cart = world.add_body(1, Mat3::Identity(), Vec3::Zero());
  world.add_joint(model::prismatic_joint(), kWorld, cart, Vec3::Zero(), Vec3::UnitX());
  model::AxisLaw axis;
  axis.axis = model::Freedom::z;
  axis.stiffness = 4;
  world.machine->joints[0].axes = {axis};
  model::AppliedForce push;
  push.force = model::HarmonicLaw{0, 1, 3 / (2 * std::numbers::pi), 0};
  world.machine->forces.push_back({"push", kWorld, cart, push});
  EXPECT_EQ(world.run(scheme, 1, h), 0) << scheme << world.first_failure;
  const Real expected = -(std::sin(3) - 1.5 * std::sin(2)) / 5;
  return std::abs(world.state.position[cart].x() - expected);
}

// A force that is smooth leaves schemes their order: halving the step divides the miss by 2 or 4.
TEST(FastLaws, ASmoothForceLeavesTheOrder) {
  EXPECT_NEAR(miss_of_smooth_force("stewart_trinkle", 5e-3) /
                  miss_of_smooth_force("stewart_trinkle", 2.5e-3),
              2, 0.1);
  for (const char* scheme : {"index_3", "moreau_midpoint"})
    EXPECT_NEAR(miss_of_smooth_force(scheme, 2e-2) / miss_of_smooth_force(scheme, 1e-2), 4, 0.2)
        << scheme;
}

// A motor's effort does the same on its axis.
TEST(FastLaws, APulseOfEffortGivesItsImpulse) {
  constexpr Real kEffort = 2e4, kMass = 2, kExpected = kEffort * kShort / 2 / kMass;
  for (const char* scheme : kSchemes)
    for (const Real begin : kBegins) {
      SpatialMachineWorld world(Vec3::Zero());
      const Index cart = world.add_body(kMass, Mat3::Identity(), Vec3::Zero());
      world.add_joint(model::prismatic_joint(), kWorld, cart, Vec3::Zero(), Vec3::UnitX());
      model::Motor motor;
      motor.mode = model::Motor::Mode::effort;
      motor.target = pulse_at(begin, kEffort);
      model::AxisLaw axis;
      axis.axis = model::Freedom::z;
      axis.motor = motor;
      world.machine->joints[0].axes = {axis};
      EXPECT_EQ(world.run(scheme, 0.1, 1e-2), 0) << scheme << world.first_failure;
      EXPECT_NEAR(world.state.velocity[cart].x() / kExpected, 1, 1e-12) << scheme << ' ' << begin;
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
