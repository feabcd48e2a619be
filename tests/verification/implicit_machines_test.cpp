// Machines in space in steps of one LCP (`stewart_1996`): joints at the level of positions, limits,
// motors, friction and contacts in one mixed LCP.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/stepping/capabilities.hpp>

#include "support/classic_machines.hpp"
#include "support/squeezer.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::SpatialMachineWorld;
using test::wheel;

class ImplicitMachines : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(InSpace, ImplicitMachines,
                         testing::Values("stewart_trinkle", "anitescu_potra_stabilised"),
                         [](const auto& test) { return std::string(test.param); });

Real angle_of(const SpatialMachineWorld& world) {
  return world.state.internal.find(model::kJointAngles)->front();
}

// A chain of three hinges: first order in the step; Φ(q̄)/h + G·(v' − v̄) = 0 leaves Φ(q') of the
// order of h² where q̄ = q, which the next step takes back: it does not add up. At q̄ = q + h v turns
// by h v' and by h v̄ and h (v' − v̄) differ by ½ h² v̄ × (v' − v̄), of the order of h³.
TEST_P(ImplicitMachines, ChainOfHingesIsOfFirstOrderAndDoesNotDrift) {
  const Vec3 reference(-0.227584133769, 0.304457504546, -0.306780842496);  // 0.5 s
  std::vector<Real> errors, drifts;
  for (const Real h : {5e-4, 2.5e-4}) {
    SpatialMachineWorld world = test::chain_of_three();
    EXPECT_EQ(world.run(GetParam(), 0.5, h), 0) << world.first_failure;
    errors.push_back((world.state.position[2] - reference).norm());
    drifts.push_back(world.last.joints.drift);
    EXPECT_LT(world.last.joints.rate, 1e-9);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 1, 0.2);
  const Real order = GetParam() == std::string("stewart_trinkle") ? 3 : 2;
  EXPECT_NEAR(std::log2(drifts[0] / drifts[1]), order, 0.3);
}

// The squeezer lying in any plane of space moves as the same scheme has it in the plane, though its
// loops are redundant there. Not to round-off: in space a pin's rows are along the axes of one of
// its bodies, which turn, and off the constraints, where steps of this family end by some h², that
// makes a difference of a higher order than the scheme's first. Without its spring.
TEST_P(ImplicitMachines, TheSqueezerMovesInAnyPlaneAsInThePlane) {
  Random random(7);
  const Quat turned = test::random_rotation(random);
  const auto difference = [&](Real h) {
    test::squeezer::Squeezer start;
    for (model::ForceElement& element : start.machine->forces)
      if (auto* spring = std::get_if<model::LineForce>(&element.kind)) spring->stiffness = 0;
    test::Mechanism flat = start;
    stepping::SchemeOptions options;
    options.scheme = GetParam();
    const auto planar = make_scheme(flat.model, options);
    const int steps = static_cast<int>(std::lround(0.01 / h));
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(planar->step(flat.state, h).is_certified());
    SpatialMachineWorld world = test::lying_in_space(start, turned);
    EXPECT_EQ(world.run(GetParam(), 0.01, h), 0) << world.first_failure;
    EXPECT_EQ(world.last.joints.rank, 41);  // of 50, for 42 freedoms
    Real largest = 0;
    for (Index i = 0; i < flat.model.body_count(); ++i)
      largest =
          std::max(largest, (world.state.position[i] - turned * flat.state.position[i]).norm());
    return largest;
  };
  const Real coarse = difference(2e-5), fine = difference(1e-5);
  EXPECT_LT(coarse, 1e-6);
  EXPECT_GT(std::log2(coarse / fine), 1.7);
}

// A stop ends a turn and is not passed, to round-off; it pushes as hard as what presses against it.
TEST_P(ImplicitMachines, LimitsAreNotPassed) {
  model::AxisLaw law = test::axis_with_effort(0.3);
  law.upper = 1;
  SpatialMachineWorld world = wheel(0.1, law);
  world.state.angular_velocity[0] = Vec3(0, 0, 2);
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(world.run(GetParam(), 0.1 * (k + 1), 1e-3), 0) << world.first_failure;
    EXPECT_LE(angle_of(world), 1 + 1e-9);
  }
  EXPECT_NEAR(angle_of(world), 1, 1e-9);
  EXPECT_NEAR(world.scheme->axes().front().limit, -0.3, 1e-9);
}

