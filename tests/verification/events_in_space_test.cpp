// Machines in space by event_driven: smooth motion between events that are located to round-off;
// limits, ropes, dry friction and bounded motors against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/stepping/capabilities.hpp>
#include <talus/stepping/event_driven.hpp>

#include "support/classic_machines.hpp"
#include "support/event_run.hpp"
#include "support/squeezer.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using stepping::Event;
using stepping::EventKind;
using Motion = test::EventRun;
using test::SpatialMachineWorld;
using test::wheel;

constexpr Real kGravity = 9.81;

/// A mass on a guide along a direction, with a law on it; nothing else acts but gravity along it.
SpatialMachineWorld slider(Real mass, const model::AxisLaw& law, const Vec3& direction,
                           Real gravity = 0) {
  SpatialMachineWorld world(-gravity * direction);
  const Index body = world.add_body(mass, 0.01 * Mat3::Identity(), Vec3::Zero());
  const Index guide =
      world.add_joint(model::prismatic_joint(), kWorld, body, Vec3::Zero(), direction);
  world.machine->joints[static_cast<std::size_t>(guide)].axes.push_back(law);
  world.machine->joints[static_cast<std::size_t>(guide)].axes.back().axis = model::Freedom::z;
  return world;
}

const Vec3 kOblique = Vec3(2, -3, 6) / 7;

// A pendulum falls from 60° against a limit at 0.2 rad, whatever plane of space it moves in. The
// way takes √(I/(m g l)) (K(k) − F(asin(sin(φ/2)/k), k)), k = sin 30°, speeds are those of the
// energy, and a rebound of e = 0.7 goes up to where its energy ends.
TEST(EventsInSpace, PendulumHitsItsLimitInAnyPlane) {
  constexpr Real kLength = 0.4, kMass = 1.5, kInertia = 0.05, kStart = std::numbers::pi / 3,
                 kLimit = 0.2, kRestitution = 0.7;
  const Real about = kInertia + kMass * kLength * kLength, weight = kMass * kGravity * kLength;
  const auto way = [&](Real from, Real to) {  // from rest
    const Real k = std::sin(from / 2);
    return std::sqrt(about / weight) *
           (std::comp_ellint_1(k) - std::ellint_1(k, std::asin(std::sin(to / 2) / k)));
  };
  const Real speed = std::sqrt(2 * weight / about * (std::cos(kLimit) - std::cos(kStart)));
  const Real after = kRestitution * speed;
  const Real top = std::acos(std::cos(kLimit) - about * after * after / (2 * weight));
  Random random(11);
  for (int k = 0; k < 3; ++k) {
    const Quat turned = test::random_rotation(random);
    SpatialMachineWorld world(turned * Vec3(0, -kGravity, 0));
    const Index bob =
        world.add_body(kMass, kInertia * Mat3::Identity(), turned * Vec3(0, -kLength, 0), turned);
    world.add_joint(model::revolute_joint(), kWorld, bob, Vec3::Zero(), turned * Vec3::UnitZ());
    const Quat start = rotation_exp(turned * Vec3(0, 0, kStart));
    world.state.position[bob] = start * world.state.position[bob];
    world.state.orientation[bob] = start * world.state.orientation[bob];
    model::AxisLaw law;
    law.lower = kLimit;
    law.restitution = kRestitution;
    world.machine->joints.front().axes.push_back(law);
    Motion run(std::move(world));
    EXPECT_EQ(run.to(1.2, 0.05), 0) << run.first_failure;
    const std::vector<Real> impacts = run.times(EventKind::impact);
    ASSERT_GE(impacts.size(), 2U);
    EXPECT_NEAR(impacts[0], way(kStart, kLimit), 1e-10);
    EXPECT_NEAR(impacts[1], impacts[0] + 2 * way(top, kLimit), 1e-10);
    const Event& first = run.events.front();
    EXPECT_NEAR(first.gap_rate_before, -speed, 1e-10);
    EXPECT_NEAR(first.gap_rate_after, after, 1e-10);
    EXPECT_NEAR(first.impulse.x(), about * (1 + kRestitution) * speed, 1e-9);
    EXPECT_NEAR(first.energy_before - first.energy_after,
                about / 2 * (speed * speed - after * after), 1e-9);
    EXPECT_LE(run.last.joints.drift, 1e-12);
  }
}

