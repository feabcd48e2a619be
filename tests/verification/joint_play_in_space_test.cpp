// Joints with play in space: a ball in a larger socket, a long pin in a bore, are contacts between
// the two bodies of the joint.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::SpatialMachineWorld;

constexpr Real kGravity = 9.81;

/// What a joint with play is held by: a shape for the eye only.
Index add_holder(SpatialMachineWorld& world) {
  const Index holder = world.add(geometry::Sphere{1e-3}, model::BodyKind::fixed, Vec3::Zero());
  world.machine->visual_only.push_back(holder);
  return holder;
}

/// A ball of 1 kg, somewhere in a socket with its centre at the origin.
SpatialMachineWorld ball_in_socket(const Vec3& position, Real clearance,
                                   const model::InterfaceLaw& law = {},
                                   const Vec3& gravity = Vec3(0, 0, -kGravity)) {
  SpatialMachineWorld world(gravity);
  const Index holder = add_holder(world);
  const Index ball = world.add_body(1, 4e-5 * Mat3::Identity(), position);
  world.add_joint(model::BallClearance{clearance, 0.01, law}, holder, ball, Vec3::Zero());
  world.machine->joints.back().X_BJ = {};
  return world;
}

/// A pin of 2 kg and radius 1 cm along y in a bore with its middle at the origin.
struct PinInBore {
  SpatialMachineWorld world;
  Index pin = 0;
  PinInBore(const Vec3& centre_of_mass, Real clearance, Real length,
            const model::InterfaceLaw& law) {
    const Index holder = add_holder(world);
    pin = world.add_body(2, Vec3(1e-2, 1e-4, 1e-2).asDiagonal(), centre_of_mass);
    world.add_joint(model::BearingClearance{clearance, 0.01, length, law}, holder, pin,
                    Vec3::Zero(), Vec3::UnitY());
  }
};

// A smooth ball slides in its socket as a pendulum of the length of the play c swings, about the
// period 4 √(c/g) K(sin θ₀/2) of an amplitude θ₀: the midpoint rule returns it with second order.
TEST(JointPlayInSpace, BallSwingsInItsSocketAsAPendulum) {
  constexpr Real clearance = 0.1, amplitude = 0.5;
  const Vec3 start =
      clearance * Vec3(0.6 * std::sin(amplitude), 0.8 * std::sin(amplitude), -std::cos(amplitude));
  const Real period =
      4 * std::sqrt(clearance / kGravity) * std::comp_ellint_1(std::sin(amplitude / 2));
  std::vector<Real> errors;
  for (const int steps : {200, 400, 800}) {
    SpatialMachineWorld world = ball_in_socket(start, clearance);
    // A quarter of the period later it is at the bottom, where an error in time is one of place.
    EXPECT_EQ(world.run("moreau_midpoint", 1.25 * period, period / steps), 0)
        << world.first_failure;
    EXPECT_LT(std::abs(world.state.position[1].norm() - clearance), 1e-3 * clearance);
    errors.push_back((world.state.position[1] - Vec3(0, 0, -clearance)).norm());
  }
  EXPECT_LT(errors[2], 1e-3 * clearance);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.3);
}

// In one LCP the contact of the play is one as any other: the same swing with first order, and at
// the level of positions the ball is on its circle to round-off.
TEST(JointPlayInSpace, BallSwingsInItsSocketInOneLcp) {
  constexpr Real clearance = 0.1, amplitude = 0.5;
  const Vec3 start =
      clearance * Vec3(0.6 * std::sin(amplitude), 0.8 * std::sin(amplitude), -std::cos(amplitude));
  const Real period =
      4 * std::sqrt(clearance / kGravity) * std::comp_ellint_1(std::sin(amplitude / 2));
  for (const char* scheme : {"stewart_trinkle", "anitescu_potra", "anitescu_potra_stabilised"}) {
    std::vector<Real> errors;
    for (const int steps : {400, 800, 1600}) {
      SpatialMachineWorld world = ball_in_socket(start, clearance);
      EXPECT_EQ(world.run(scheme, period / 4, period / steps), 0) << world.first_failure;
      const Real off = std::abs(world.state.position[1].norm() - clearance) / clearance;
      EXPECT_LT(off, std::string(scheme) == "anitescu_potra" ? 1.0 / steps : 1e-11) << scheme;
      errors.push_back((world.state.position[1] - Vec3(0, 0, -clearance)).norm());
    }
    EXPECT_LT(errors[2], 2e-3 * clearance) << scheme;
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1, 0.2) << scheme;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 1, 0.2) << scheme;
  }
}

