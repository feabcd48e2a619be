// Machines in space against closed forms and against an independent integration of their equations
// (as differential- algebraic ones, to 1e-12): joints are exact, the midpoint rule is of second
// order, redundant loops move.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "support/classic_machines.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using test::chain_of_three;
using test::SpatialMachineWorld;
using test::wheel;

Real order(Real coarse, Real fine) { return std::log2(coarse / fine); }

// A chain of three hinges at x(1 s) = (−0.182467, −0.041532, −0.259239): second order.
TEST(MachinesInSpace, ChainOfHingesTendsToTheIndependentIntegrationWithSecondOrder) {
  std::vector<Real> errors;
  for (const Real h : {2e-3, 1e-3, 5e-4}) {
    SpatialMachineWorld world = chain_of_three();
    EXPECT_EQ(world.run("moreau_midpoint", 1, h), 0) << world.first_failure;
    errors.push_back((world.state.position[2] - test::chain_after_1_s).norm());
  }
  EXPECT_LT(errors[1], 1e-4);
  EXPECT_NEAR(order(errors[0], errors[1]), 2, 0.2);
  EXPECT_NEAR(order(errors[1], errors[2]), 2, 0.2);
}

// The same by Jean's rule, θ = 1: first order, and it loses energy.
TEST(MachinesInSpace, ChainOfHingesByJeansRuleIsOfFirstOrder) {
  const Vec3 reference(-0.227584133769, 0.304457504546, -0.306780842496);  // 0.5 s
  std::vector<Real> errors;
  for (const Real h : {5e-4, 2.5e-4}) {
    SpatialMachineWorld world = chain_of_three();
    EXPECT_EQ(world.run("moreau_jean", 0.5, h), 0) << world.first_failure;
    errors.push_back((world.state.position[2] - reference).norm());
  }
  EXPECT_NEAR(order(errors[0], errors[1]), 1, 0.2);
}

// The heavy top (Géradin & Cardona 2001): x(0.5 s) = (−0.702468, −0.021165, −0.711400).
TEST(MachinesInSpace, HeavyTopOnABallJoint) {
  SpatialMachineWorld world = test::heavy_top();
  EXPECT_EQ(world.run("moreau_midpoint", 0.5, 1e-4), 0) << world.first_failure;
  EXPECT_LT((world.state.position[0] - test::top_after_half_s).norm(), 1e-3);
  // What the end of a step takes off the rates of constraints is lost: of third order, 3e-7 here.
  EXPECT_NEAR(world.energy() / 5435.696790867, 1, 5e-7);
  EXPECT_LE(world.energy(), 5435.696790867 * (1 + 1e-12));
}

// A disc held by the end of its axle goes round level at Ω = m g l/(I ω): back after 2π/Ω, with an
// error of second order, and with its energy. A rule that reflects J v instead of ending at
// J v = 0 loses 42 % of it here at 0.5 ms.
TEST(MachinesInSpace, GyroscopeGoesRoundLevel) {
  const Real mass = 1, arm = 0.2, spin = 150, inertia = 0.005;
  const Real rate = mass * 9.81 * arm / (inertia * spin);
  const auto miss = [&](Real steps) {
    SpatialMachineWorld world;
    const Index disc =
        world.add_body(mass, Vec3(inertia, inertia / 2, inertia / 2).asDiagonal(), Vec3(arm, 0, 0));
    world.state.angular_velocity[disc] = Vec3(spin, 0, rate);
    world.state.velocity[disc] = Vec3(0, rate * arm, 0);
    world.add_joint(model::ball_joint(), kWorld, disc, Vec3::Zero());
    const Real turn = 2 * std::numbers::pi / rate, energy = world.energy();
    EXPECT_EQ(world.run("moreau_midpoint", turn, turn / steps), 0) << world.first_failure;
    EXPECT_NEAR(world.energy() / energy, 1, 3e-4);
    EXPECT_LE(world.energy(), energy + 1e-9);
    return (world.state.position[disc] - Vec3(arm, 0, 0)).norm();
  };
  const Real coarse = miss(2400), fine = miss(4800);
  EXPECT_LT(coarse, 5e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.9);
}