// A mass falls on a limit and rebounds with e: impacts at t₁, t₁ + 2e t₁, …, which end at
// t₁ (1 + e)/(1 − e). It stays there, held by its weight.
TEST(EventsInSpace, ReboundsFromALimitAccumulateAndEnd) {
  constexpr Real kHeight = 0.3, kRestitution = 0.5, kMass = 2;
  model::AxisLaw law;
  law.lower = -kHeight;
  law.restitution = kRestitution;
  Motion run(slider(kMass, law, kOblique, kGravity));
  const Real first = std::sqrt(2 * kHeight / kGravity);
  EXPECT_EQ(run.to(1, 0.1), 0) << run.first_failure;
  const std::vector<Real> impacts = run.times(EventKind::impact);
  ASSERT_GE(impacts.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n)
    EXPECT_NEAR(
        impacts[n],
        first * (1 + 2 * kRestitution * (1 - std::pow(kRestitution, n)) / (1 - kRestitution)),
        1e-10);
  const std::vector<Real> ends = run.times(EventKind::accumulation);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_NEAR(ends[0], first * (1 + kRestitution) / (1 - kRestitution), 1e-10);
  EXPECT_NEAR(run.axis().value, -kHeight, 1e-12);
  EXPECT_NEAR(run.axis().rate, 0, 1e-12);
  EXPECT_NEAR(run.axis().limit, kMass * kGravity, 1e-9);
}

// An effort that falls with the time opens a limit where it no longer presses: at its zero.
TEST(EventsInSpace, LimitOpensWhereNothingPresses) {
  model::AxisLaw law = test::axis_with_effort(0);
  law.lower = 0;
  law.motor->target = model::RampLaw{-3, 2};  // zero at 1.5 s
  Motion run(slider(2, law, kOblique));
  EXPECT_EQ(run.to(2.5, 0.1), 0) << run.first_failure;
  const std::vector<Real> opens = run.times(EventKind::detachment);
  ASSERT_EQ(opens.size(), 1U);
  EXPECT_NEAR(opens[0], 1.5, 1e-10);
  EXPECT_NEAR(run.axis().value, 1.0 / 6, 1e-10);  // t³/6
  EXPECT_NEAR(run.axis().effort, 2, 1e-12);
}

// A block on a radial guide of a wheel that turns at ω = 4 t is pressed on its stop by F: the stop
// carries F − m ω² r, and opens where that is 0.
TEST(EventsInSpace, CentrifugalForceOpensALimit) {
  constexpr Real kMass = 2, kRadius = 0.3, kForce = 6, kRise = 4;
  SpatialMachineWorld world = wheel(0.1, {});
  const Index block = world.add_body(kMass, 0.01 * Mat3::Identity(), Vec3(kRadius, 0, 0));
  const Index guide =
      world.add_joint(model::prismatic_joint(), 0, block, Vec3(kRadius, 0, 0), Vec3::UnitX());
  model::AxisLaw law = test::axis_with_effort(-kForce);
  law.axis = model::Freedom::z;
  law.lower = 0;
  world.machine->joints[static_cast<std::size_t>(guide)].axes.push_back(law);
  model::SpatialDrive drive;
  drive.name = "motor";
  drive.law = model::RampLaw{0, kRise};
  drive.is_rate = true;
  world.machine->drives.push_back(drive);
  Motion run(std::move(world));
  EXPECT_EQ(run.to(0.5, 0.1), 0) << run.first_failure;
  EXPECT_NEAR(run.scheme->axes().back().limit, kForce - kMass * kRadius * 4, 1e-9);
  EXPECT_EQ(run.to(1, 0.1), 0) << run.first_failure;
  const std::vector<Real> opens = run.times(EventKind::detachment);
  ASSERT_EQ(opens.size(), 1U);
  EXPECT_NEAR(opens[0], std::sqrt(kForce / (kMass * kRadius)) / kRise, 1e-10);
}