// A ball that would cross its socket many times within a step stays in it, and stops where e = 0.
TEST(JointPlayInSpace, FastBallStaysInItsSocket) {
  for (const char* scheme :
       {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra_stabilised"}) {
    constexpr Real clearance = 1e-3;
    SpatialMachineWorld world = ball_in_socket(Vec3(2e-4, 0, 3e-4), clearance);
    world.state.velocity[1] = Vec3(10, -3, 5);
    for (int step = 1; step <= 50; ++step) {
      EXPECT_EQ(world.run(scheme, step * 1e-3, 1e-3), 0) << scheme << ": " << world.first_failure;
      EXPECT_LT(world.state.position[1].norm(), 1.01 * clearance) << scheme << ", step " << step;
    }
    EXPECT_LE(world.last.energy.kinetic, 0.5 * 134) << scheme;
  }
}

// An elastic ball that flies through the middle of its socket to and fro keeps its energy.
TEST(JointPlayInSpace, ElasticBallKeepsItsEnergy) {
  SpatialMachineWorld world =
      ball_in_socket(Vec3::Zero(), 0.02, model::coulomb_law(0, 1), Vec3::Zero());
  world.state.velocity[1] = Vec3(0.5, 0, 0);
  Index impacts = 0;
  for (int step = 1; step <= 1000; ++step) {
    const Real before = world.state.velocity[1].x();
    EXPECT_EQ(world.run("moreau_jean", step * 1e-3, 1e-3), 0) << world.first_failure;
    impacts += before * world.state.velocity[1].x() < 0 ? 1 : 0;
    EXPECT_NEAR(world.last.energy.kinetic, 0.125, 1e-9);
  }
  EXPECT_GE(impacts, 11);  // 0.5 m in ways of at least 4 cm
}

// A load beyond the end of the bore, a from its middle: the near end bears m g (a + ℓ/2)/ℓ, the far
// end holds down what is more than the weight.
TEST(JointPlayInSpace, EndsOfABoreBearALoadBesideIt) {
  constexpr Real clearance = 1e-5, length = 0.1, a = 0.15, h = 1e-3, weight = 2 * kGravity;
  for (const char* scheme : {"moreau_jean", "stewart_trinkle"}) {
    PinInBore bearing(Vec3(0, a, 0), clearance, length, {});
    SpatialMachineWorld& world = bearing.world;
    EXPECT_EQ(world.run(scheme, 0.2, h), 0) << world.first_failure;
    Real near = 0, far = 0;  // an end may have several contacts, whose normals turn with the pin
    for (const stepping::StepContact& contact : world.scheme->contacts())
      (contact.position.y() > 0 ? near : far) +=
          contact.impulse.z() / h * (contact.body_b == bearing.pin ? 1 : -1);
    // The pin, tilted by 2 c/ℓ, has begun to slide out; its radius turns the arms by as much.
    const Real now = world.state.position[bearing.pin].y();
    EXPECT_NEAR(now, a + kGravity * clearance / length * 0.2 * 0.2, 1e-5);
    const Real bound = weight * 2 * clearance / length * 0.01 / length;
    EXPECT_NEAR(near, weight * (now + length / 2) / length, 2 * bound);
    EXPECT_NEAR(far, weight - near, bound);
  }
}

// A pin that turns in its bore climbs until friction balances the slope, tan φ = μ; then the moment
// m g r sin φ brakes it: I dω/dt = −m g r sin φ, in Moreau's schemes and in those of one LCP, whose
// friction is that of a polygon with a side along this plane.
TEST(JointPlayInSpace, FrictionOfTheBoreBrakesAPin) {
  for (const char* scheme : {"moreau_jean", "stewart_trinkle", "anitescu_potra_stabilised"}) {
    SCOPED_TRACE(scheme);
    constexpr Real clearance = 1e-4, mu = 0.3, inertia = 1e-4, omega = 100;
    const Real phi = std::atan(mu);
    PinInBore bearing(clearance * Vec3(std::sin(phi), 0, -std::cos(phi)), clearance, 0.1,
                      model::coulomb_law(mu));
    SpatialMachineWorld& world = bearing.world;
    world.machine->joints[0].X_BJ.p = Vec3::Zero();
    world.tolerance = 1e-9;
    world.state.angular_velocity[bearing.pin] = Vec3(0, omega, 0);
    constexpr Real end = 0.1;
    EXPECT_EQ(world.run(scheme, end, 1e-3), 0) << world.first_failure;
    const Real expected = omega - end * 2 * kGravity * 0.01 * std::sin(phi) / inertia;
    ASSERT_GT(expected, 0);
    EXPECT_NEAR(world.state.angular_velocity[bearing.pin].y(), expected, 1e-6 * omega);
    EXPECT_LT(
        (world.state.position[bearing.pin] - clearance * Vec3(std::sin(phi), 0, -std::cos(phi)))
            .norm(),
        1e-4 * clearance);
  }
}

// The order of the two bodies is of no account: a socket that moves about a fixed ball.
TEST(JointPlayInSpace, SocketHangsOnAFixedBall) {
  constexpr Real clearance = 1e-3, h = 1e-3;
  for (const bool is_socket_first : {true, false}) {
    SpatialMachineWorld world;
    Index fixed = -1;
    if (!is_socket_first) fixed = add_holder(world);
    const Index socket = world.add_body(1, 4e-5 * Mat3::Identity(), Vec3::Zero());
    if (is_socket_first) fixed = add_holder(world);
    world.add_joint(model::BallClearance{clearance, 0.01, {}}, socket, fixed, Vec3::Zero());
    EXPECT_EQ(world.run("moreau_jean", 0.1, h), 0) << world.first_failure;
    EXPECT_NEAR(world.state.position[socket].z(), -clearance, 1e-4 * clearance);
    ASSERT_EQ(world.scheme->contacts().size(), 1u);
    const stepping::StepContact& contact = world.scheme->contacts()[0];
    const Real on_socket = contact.impulse.z() / h * (contact.body_b == socket ? 1 : -1);
    EXPECT_NEAR(on_socket, kGravity, 1e-5 * kGravity);
  }
}

// What a joint with play reports is the sum of its contacts: a ball of 1 kg that rests in its
// socket is held by m g along the vertical through its centre, an overhung pin that rests by m g
// and by m g a about the joint, a the way from there to its centre of mass.
TEST(JointPlayInSpace, ReactionsAreTheSumOfTheContacts) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
    SpatialMachineWorld ball = ball_in_socket(Vec3(0, 0, -1e-3), 1e-3);
    EXPECT_EQ(ball.run(scheme, 0.05, 1e-3), 0) << ball.first_failure;
    const dynamics::Reaction& held = ball.scheme->reactions()[0];
    EXPECT_LT((held.force - Vec3(0, 0, kGravity)).norm(), 1e-5 * kGravity) << scheme;
    EXPECT_LT(held.moment.norm(), 1e-5 * 0.01 * kGravity) << scheme;

    PinInBore overhung(Vec3(0, 0.03, -1e-4), 1e-4, 0.2, {});
    SpatialMachineWorld& world = overhung.world;
    world.machine->joints.back().X_BJ.p = Vec3(0, -0.03, 0);  // the pin lies in the bore
    EXPECT_EQ(world.run(scheme, 0.05, 1e-3), 0) << world.first_failure;
    const dynamics::Reaction& borne = world.scheme->reactions()[0];
    const Mat3 axes = world.machine->joints[0].X_AJ.q.toRotationMatrix();
    EXPECT_LT((axes * borne.force - Vec3(0, 0, 2 * kGravity)).norm(), 1e-5 * kGravity) << scheme;
    EXPECT_LT((axes * borne.moment - Vec3(0.03 * 2 * kGravity, 0, 0)).norm(), 1e-5 * kGravity)
        << scheme;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