// Bricard's loop of six hinges moves though it has one constraint too many for it: x₂(1 s), and its
// energy.
TEST(MachinesInSpace, BricardsRedundantLoopMovesAndKeepsItsEnergy) {
  SpatialMachineWorld world = test::bricard_loop();
  EXPECT_EQ(world.run("moreau_midpoint", 1, 1e-3), 0) << world.first_failure;
  EXPECT_LT((world.state.position[2] - test::bricard_after_1_s).norm(), 1e-4);
  EXPECT_LT(world.largest_energy_change, 1e-5);
  // 30 constraints of 5 bodies that have a freedom left: one depends on the others. All 30 hold
  // after the step; in its middle, off the constraints, the one left out does to second order.
  EXPECT_EQ(world.last.joints.constraint_count, 30);
  EXPECT_EQ(world.last.joints.rank, 29);
  EXPECT_LE(world.last.joints.drift, 1e-9);
  EXPECT_LT(world.last.joints.rate, 1e-5);
}

// A chain has no constraint too many. Those of the step hold to round-off: some 1e-16 of 10 m/s²
// times the ratio of its bodies' moments, and so they are after the projection.
TEST(MachinesInSpace, ChainIsCertifiedToHoldItsJoints) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    SpatialMachineWorld world = chain_of_three();
    EXPECT_EQ(world.run(scheme, 0.1, 1e-3), 0) << world.first_failure;
    EXPECT_EQ(world.last.joints.constraint_count, 15) << scheme;
    EXPECT_EQ(world.last.joints.rank, 15) << scheme;
    EXPECT_LT(world.last.joints.rate, 1e-12) << scheme;
    EXPECT_LE(world.last.joints.drift, 1e-12) << scheme;
  }
}

// The slider-crank in space (Haug 1989, chapter 12): the slider is where the geometry says, to what
// projection leaves.
TEST(MachinesInSpace, SliderCrankIsWhereItsGeometrySays) {
  SpatialMachineWorld world = test::slider_crank();
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(world.run("moreau_jean", 0.25 * (k + 1), 1e-3), 0) << world.first_failure;
    EXPECT_NEAR(world.state.position[1].x(), test::kSliderAtQuarters[k], 1e-9);
  }
}

Real angle_of(const SpatialMachineWorld& world) {
  return world.state.internal.find(model::kJointAngles)->front();
}

// A spring and a damper on an axis, θ(1) = 0.020205: first order by Jean's rule, second by the
// midpoint, and stable at any product h k.
TEST(MachinesInSpace, SpringAndDamperOnAnAxisFollowTheirClosedForm) {
  model::AxisLaw law;
  law.stiffness = 20;
  law.damping = 0.3;
  const auto error = [&](const char* scheme, Real h) {
    SpatialMachineWorld world = wheel(0.1, law);
    world.state.orientation[0] = rotation_exp(Vec3(0, 0, 0.5));
    EXPECT_EQ(world.run(scheme, 1, h), 0) << world.first_failure;
    return std::abs(angle_of(world) - 0.020205048511712165);
  };
  EXPECT_NEAR(order(error("moreau_midpoint", 2e-2), error("moreau_midpoint", 1e-2)), 2, 0.1);
  EXPECT_NEAR(order(error("moreau_jean", 1e-3), error("moreau_jean", 5e-4)), 1, 0.1);
  law.stiffness = 1e9;
  law.damping = 0;
  SpatialMachineWorld stiff = wheel(0.1, law);
  stiff.state.orientation[0] = rotation_exp(Vec3(0, 0, 0.5));
  EXPECT_EQ(stiff.run("moreau_jean", 1, 1e-2), 0);
  EXPECT_LT(std::abs(angle_of(stiff)), 1e-6);
}