// A bob on a rope of 1 m is thrown level from 0.6 m below: it flies until the rope tightens, at the
// root of a quadratic equation in t², loses its speed along the rope, or (1 + e) times it, and
// keeps the one across.
TEST(EventsInSpace, RopeTightensAndTakesTheSpeedAlongIt) {
  constexpr Real kSpeed = 1.2, kDepth = 0.6;
  const Real b = kSpeed * kSpeed + kDepth * kGravity;  // g²/4 t⁴ + b t² = 1 − 0.36
  const Real square = 2 * (std::sqrt(b * b + kGravity * kGravity * (1 - kDepth * kDepth)) - b) /
                      (kGravity * kGravity);
  const Real when = std::sqrt(square);
  const Vec3 at(kSpeed * when, 0, -kDepth - kGravity * square / 2);
  const Vec3 before(kSpeed, 0, -kGravity * when);
  for (const Real restitution : {0.0, 0.4}) {
    SpatialMachineWorld world = test::bob_on_a_rope();
    std::get<model::Rope>(world.machine->joints.front().kind).restitution = restitution;
    world.state.position[0] = Vec3(0, 0, -kDepth);
    world.state.velocity[0] = Vec3(kSpeed, 0, 0);
    Motion run(std::move(world));
    EXPECT_EQ(run.to(0.4, 0.02), 0) << run.first_failure;
    ASSERT_FALSE(run.events.empty());
    const Event& impact = run.events.front();
    EXPECT_EQ(impact.kind, EventKind::impact);
    EXPECT_NEAR(impact.time, when, 1e-10);
    const Vec3 after = before - (1 + restitution) * at * at.dot(before);
    EXPECT_LT((impact.q.head<3>() - at).norm(), 1e-10);
    EXPECT_LT((impact.v_after.head<3>() - after).norm(), 1e-10);
    if (restitution > 0) continue;
    // Then it is a pendulum of 1 m, with the force m (v² + g cos) along the rope.
    const Vec3 place = run.world.state.position[0], velocity = run.world.state.velocity[0];
    EXPECT_NEAR(place.norm(), 1, 1e-12);
    EXPECT_NEAR(velocity.squaredNorm() / 2 + kGravity * place.z(),
                after.squaredNorm() / 2 + kGravity * at.z(), 1e-9);
    EXPECT_NEAR(run.scheme->reactions().front().force.norm(),
                2 * (velocity.squaredNorm() - kGravity * place.z()), 1e-8);
  }
}

// A mass on a spring with dry friction of 0.8 N swings about ± τ/k by turns, a half swing taking
// π/ω, and stops for good at the first end of a swing within τ/k of the middle.
TEST(EventsInSpace, FrictionOfAnAxisStopsAnOscillator) {
  constexpr Real kMass = 0.5, kStiffness = 40, kFriction = 0.8, kStart = 0.15;
  model::AxisLaw law;
  law.stiffness = kStiffness;
  law.friction = kFriction;
  SpatialMachineWorld world = slider(kMass, law, kOblique);
  world.state.position[0] = kStart * kOblique;
  Motion run(std::move(world));
  EXPECT_EQ(run.to(2, 0.05), 0) << run.first_failure;
  const Real half = std::numbers::pi / std::sqrt(kStiffness / kMass), dead = kFriction / kStiffness;
  // Ends of swings: 0.15, −0.11, 0.07, −0.03, −0.01 would be within ±0.02: it stops at the fourth.
  const std::vector<Real> turns = run.times(EventKind::reversal),
                          sticks = run.times(EventKind::stick);
  ASSERT_EQ(turns.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) EXPECT_NEAR(turns[n], static_cast<Real>(n + 1) * half, 1e-10);
  ASSERT_EQ(sticks.size(), 1U);
  EXPECT_NEAR(sticks[0], 4 * half, 1e-10);
  EXPECT_NEAR(run.axis().value, kStart - 8 * dead, 1e-10);
  EXPECT_NEAR(run.axis().rate, 0, 1e-12);
  EXPECT_NEAR(run.axis().friction, kStiffness * run.axis().value, 1e-9);
}