// A bob on a ball joint swings about in a cone of 0.8 rad, along which the row of its limit turns:
// what a step of 2 ms goes too far is taken back, and does not add up.
TEST_P(ImplicitMachines, AConeIsNotPassed) {
  SpatialMachineWorld world;
  const Index bob = world.add_body(1, 1e-3 * Mat3::Identity(), Vec3(1, 0, 0));
  world.model.bodies[bob].shape = geometry::Sphere{0.05};
  world.add_joint(model::ball_joint(), model::kWorld, bob, Vec3::Zero());
  world.add_joint(model::Rotation{}, model::kWorld, bob, Vec3::Zero());
  model::AxisLaw cone;
  cone.axis = model::Freedom::turn_z;
  cone.upper = 0.8;
  world.machine->joints[1].axes.push_back(cone);
  world.state.angular_velocity[bob] = Vec3(0, 0, 1.5);
  world.state.velocity[bob] = Vec3(0, 1.5, 0);
  for (int k = 1; k <= 100; ++k) {
    ASSERT_EQ(world.run(GetParam(), 0.02 * k, 2e-3), 0) << world.first_failure;
    ASSERT_LE(world.state.orientation[bob].angularDistance(Quat::Identity()), 0.8 + 1e-9);
  }
}

// Dry friction of 0.2 N m on 0.1 kg m² at 5 rad/s stops a wheel after 2.5 s, and it stays; a
// velocity motor accelerates with its bound, which need not be the same both ways, then keeps its
// speed.
TEST_P(ImplicitMachines, FrictionAndMotorsKeepTheirBounds) {
  model::AxisLaw rough;
  rough.friction = 0.2;
  SpatialMachineWorld braked = wheel(0.1, rough);
  braked.state.angular_velocity[0] = Vec3(0, 0, 5);
  EXPECT_EQ(braked.run(GetParam(), 2.4, 1e-3), 0) << braked.first_failure;
  EXPECT_NEAR(braked.state.angular_velocity[0].z(), 5 - 2.4 * 2, 1e-9);
  EXPECT_EQ(braked.run(GetParam(), 3, 1e-3), 0) << braked.first_failure;
  EXPECT_NEAR(braked.state.angular_velocity[0].z(), 0, 1e-12);

  model::AxisLaw driven;
  model::Motor motor;
  motor.target = model::ConstantLaw{3};
  motor.lower_effort = -0.1;
  motor.upper_effort = 0.5;
  driven.motor = motor;
  SpatialMachineWorld up = wheel(0.1, driven);
  EXPECT_EQ(up.run(GetParam(), 0.3, 1e-3), 0) << up.first_failure;
  EXPECT_NEAR(up.state.angular_velocity[0].z(), 0.3 * 0.5 / 0.1, 1e-9);
  EXPECT_EQ(up.run(GetParam(), 1, 1e-3), 0);
  EXPECT_NEAR(up.state.angular_velocity[0].z(), 3, 1e-9);
  SpatialMachineWorld down = wheel(0.1, driven);
  down.state.angular_velocity[0] = Vec3(0, 0, 5);
  EXPECT_EQ(down.run(GetParam(), 1, 1e-3), 0) << down.first_failure;
  EXPECT_NEAR(down.state.angular_velocity[0].z(), 5 - 0.1 / 0.1, 1e-9);
}

// A slide of 1 kg at 1 m/s that 2 N of dry friction brake is at 1 − 0.02 k m/s after k steps of
// 10 ms and stops with the 50th, whose friction is all of its bound: what that step asks of its
// rows is nothing but the rounding of 0.02 m/s, and no measure of them.
TEST_P(ImplicitMachines, WhatFrictionStopsAtTheEndOfAStepIsCertified) {
  for (const Real tolerance : {1e-3, 1e-8}) {
    SpatialMachineWorld world(Vec3::Zero());
    world.tolerance = tolerance;
    const Index body = world.add_body(1, 0.01 * Mat3::Identity(), Vec3::Zero());
    const Index joint =
        world.add_joint(model::prismatic_joint(), model::kWorld, body, Vec3::Zero(), Vec3::UnitZ());
    model::AxisLaw law;
    law.axis = model::Freedom::z;
    law.friction = 2;
    world.machine->joints[static_cast<std::size_t>(joint)].axes.push_back(law);
    world.state.velocity[static_cast<std::size_t>(body)] = Vec3::UnitZ();
    EXPECT_EQ(world.run(GetParam(), 1, 0.01), 0) << world.first_failure;
    const Real z = world.state.position[static_cast<std::size_t>(body)].z();
    EXPECT_NEAR(z, 0.01 * (50 - 0.02 * 50 * 51 / 2), 1e-14) << tolerance;
  }
}