// Dry friction of 0.2 N m on 0.1 kg m² at 5 rad/s stops it after 2.5 s and 6.25 rad, and it stays.
TEST(MachinesInSpace, DryFrictionStopsAWheelForGood) {
  model::AxisLaw law;
  law.friction = 0.2;
  SpatialMachineWorld world = wheel(0.1, law);
  world.state.angular_velocity[0] = Vec3(0, 0, 5);
  EXPECT_EQ(world.run("moreau_jean", 2.51, 1e-3), 0);
  const Real stopped = angle_of(world);
  EXPECT_NEAR(stopped, 6.25, 5e-3);  // h ω₀, first order
  EXPECT_LT(std::abs(world.state.angular_velocity[0].z()), 1e-12);
  EXPECT_EQ(world.run("moreau_jean", 3, 1e-3), 0);
  EXPECT_NEAR(angle_of(world), stopped, 1e-12);
}

// A stop with restitution e: the rate is reversed and e times as large, and no limit is passed.
TEST(MachinesInSpace, LimitsReboundAndAreNotPassed) {
  for (const Real e : {0.0, 0.5, 1.0}) {
    model::AxisLaw law;
    law.upper = 1;
    law.restitution = e;
    SpatialMachineWorld world = wheel(0.1, law);
    world.state.angular_velocity[0] = Vec3(0, 0, 2);
    for (int k = 0; k < 70; ++k) {
      EXPECT_EQ(world.run("moreau_jean", 0.01 * (k + 1), 1e-3), 0);
      EXPECT_LE(angle_of(world), 1 + 1e-12);
    }
    EXPECT_NEAR(world.state.angular_velocity[0].z(), -2 * e, 1e-11);  // what one refinement leaves
  }
}

// A velocity motor with a bound accelerates with it, then keeps its speed; a position motor takes a
// target.
TEST(MachinesInSpace, MotorsKeepTheirTargetsWithinTheirBounds) {
  model::AxisLaw law;
  model::Motor motor;
  motor.target = model::ConstantLaw{3};
  motor.lower_effort = -0.5;
  motor.upper_effort = 0.5;
  law.motor = motor;
  SpatialMachineWorld world = wheel(0.1, law);
  EXPECT_EQ(world.run("moreau_jean", 0.3, 1e-3), 0);
  EXPECT_NEAR(world.state.angular_velocity[0].z(), 0.3 * 0.5 / 0.1, 1e-12);
  EXPECT_EQ(world.run("moreau_jean", 1, 1e-3), 0);
  EXPECT_NEAR(world.state.angular_velocity[0].z(), 3, 1e-12);

  motor.mode = model::Motor::Mode::position;
  motor.target = model::ConstantLaw{1};
  motor.stiffness = 100;
  motor.damping = 10;
  law.motor = motor;
  SpatialMachineWorld held = wheel(0.1, law);
  EXPECT_EQ(held.run("moreau_jean", 5, 1e-2), 0);
  EXPECT_NEAR(angle_of(held), 1, 1e-9);
}

// Armature I_a adds to the inertia about its axis: α = τ/(I + I_a).
TEST(MachinesInSpace, ArmatureAddsInertia) {
  model::AxisLaw law = test::axis_with_effort(1);
  law.armature = 0.4;
  SpatialMachineWorld world = wheel(0.1, law);
  EXPECT_EQ(world.run("moreau_jean", 1, 1e-2), 0);
  EXPECT_NEAR(world.state.angular_velocity[0].z(), 2, 1e-10);
}