// A motor that holds a velocity accelerates with its largest effort until it has it, and holds it
// against a damper with what that takes; its bounds need not be alike.
TEST(EventsInSpace, VelocityMotorReachesItsTargetWithItsLargestEffort) {
  constexpr Real kInertia = 0.3, kMost = 2, kTarget = 4, kGear = 1.5;
  model::AxisLaw law;
  model::Motor motor;
  motor.target = model::ConstantLaw{kTarget};
  motor.lower_effort = -0.5;
  motor.upper_effort = kMost;
  motor.gear = kGear;
  law.motor = motor;
  Motion run(wheel(kInertia, law));
  const Real when = kInertia * kTarget / (kMost * kGear * kGear);
  EXPECT_EQ(run.to(0.2, 0.05), 0) << run.first_failure;
  EXPECT_NEAR(run.axis().rate, 0.2 * kMost * kGear / kInertia, 1e-10);
  EXPECT_NEAR(run.axis().effort, kMost * kGear, 1e-10);
  EXPECT_EQ(run.to(1, 0.05), 0) << run.first_failure;
  const std::vector<Real> sticks = run.times(EventKind::stick);
  ASSERT_EQ(sticks.size(), 1U);
  EXPECT_NEAR(sticks[0], when, 1e-10);
  EXPECT_NEAR(kGear * run.axis().rate, kTarget, 1e-12);
  EXPECT_NEAR(run.axis().effort, 0, 1e-10);
}

// With whatever effort it has its velocity from the start on, and the effort is what the damper
// takes.
TEST(EventsInSpace, VelocityMotorWithoutBoundsIsAConstraint) {
  model::AxisLaw law;
  law.damping = 0.7;
  model::Motor motor;
  motor.target = model::HarmonicLaw{1, 0.5, 1, 0};
  law.motor = motor;
  Motion run(wheel(0.3, law));
  EXPECT_EQ(run.to(0.3, 0.05), 0) << run.first_failure;
  const Real phase = 2 * std::numbers::pi * 0.3;
  const Real rate = 1 + 0.5 * std::sin(phase);
  EXPECT_NEAR(run.axis().rate, rate, 1e-11);
  EXPECT_NEAR(run.axis().value, 0.3 + (1 - std::cos(phase)) / (4 * std::numbers::pi), 1e-10);
  EXPECT_NEAR(run.axis().effort, 0.7 * rate + 0.3 * std::numbers::pi * std::cos(phase), 1e-9);
}

// A motor that holds a place pushes with its bound F until kp (target − x) has come down to it, at
// √(2 m (target − F/kp)/F); from there the mass swings about the target, to where it is F again.
TEST(EventsInSpace, PositionMotorLeavesItsBoundWhereItsEffortSays) {
  constexpr Real kMass = 2, kStiffness = 50, kTarget = 1, kMost = 10;
  model::AxisLaw law;
  model::Motor motor;
  motor.mode = model::Motor::Mode::position;
  motor.target = model::ConstantLaw{kTarget};
  motor.stiffness = kStiffness;
  motor.lower_effort = -kMost;
  motor.upper_effort = kMost;
  law.motor = motor;
  Motion run(slider(kMass, law, kOblique));
  EXPECT_EQ(run.to(0.65, 0.13), 0) << run.first_failure;
  const Real way = kTarget - kMost / kStiffness, when = std::sqrt(2 * kMass * way / kMost);
  const Real omega = std::sqrt(kStiffness / kMass), speed = kMost / kMass * when;
  const Real phase = omega * (0.65 - when);
  EXPECT_NEAR(run.axis().value,
              kTarget - (kTarget - way) * std::cos(phase) + speed / omega * std::sin(phase), 1e-10);
  EXPECT_EQ(run.to(0.8, 0.05), 0) << run.first_failure;
  const std::vector<Real> bounds = run.times(EventKind::bound);
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_NEAR(bounds[0], when, 1e-10);
  EXPECT_NEAR(bounds[1], when + 2 / omega * std::atan((kTarget - way) * omega / speed), 1e-10);
}