// A spring on an axis is taken at the end of the step: stable at any product of h and its
// stiffness, and of first order.
TEST_P(ImplicitMachines, SpringsAreImplicit) {
  model::AxisLaw law;
  law.stiffness = 20;
  law.damping = 0.3;
  const auto error = [&](Real h) {
    SpatialMachineWorld world = wheel(0.1, law);
    world.state.orientation[0] = rotation_exp(Vec3(0, 0, 0.5));
    EXPECT_EQ(world.run(GetParam(), 1, h), 0) << world.first_failure;
    return std::abs(angle_of(world) - 0.020205048511712165);
  };
  EXPECT_NEAR(std::log2(error(1e-3) / error(5e-4)), 1, 0.1);
  law.stiffness = 1e9;
  law.damping = 0;
  SpatialMachineWorld stiff = wheel(0.1, law);
  stiff.state.orientation[0] = rotation_exp(Vec3(0, 0, 0.5));
  EXPECT_EQ(stiff.run(GetParam(), 1, 1e-2), 0);
  EXPECT_LT(std::abs(angle_of(stiff)), 1e-6);
}

// Armature I_a and a coupling θ₂ = −4 θ₁: α₁ = T/(I₁ + I_a + 16 I₂).
TEST_P(ImplicitMachines, ArmatureAndCouplingAddInertia) {
  model::AxisLaw law = test::axis_with_effort(1.2);
  law.armature = 0.4;
  SpatialMachineWorld world = wheel(0.3, law);
  const Index second = test::add_geared_wheel(world, 0.02);
  const Real alpha = 1.2 / (0.3 + 0.4 + 16 * 0.02);
  EXPECT_EQ(world.run(GetParam(), 1.5, 1e-2), 0) << world.first_failure;
  EXPECT_NEAR(world.state.angular_velocity[0].z(), alpha * 1.5, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[second].z(), -4 * alpha * 1.5, 1e-9);
}

// A chain of boxes falls on a rough floor: contacts and joints in one LCP;
// it comes to rest there and the floor bears its weight.
TEST_P(ImplicitMachines, JointedBodiesRestOnAFloor) {
  SpatialMachineWorld world = test::jointed_boxes(0.1);
  EXPECT_EQ(world.run(GetParam(), 1, 2e-3), 0) << world.first_failure;
  Real weight = 0, borne = 0;
  for (const model::Body& body : world.model.bodies)
    if (body.kind == model::BodyKind::dynamic) weight += 9.81 * body.mass;
  for (const stepping::StepContact& contact : world.scheme->contacts())
    borne += contact.impulse.z() / 2e-3;
  EXPECT_NEAR(borne / weight, 1, 1e-6);
  for (Index i = 1; i <= 4; ++i) EXPECT_NEAR(world.state.position[i].z(), 0.05, 1e-3);
}