// A coupling θ₂ = −4 θ₁: under a torque T on the first wheel α₁ = T/(I₁ + 16 I₂).
TEST(MachinesInSpace, ACouplingIsAGear) {
  model::AxisLaw law = test::axis_with_effort(1.2);
  SpatialMachineWorld world = wheel(0.3, law);
  const Index second = test::add_geared_wheel(world, 0.02);
  const Real alpha = 1.2 / (0.3 + 16 * 0.02);
  EXPECT_EQ(world.run("moreau_midpoint", 1.5, 1e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.angular_velocity[0].z(), alpha * 1.5, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[second].z(), -4 * alpha * 1.5, 1e-9);
  EXPECT_NEAR(angle_of(world), alpha * 1.5 * 1.5 / 2, 1e-9);
}

// A lever of 1 m on a pin at 0.2 m from its centre of mass leans on a stop above it, at 0.2 m on
// the other side, which bears its weight: at rest no impulse raises the energy, though the lever
// without its pin's impulses would fall off the stop.
TEST(MachinesInSpace, ALeverLeansOnItsStop) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    SpatialMachineWorld world(Vec3(0, 0, -9.81));
    const Index lever = world.add_box(Vec3(0.5, 0.05, 0.05), Vec3(-0.2, 0, 0));
    world.add(geometry::Sphere{0.1}, model::BodyKind::fixed, Vec3(0.2, 0, 0.15));
    world.add_joint(model::revolute_joint(), kWorld, lever, Vec3::Zero(), Vec3::UnitY());
    EXPECT_EQ(world.run(scheme, 0.5, 2e-3), 0) << scheme << ": " << world.first_failure;
    ASSERT_EQ(world.scheme->contacts().size(), 1U);
    const Real weight = world.model.bodies[lever].mass * 9.81;
    EXPECT_NEAR(world.scheme->contacts()[0].impulse.norm() / 2e-3, weight, 1e-4 * weight);
    EXPECT_LT(world.state.angular_velocity[lever].norm(), 1e-6);
  }
}

// The same lever, whose pin is on a carriage that slides down until a limit, or dry friction, holds
// it: these are as contacts, and the work of all together is what counts. Where they were left out
// the whole fell off the stop in thought, and a step at rest was not certified.
TEST(MachinesInSpace, ALeverLeansOnItsStopWhereALimitHoldsItsPin) {
  for (const bool is_limit : {true, false})
    for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
      SpatialMachineWorld world(Vec3(0, 0, -9.81), 0, 0.5);
      const Index lever = world.add_box(Vec3(0.5, 0.05, 0.05), Vec3(-0.2, 0, 0));
      world.add(geometry::Sphere{0.1}, model::BodyKind::fixed, Vec3(0.2, 0, 0.15));
      const Index carriage = world.add_body(1, 0.01 * Mat3::Identity(), Vec3::Zero());
      world.add_joint(model::prismatic_joint(), kWorld, carriage, Vec3::Zero());
      model::AxisLaw law;
      law.axis = model::Freedom::z;
      if (is_limit)
        law.lower = 0;
      else
        law.friction = 1000;
      world.machine->joints.back().axes.push_back(law);
      world.add_joint(model::revolute_joint(), carriage, lever, Vec3::Zero(), Vec3::UnitY());
      EXPECT_EQ(world.run(scheme, 0.5, 2e-3), 0) << scheme << ": " << world.first_failure;
      ASSERT_EQ(world.scheme->contacts().size(), 1U);
      const Real weight = world.model.bodies[lever].mass * 9.81;
      EXPECT_NEAR(world.scheme->contacts()[0].impulse.norm() / 2e-3, weight, 1e-4 * weight);
      EXPECT_LT(world.state.angular_velocity[lever].norm(), 1e-6);
    }
}

// A double pendulum of boxes falls on a rough floor: exact contact and exact joints in one problem.
TEST(MachinesInSpace, JointedBodiesRestOnAFloor) {
  SpatialMachineWorld world = test::jointed_boxes(0.5);
  world.tolerance = 1e-8;  // of every contact
  EXPECT_EQ(world.run("moreau_jean", 2, 2e-3), 0) << world.first_failure;
  Real weight = 0, borne = 0;
  for (const model::Body& body : world.model.bodies)
    if (body.kind == model::BodyKind::dynamic) weight += 9.81 * body.mass;
  for (const stepping::StepContact& contact : world.scheme->contacts())
    borne += contact.impulse.z() / 2e-3;
  EXPECT_NEAR(borne / weight, 1, 1e-6);
  for (Index i = 1; i <= 4; ++i) EXPECT_NEAR(world.state.position[i].z(), 0.05, 1e-3);
}