// A ball without friction in a socket falls through its play c = 1 cm and stays: at √(2c/g).
TEST(EventsInSpace, BallFallsThroughItsPlay) {
  SpatialMachineWorld world;
  const Index socket = world.add_body(1, Mat3::Identity(), Vec3::Zero());
  world.model.bodies[socket].kind = model::BodyKind::fixed;
  const Index ball = world.add_body(2, 0.01 * Mat3::Identity(), Vec3::Zero());
  model::SpatialJoint joint;
  joint.name = "socket";
  joint.body_a = socket;
  joint.body_b = ball;
  joint.kind = model::BallClearance{0.01, 0.05, model::coulomb_law(0, 0)};
  world.machine->joints.push_back(joint);
  world.state.position[ball] = Vec3(0, 0, -0.002);
  Motion run(std::move(world));
  EXPECT_EQ(run.to(0.1, 0.02), 0) << run.first_failure;
  const std::vector<Real> impacts = run.times(EventKind::impact);
  ASSERT_GE(impacts.size(), 1U);
  EXPECT_NEAR(impacts[0], std::sqrt(2 * 0.008 / kGravity), 1e-10);
  ASSERT_EQ(run.scheme->contacts().size(), 1U);
  EXPECT_NEAR(run.scheme->contacts()[0].impulse.z(), 2 * kGravity * 0.02, 1e-9);
  EXPECT_NEAR(run.scheme->reactions().front().force.z(), 2 * kGravity, 1e-9);
}

/// The largest distance of a body from where the same scheme has it in the plane.
Real largest_difference(const test::Mechanism& start, Real end, Real h) {
  test::Mechanism flat = start;
  flat.machine = std::make_shared<model::Machine>(*start.machine);
  flat.model.machine = flat.machine;
  stepping::SchemeOptions options = test::options("event_driven", 1e-6);
  options.machine.tolerance = 1e-12;
  const auto planar = make_scheme(flat.model, options);
  for (Real time = h / 2; time < end; time += h)
    EXPECT_TRUE(planar->step(flat.state, h).is_certified());
  Random random(3);
  Real largest = 0;
  for (int k = 0; k < 3; ++k) {
    const Quat turned = test::random_rotation(random);
    Motion run(test::lying_in_space(start, turned));
    EXPECT_EQ(run.to(end, h), 0) << run.first_failure;
    EXPECT_LE(run.last.joints.drift, 1e-10);
    for (Index i = 0; i < flat.model.body_count(); ++i)
      largest =
          std::max(largest, (run.world.state.position[i] - turned * flat.state.position[i]).norm());
  }
  return largest;
}

// Machines of the plane move in any plane of space as the same scheme has them in the plane:
// Andrews' squeezer, whose loops are redundant in space, and the double four-bar linkage up to
// where its constraints lose a rank.
TEST(EventsInSpace, PlanarMachinesMoveInAnyPlaneAsInThePlane) {
  EXPECT_LT(largest_difference(test::squeezer::Squeezer(), 0.03, 1e-3), 1e-10);
  EXPECT_LT(largest_difference(test::double_four_bar(), 0.4, 2e-2), 1e-10);
}