// A rope holds a bob at its length and goes slack when the bob is thrown up.
TEST_P(ImplicitMachines, ARopeOnlyPulls) {
  constexpr Index bob = 0;
  SpatialMachineWorld world = test::bob_on_a_rope();
  EXPECT_EQ(world.run(GetParam(), 0.3, 1e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.position[bob].z(), -1 + 0.9 - 9.81 * 0.09 / 2, 2e-3);
  EXPECT_EQ(world.run(GetParam(), 2, 1e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.position[bob].z(), -1, 1e-9);
}

// The law on velocities alone keeps the rates of joints at the place where the step begins, G(q) v'
// = 0, to round-off; their places drift, with the first power of the step.
TEST(ImplicitMachinesAlone, VelocityLevelDriftsWithTheStep) {
  std::vector<Real> drifts;
  for (const Real h : {5e-4, 2.5e-4}) {
    SpatialMachineWorld world = test::chain_of_three();
    EXPECT_EQ(world.run("anitescu_potra", 0.05, h), 0) << world.first_failure;
    EXPECT_LT(world.last.joints.rate, 1e-9);
    drifts.push_back(world.last.joints.drift);
    EXPECT_GT(world.run("anitescu_potra", 0.2, h), 0);
    EXPECT_EQ(world.first_failure.find("after the step joint joint 2 is off by"), 0U);
  }
  EXPECT_NEAR(std::log2(drifts[0] / drifts[1]), 1, 0.2);
}

// With circular cones in the place of polygons, by another solver, boxes come to rest where those
// of the LCP do, and the floor bears their weight.
TEST(ImplicitMachinesAlone, CircularConesGiveTheSameRest) {
  constexpr Real h = 2e-3;
  SpatialMachineWorld world = test::jointed_boxes(0.1);
  stepping::SchemeOptions options = test::options("stewart_trinkle", 1e-8);
  options.solver.solver = "nsgs";
  const auto scheme = make_scheme(world.model, options);
  for (int step = 0; step < 500; ++step) {
    const auto report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
  }
  Real weight = 0, borne = 0;
  for (const model::Body& body : world.model.bodies)
    if (body.kind == model::BodyKind::dynamic) weight += 9.81 * body.mass;
  for (const stepping::StepContact& contact : scheme->contacts()) borne += contact.impulse.z() / h;
  EXPECT_NEAR(borne / weight, 1, 1e-6);
  for (Index i = 1; i <= 4; ++i) EXPECT_NEAR(world.state.position[i].z(), 0.05, 1e-3);
}

// A joint that blocks a direction of the friction polygon altogether bears nothing of a motion
// along another one: a cart in an upright plane slides v²/(2 μ g) far on its floor and stops, in
// any direction, and every step is certified.
TEST_P(ImplicitMachines, ACartInAnUprightPlaneStopsAsFarAsFrictionSays) {
  constexpr Real kSpeed = 1, kFriction = 0.3, kStep = 2e-3;
  for (const Real angle : {0.0, 45.0, 20.0}) {
    SpatialMachineWorld world({0, 0, -9.81}, kFriction);
    world.add_floor();
    const Quat turned(Eigen::AngleAxis<Real>(angle * std::numbers::pi / 180, Vec3::UnitZ()));
    const Vec3 start(0, 0, 0.05);
    const Index cart = world.add_box({0.2, 0.1, 0.05}, start, turned);
    world.add_joint(model::planar_joint(), -1, cart, start, turned * Vec3::UnitY());
    world.state.velocity[cart] = turned * Vec3(kSpeed, 0, 0);
    EXPECT_EQ(world.run(GetParam(), 0.5, kStep), 0) << angle << "°: " << world.first_failure;
    const Real way = kSpeed * kSpeed / (2 * kFriction * 9.81);
    // The polygon's friction is cos(π/8) of the disc's at worst; a step moves with the speed at its
    // end.
    const Vec3 moved = turned.inverse() * (world.state.position[cart] - start);
    EXPECT_GT(moved.x(), way - kSpeed * kStep) << angle << "°";
    EXPECT_LT(moved.x(), way / std::cos(std::numbers::pi / 8) + kSpeed * kStep) << angle << "°";
    EXPECT_NEAR(moved.y(), 0, 1e-12);
    EXPECT_NEAR(world.state.velocity[cart].norm(), 0, 1e-12);
  }
}

// What one LCP has no row for is refused by name.
TEST_P(ImplicitMachines, WhatIsNotSupportedIsRefused) {
  stepping::SchemeOptions options;
  options.scheme = GetParam();
  model::AxisLaw bouncing;
  bouncing.upper = 1;
  bouncing.restitution = 0.5;
  EXPECT_NE(unsupported(wheel(0.1, bouncing).model, options).find("inelastic impacts only"),
            std::string::npos);
  SpatialMachineWorld loose = wheel(0.1, {});
  model::SpatialJoint play;
  play.kind = model::BallClearance{1e-3, 1e-2, model::coulomb_law(0.3, 0.5)};
  loose.machine->joints.push_back(play);
  EXPECT_NE(unsupported(loose.model, options).find("inelastic impacts only"), std::string::npos);
  EXPECT_EQ(unsupported(wheel(0.1, {}).model, options), "");
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