// A robot that stands on its motors gives way by less than the tolerance, and the impulses of the
// last step are an answer: a step of Newton's method is rare. Where those that have stopped its
// feet were taken as they are, it took every second step for ever.
TEST(MachinesInSpace, ARobotThatStandsTakesFewNewtonSteps) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.8);
  world.add_floor();
  test::add_quadruped(world, Vec3(0, 0, 0.405));
  const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-6));
  Index newton_steps = 0;
  for (int k = 1; k <= 2000; ++k) {
    const stepping::StepReport report = scheme->step(world.state, 2e-3);
    ASSERT_TRUE(report.is_certified()) << k;
    if (k > 1000) newton_steps += report.iterations;
  }
  EXPECT_LE(newton_steps, 300);
}

// An arm on a hinge, a hand on it on a sleeve whose angle is driven, θ_B = ω t, and a gear,
// 2 θ_A + θ_B = 0. On the hand drive and gear are the same row, and only the arm tells them apart:
// θ_A' = −ω/2.
TEST(MachinesInSpace, AGearBesideTheDriveOfItsAxisTurnsTheOther) {
  constexpr Real kRate = 3;
  SpatialMachineWorld world(Vec3::Zero());
  const Mat3 inertia = 0.02 * Mat3::Identity();
  const Index arm = world.add_body(1, inertia, Vec3(0.5, 0, 0));
  const Index hand = world.add_body(1, inertia, Vec3(1.5, 0, 0));
  world.add_joint(model::revolute_joint(), model::kWorld, arm, Vec3::Zero());
  world.add_joint(model::cylindrical_joint(), arm, hand, Vec3(1, 0, 0));
  model::SpatialDrive drive;
  drive.name = "motor";
  drive.joint = 1;
  drive.law = model::ConstantLaw{kRate};
  drive.is_rate = true;
  world.machine->drives.push_back(drive);
  model::Coupling gear;
  gear.name = "gear";
  gear.terms = {{0, model::Freedom::turn_z, 2}, {1, model::Freedom::turn_z, 1}};
  world.machine->couplings.push_back(gear);
  world.state.angular_velocity[arm].z() = -kRate / 2;
  world.state.velocity[arm].y() = -kRate / 4;
  world.state.angular_velocity[hand].z() = kRate / 2;
  world.state.velocity[hand].y() = -kRate / 2 + kRate / 4;
  EXPECT_EQ(world.run("moreau_jean", 1, 2e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.angular_velocity[arm].z(), -kRate / 2, 1e-12);
  EXPECT_NEAR(world.state.angular_velocity[hand].z(), kRate / 2, 1e-12);
}

// A rope holds a bob at its length and goes slack when the bob is thrown up.
TEST(MachinesInSpace, ARopeOnlyPulls) {
  constexpr Index bob = 0;
  SpatialMachineWorld world = test::bob_on_a_rope();
  EXPECT_EQ(world.run("moreau_jean", 0.3, 1e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.position[bob].z(), -1 + 0.9 - 9.81 * 0.09 / 2, 2e-3);
  EXPECT_EQ(world.run("moreau_jean", 2, 1e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.position[bob].z(), -1, 1e-9);
}

// A bob that swings round on a rope goes as far outwards in a step as its chord is beside the arc,
// v² h²/(2 L): what a step leaves is taken back, and does not add up. The scheme that takes nothing
// back says so.
TEST(MachinesInSpace, ARopeDoesNotStretch) {
  for (const char* scheme :
       {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra_stabilised"}) {
    SCOPED_TRACE(scheme);
    SpatialMachineWorld world = test::bob_on_a_rope();
    world.model.gravity.setZero();
    world.state.velocity[0] = Vec3(10, 0, 0);
    EXPECT_EQ(world.run(scheme, 0.5, 1e-3), 0) << world.first_failure;
    const bool is_linear = scheme == std::string("stewart_trinkle");  // off by v² h²/L, both ways
    EXPECT_LE(world.state.position[0].norm(), 1 + (is_linear ? 2e-4 : 1e-9));
    EXPECT_GE(world.state.position[0].norm(), 1 - 2e-4);
  }
  SpatialMachineWorld world = test::bob_on_a_rope();
  world.model.gravity.setZero();
  world.state.velocity[0] = Vec3(10, 0, 0);
  EXPECT_GT(world.run("anitescu_potra", 0.5, 1e-3), 400);
  EXPECT_NE(world.first_failure.find("beyond its limit"), std::string::npos) << world.first_failure;
}

// A wheel on a torsion spring, θ'' = −(k/I) θ, that turns by ten radians a step, more than one and
// a half turns: the angle that winds the spring is θ = ω sin(√(k/I) t)/√(k/I), all turns counted,
// and the energy does not rise.
TEST(MachinesInSpace, TurnsAreCountedHoweverFast) {
  constexpr Real omega = 1000, rate = 1, end = 2;  // √(k/I)
  model::AxisLaw spring;
  spring.stiffness = 0.04;
  for (const char* scheme : {"moreau_midpoint", "moreau_jean", "stewart_trinkle"}) {
    SCOPED_TRACE(scheme);
    SpatialMachineWorld world = wheel(0.04, spring);
    world.state.angular_velocity[0] = Vec3(0, 0, omega);
    EXPECT_EQ(world.run(scheme, end, 1e-2), 0) << world.first_failure;
    const Real angle = world.state.internal.find(model::kJointAngles)->front();
    const bool is_midpoint = scheme == std::string("moreau_midpoint");
    EXPECT_NEAR(angle / (omega * std::sin(rate * end)), 1, is_midpoint ? 1e-4 : 2e-2);  // h², h
    EXPECT_LE(world.energy() / (0.5 * 0.04 * omega * omega), 1 + 1e-9);
  }
}

// Where two axes of a ball's Cardan angles fall together the third turns by radians in a step, with
// the spring on it: such a step is refused, which otherwise changes the energy by a quarter.
TEST(MachinesInSpace, AnglesThatAreLostAreSaid) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index body = world.add_body(1, Vec3(0.02, 0.03, 0.04).asDiagonal(), Vec3::Zero());
  model::AxisLaw spring;
  spring.axis = model::Freedom::turn_x;
  spring.stiffness = 0.05;
  const Index ball = world.add_joint(model::ball_joint(), kWorld, body, Vec3::Zero());
  world.machine->joints[static_cast<std::size_t>(ball)].axes.push_back(spring);
  world.state.angular_velocity[body] = Vec3(0.3, 4, 0.2);
  EXPECT_GE(world.run("moreau_jean", 0.8, 1e-3), 1);
  EXPECT_NE(world.first_failure.find("is not followed"), std::string::npos) << world.first_failure;
}

// A limit of such an angle is passed by half a turn there, and what takes the axis back to it moved
// the body by 17 mm in a step at 2.3 m/s, and raised its energy: no such step is certified, and no
// certified one raises the energy by more than a turn of ω h errs, (ω h)² of m g r, in the step or
// in the one before, of which stewart_trinkle takes Φ back, or moves the body by more than at its
// speeds before and after.
TEST(MachinesInSpace, LimitsThatArePassedWhereAxesFallTogetherAreSaid) {
  for (const char* scheme : {"moreau_jean", "anitescu_potra_stabilised", "stewart_trinkle"}) {
    SCOPED_TRACE(scheme);
    SpatialMachineWorld world(Vec3(-9.81, 0, 0));
    const Index body =
        world.add_body(3, Vec3(0.0449, 0.0425, 0.0074).asDiagonal(), Vec3(0, 0, -0.3));
    model::AxisLaw limit;
    limit.axis = model::Freedom::turn_x;
    limit.lower = -0.4;
    limit.upper = 0.4;
    const Index ball = world.add_joint(model::ball_joint(), kWorld, body, Vec3::Zero());
    world.machine->joints[static_cast<std::size_t>(ball)].axes.push_back(limit);
    world.state.angular_velocity[body] = Vec3(0.2, 3, 0.1);
    world.state.velocity[body] = Vec3(-0.9, 0.06, 0);
    Real last = world.energy(), last_turn = 0;
    Index refused = 0;
    for (int step = 1; step <= 700; ++step) {
      const Vec3 place = world.state.position[body];
      const Real before = world.state.angular_velocity[body].norm();
      const Real speed = world.state.velocity[body].norm();
      const Index failed = world.run(scheme, step * 1e-3, 1e-3);
      const Real fastest = std::max(speed, world.state.velocity[body].norm());
      const Real energy = world.energy();
      refused += failed;
      const Real turn = 1e-3 * std::max(before, world.state.angular_velocity[body].norm());
      if (failed == 0) {
        EXPECT_LE(energy - last, std::pow(std::max(turn, last_turn), 2) * 3 * 9.81 * 0.3) << step;
        EXPECT_LE((world.state.position[body] - place).norm(), 2e-3 * fastest) << step;
      }
      last = energy;
      last_turn = turn;
    }
    EXPECT_GT(refused, 0);
  }
}

// Dry friction stops a slider of 2 kg without gravity after v² m/(2 F). There it stays: what is
// left of its speed is rounding, whose works are compared with nothing, and its steps are
// certified.
TEST(MachinesInSpace, WhatFrictionHasStoppedStaysCertifiedWithoutGravity) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index body = world.add_body(2, Mat3::Identity(), Vec3::Zero());
  const Index guide = world.add_joint(model::prismatic_joint(), kWorld, body, Vec3::Zero());
  model::AxisLaw law;
  law.axis = model::Freedom::z;
  law.friction = 3;
  world.machine->joints[static_cast<std::size_t>(guide)].axes.push_back(law);
  world.state.velocity[body] = Vec3(0, 0, 1);
  EXPECT_EQ(world.run("moreau_midpoint", 2, 1e-3), 0) << world.first_failure;
  EXPECT_NEAR(world.state.position[body].z(), 1. / 3, 1e-6);
}

// A bar of 0.1 g that carries one of 1 t on a hinge askew: with few digits in its factors a step
// has no contacts or laws whose Newton steps would help, and crashed.
TEST(MachinesInSpace, AnyRatioOfMassesIsSolved) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    SCOPED_TRACE(scheme);
    SpatialMachineWorld world;
    const Mat3 inertia =
        Vec3(0.2, 8.4, 8.4).asDiagonal();  // of bars of 1 m, over 100 times the mass
    const Index light = world.add_body(1e-4, 1e-6 * inertia, Vec3(0.5, 0, 0));
    const Index heavy = world.add_body(1000, 10 * inertia, Vec3(1.5, 0, 0));
    world.add_joint(model::revolute_joint(), kWorld, light, Vec3::Zero(), Vec3::UnitY());
    world.add_joint(model::revolute_joint(), light, heavy, Vec3(1, 0, 0),
                    Vec3(0, 1, 0.3).normalized());
    EXPECT_EQ(world.run(scheme, 0.1, 1e-3), 0) << world.first_failure;
    EXPECT_LT(world.last.joints.drift, 1e-9);
  }
}

// What a drive, or a motor without bounds, moves beyond a limit has no answer: both are named.
TEST(MachinesInSpace, WhatIsMovedBeyondALimitIsNamed) {
  for (const bool is_drive : {true, false}) {
    model::AxisLaw law;
    law.upper = 0.01;
    if (!is_drive) law.motor.emplace().target = model::ConstantLaw{5};
    for (const char* scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
      SpatialMachineWorld world = test::wheel(0.1, law);
      world.machine->joints[0].name = "hinge";
      if (is_drive) {
        model::SpatialDrive drive;
        drive.name = "crank";
        drive.law = model::ConstantLaw{5};
        drive.is_rate = true;
        world.machine->drives.push_back(drive);
      }
      EXPECT_GT(world.run(scheme, 0.01, 1e-3), 0);
      const std::string what = is_drive ? "drive crank moves joint hinge beyond its limit"
                                        : "its motor moves joint hinge beyond its limit";
      EXPECT_NE(world.first_failure.find(what), std::string::npos)
          << scheme << ": " << world.first_failure;
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