// The heavy top at 150 rad/s, 24 turns a second, keeps its energy of 5.4 kJ to round-off of the
// steps and is where an independent integration to 1e-12 has it; so are the chain of three hinges
// and Bricard's loop, whose constraints are redundant.
TEST(EventsInSpace, SpatialMachinesAreWhereIndependentIntegrationsHaveThem) {
  Motion top(test::heavy_top());
  const Real energy = top.world.energy();
  EXPECT_EQ(top.to(0.5, 0.05), 0) << top.first_failure;
  EXPECT_LT((top.world.state.position[0] - test::top_after_half_s).norm(), 1e-9);
  EXPECT_NEAR(top.last.energy.total(), energy, 1e-10 * energy);
  Motion chain(test::chain_of_three());
  EXPECT_EQ(chain.to(1, 0.05), 0) << chain.first_failure;
  EXPECT_LT((chain.world.state.position[2] - test::chain_after_1_s).norm(), 1e-9);
  Motion loop(test::bricard_loop());
  EXPECT_EQ(loop.to(1, 0.05), 0) << loop.first_failure;
  EXPECT_LT((loop.world.state.position[2] - test::bricard_after_1_s).norm(), 1e-9);
  EXPECT_EQ(loop.last.joints.constraint_count, 30);
  EXPECT_EQ(loop.last.joints.rank, 29);
}

// The slider-crank in space (Haug 1989, chapter 12), driven: the slider is where the geometry says.
TEST(EventsInSpace, SliderCrankIsWhereItsGeometrySays) {
  Motion run(test::slider_crank());
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(run.to(0.25 * (k + 1), 0.05), 0) << run.first_failure;
    EXPECT_NEAR(run.world.state.position[1].x(), test::kSliderAtQuarters[k], 1e-11);
  }
}

// The integrators keep their orders on rotations: 4 of the classical Runge–Kutta method, 2 of the
// generalised-α method.
TEST(EventsInSpace, IntegratorsKeepTheirOrdersOnRotations) {
  const auto order = [](const char* integrator, Real h) {
    const auto error = [&](Real step) {
      Motion run(test::chain_of_three());
      run.options.machine.integrator = integrator;
      EXPECT_EQ(run.to(1, step), 0) << run.first_failure;
      return (run.world.state.position[2] - test::chain_after_1_s).norm();
    };
    return std::log2(error(h) / error(h / 2));
  };
  EXPECT_NEAR(order("rk4", 1e-2), 4, 0.3);
  EXPECT_NEAR(order("generalized_alpha", 2e-3), 2, 0.2);
}

// A gear θ₂ = −4 θ₁ between two wheels on the world adds 16 I₂ to the inertia.
TEST(EventsInSpace, GearsAddInertia) {
  SpatialMachineWorld world = wheel(0.3, test::axis_with_effort(1.2));
  const Index second = test::add_geared_wheel(world, 0.02);
  Motion run(std::move(world));
  EXPECT_EQ(run.to(1.5, 0.1), 0) << run.first_failure;
  const Real alpha = 1.2 / (0.3 + 16 * 0.02);
  EXPECT_NEAR(run.world.state.angular_velocity[0].z(), alpha * 1.5, 1e-10);
  EXPECT_NEAR(run.world.state.angular_velocity[second].z(), -4 * alpha * 1.5, 1e-10);
  EXPECT_NEAR(run.axis().value, alpha * 1.5 * 1.5 / 2, 1e-10);
}

// Steps of 0.1 s of a wheel at 300 rad/s: whole turns are counted within them.
TEST(EventsInSpace, WholeTurnsAreCountedWithinAStep) {
  SpatialMachineWorld world = wheel(0.3, test::axis_with_effort(0));
  world.state.angular_velocity[0] = Vec3(0, 0, 300);
  Motion run(std::move(world));
  EXPECT_EQ(run.to(1, 0.1), 0) << run.first_failure;
  EXPECT_NEAR(run.axis().value, 300, 1e-10);
}

/// A chain of three with limits, friction and a motor on its hinges.
SpatialMachineWorld chain_with_laws() {
  SpatialMachineWorld world = test::chain_of_three();
  for (model::SpatialJoint& joint : world.machine->joints) {
    model::AxisLaw law;
    law.lower = -0.4;
    law.upper = 0.5;
    law.restitution = 0.5;
    law.friction = 0.02;
    law.stiffness = 0.3;
    joint.axes.push_back(law);
  }
  model::Motor motor;
  motor.mode = model::Motor::Mode::position;
  motor.target = model::HarmonicLaw{0, 0.3, 2, 0};
  motor.stiffness = 5;
  motor.damping = 0.1;
  motor.lower_effort = -0.4;
  motor.upper_effort = 0.4;
  world.machine->joints.front().axes.front().motor = motor;
  return world;
}

// A run that another scheme takes up from state and memory is the same, bit for bit.
TEST(EventsInSpace, ResumesBitForBit) {
  Motion whole(chain_with_laws(), 1e-9), cut(chain_with_laws(), 1e-9);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(whole.to(0.01 * (k + 1), 0.01), 0) << whole.first_failure;
  EXPECT_GT(whole.times(EventKind::impact).size(), 2U);
  EXPECT_GT(whole.times(EventKind::bound).size(), 0U);
  for (int k = 0; k < 100; ++k) {
    if (k % 7 == 3) {
      const stepping::SchemeMemory memory = cut.scheme->memory();
      cut.scheme = make_scheme(cut.world.model, cut.options);
      cut.scheme->recall(memory);
    }
    EXPECT_EQ(cut.to(0.01 * (k + 1), 0.01), 0) << cut.first_failure;
  }
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(cut.world.state.position[i], whole.world.state.position[i]);
    EXPECT_EQ(cut.world.state.orientation[i].coeffs(), whole.world.state.orientation[i].coeffs());
    EXPECT_EQ(cut.world.state.angular_velocity[i], whole.world.state.angular_velocity[i]);
  }
  EXPECT_EQ(cut.world.state.internal, whole.world.state.internal);
}

// Between events and in them energy changes by what friction, impacts and the motor do alone;
// without a motor it only falls.
TEST(EventsInSpace, PassiveLawsGainNoEnergy) {
  SpatialMachineWorld world = chain_with_laws();
  world.machine->joints.front().axes.front().motor.reset();
  Motion run(std::move(world));
  Real last = run.world.energy();
  for (int k = 1; k <= 100; ++k) {
    EXPECT_EQ(run.to(0.02 * k, 0.02), 0) << run.first_failure;
    const Real now = run.last.energy.total();
    EXPECT_LT(now, last + 1e-10);
    last = now;
  }
  for (const Event& event : run.events) EXPECT_LT(event.energy_after, event.energy_before + 1e-11);
}

// Constraints that contradict each other are named, and nothing is averaged.
TEST(EventsInSpace, ContradictingDrivesAreNamed) {
  Motion run(test::contradicting_wheel());
  EXPECT_EQ(run.to(0.1, 0.1), 1);
  EXPECT_EQ(run.last.status, problem::SolveStatus::numerical_error);
  EXPECT_EQ(run.first_failure,
            "no motion satisfies these together, they contradict each other: drive slow, drive "
            "fast");
}

// What it does not move is refused by name, with what does.
TEST(EventsInSpace, RefusalsNameTheJoint) {
  const stepping::SchemeOptions options = test::options("event_driven", 1e-6);
  const auto said = [&](const model::AxisLaw& law) {
    return unsupported(wheel(0.1, law).model, options);
  };
  model::AxisLaw law;
  law.friction = 1;
  law.lower = -1;
  law.restitution = 0.5;
  EXPECT_EQ(said(law), "");
  law.armature = 0.1;
  EXPECT_EQ(said(law),
            "event_driven does not support an armature of axes in space, which joint joint 0 has "
            "(take moreau_jean or moreau_midpoint)");
  law = {};
  law.friction_coefficient = 0.1;
  EXPECT_NE(said(law).find("dry friction by the joint's reaction"), std::string::npos);
  law = {};
  law.motor.emplace().upper_effort = 1;
  EXPECT_NE(said(law).find("a velocity motor with a bound on one side alone"), std::string::npos);
  SpatialMachineWorld boxes = test::jointed_boxes(1);
  EXPECT_NE(unsupported(boxes.model, options).find("can touch: in space it moves machines whose"),
            std::string::npos);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
