#include <gtest/gtest.h>

#include <cmath>

#include <talus/dynamics/energy.hpp>

#include "support/mechanism.hpp"
#include "support/world.hpp"

// Joints, drives and ropes of planar machines in the time-stepping schemes.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;

stepping::SchemeOptions stewart_trinkle() {
  stepping::SchemeOptions options;
  options.scheme = "stewart_trinkle";
  options.solver.tolerance = 1e-10;
  options.fixed_point = true;
  return options;
}

/// Steps, each expected to be certified.
stepping::StepReport run(Mechanism& mechanism, const stepping::SchemeOptions& options, Real h,
                         int steps, std::vector<dynamics::Reaction>* reactions = nullptr) {
  const auto scheme = make_scheme(mechanism.model, options);
  stepping::StepReport report;
  for (int step = 0; step < steps; ++step) {
    report = scheme->step(mechanism.state, h);
    EXPECT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
    if (!report.is_certified()) break;
  }
  if (reactions != nullptr)
    reactions->assign(scheme->reactions().begin(), scheme->reactions().end());
  return report;
}

/// A bar of 1 m and 2 kg that hangs from its end and starts lying.
struct Pendulum : Mechanism {
  Index bar = add_bar(2, Vec2::Zero(), Vec2::UnitX());
  Pendulum() { add_pin(0, bar, Vec2::Zero()); }
};

/// Angle after 0.5 s of θ̈ = −(3g/2) cos θ from rest at 0, by many small RK4 steps.
Real exact_angle() {
  Real angle = 0, rate = 0;
  const int n = 20000;
  const Real h = 0.5 / n;
  const auto f = [](Real a) { return -1.5 * 9.81 * std::cos(a); };
  for (int i = 0; i < n; ++i) {
    const Real k1 = f(angle), k2 = f(angle + h / 2 * rate),
               k3 = f(angle + h / 2 * rate + h * h / 4 * k1),
               k4 = f(angle + h * rate + h * h / 2 * k2);
    angle += h * rate + h * h / 6 * (k1 + k2 + k3);
    rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  return angle;
}

// A pendulum: the pin is kept to the tolerance of the fixed point, the angle is right to first
// order in h.
TEST(PlanarMachines, PendulumConvergesAndKeepsItsPin) {
  std::vector<Real> errors;
  for (const int steps : {100, 200, 400}) {
    Pendulum pendulum;
    (void)run(pendulum, stewart_trinkle(), 0.5 / steps, steps);
    EXPECT_LT(pendulum.at(pendulum.bar, {-0.5, 0}).norm(), 1e-11);
    errors.push_back(std::abs(pendulum.turned(1) - exact_angle()));
  }
  EXPECT_LT(errors[2], 0.02);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.2);
  EXPECT_NEAR(errors[1] / errors[2], 2, 0.2);
}

// A door on two hinges, one constraint too many: half of its weight hangs in each, the smallest
// reactions there are.
TEST(PlanarMachines, RedundantHingesCarryHalfEach) {
  Mechanism door;
  const Index leaf = door.add(3, 0.5, {0.5, 0.5});
  for (const Real y : {0.0, 1.0}) door.add_pin(0, leaf, {0, y});
  std::vector<dynamics::Reaction> reactions;
  (void)run(door, stewart_trinkle(), 1e-2, 50, &reactions);
  ASSERT_EQ(reactions.size(), 2U);
  const Real weight = 3 * 9.81;
  EXPECT_NEAR(reactions[0].force.y(), weight / 2, 1e-8);
  EXPECT_NEAR(reactions[1].force.y(), weight / 2, 1e-8);
  EXPECT_NEAR(reactions[0].force.x(), weight / 2, 1e-8);
  EXPECT_NEAR(reactions[1].force.x(), -weight / 2, 1e-8);
  EXPECT_LT((door.state.position[leaf] - Vec3(0.5, 0.5, 0)).norm(), 1e-10);
}

// A bar of 2 kg on three pins at r from its centre of mass: of all reactions with Σ λ = m g and
// Σ λ r = 0 those with the smallest Σ D λ², D = 1/m + r²/I: λ = (α + β r)/D, in every scheme.
TEST(PlanarMachines, ReactionsOfThreePinsAreTheSameInEveryScheme) {
  const Real m = 2, I = 2.0 * (4 + 0.01) / 12;
  const Vec3 r(-1.3, -0.3, 0.7), inverse = (1 / m + r.array().square() / I).inverse();
  Mat2 sums;
  sums << inverse.sum(), inverse.dot(r), inverse.dot(r), inverse.dot(r.cwiseAbs2());
  const Vec2 multiplier = sums.inverse() * Vec2(m * 9.81, 0);
  for (const char* name : {"moreau_midpoint", "moreau_jean", "stewart_trinkle", "anitescu_potra",
                           "anitescu_potra_stabilised", "index_3", "event_driven"}) {
    Mechanism bridge;
    const Index bar = bridge.add(m, I, {0.3, 0});
    for (const Real x : r) bridge.add_pin(0, bar, {0.3 + x, 0});
    std::vector<dynamics::Reaction> reactions;
    (void)run(bridge, test::options(name, 1e-10), 1e-3, 20, &reactions);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(reactions[i].force.y(), (multiplier[0] + multiplier[1] * r[i]) * inverse[i], 1e-7)
          << name << " " << i;
  }
}

// A motor turns a bar at a given rate, with the torque that gravity asks for; at position level
// exactly, also after a whole turn.
TEST(PlanarMachines, MotorTurnsAsItMust) {
  Pendulum crank;
  crank.add_motor(0, crank.bar, 2);
  crank.state.angular_velocity[crank.bar] = {0, 0, 2};
  crank.state.velocity[crank.bar] = {0, 1, 0};
  std::vector<dynamics::Reaction> reactions;
  (void)run(crank, stewart_trinkle(), 1e-3, 4000, &reactions);
  EXPECT_NEAR(crank.turned(1), 8, 1e-10);
  EXPECT_NEAR(reactions[1].effort, 2 * 9.81 * 0.5 * std::cos(8), 0.02);  // of first order in h
}

// At velocity level a motor's rate is kept, its angle follows.
TEST(PlanarMachines, MotorAtVelocityLevel) {
  Pendulum crank;
  crank.add_motor(0, crank.bar, 10);
  crank.state.angular_velocity[crank.bar] = {0, 0, 10};
  crank.state.velocity[crank.bar] = {0, 5, 0};
  stepping::SchemeOptions options = stewart_trinkle();
  options.scheme = "anitescu_potra";
  options.fixed_point = false;
  (void)run(crank, options, 1e-3, 100);
  EXPECT_NEAR(crank.turned(1), 1, 1e-10);
}

// A stone on a slack rope falls freely until the rope is taut, and stays there: no bounce.
TEST(PlanarMachines, RopeStopsAFall) {
  Mechanism rope;
  const Index stone = rope.add(1, 0.1, {0, -0.5});
  rope.add_joint(0, stone, model::RopeJoint{Vec2::Zero(), Vec2::Zero(), 1, 0});
  (void)run(rope, stewart_trinkle(), 1e-3, 100);
  EXPECT_NEAR(rope.state.velocity[stone].y(), -0.981, 1e-9);
  rope.state.internal.clear();
  (void)run(rope, stewart_trinkle(), 1e-3, 500);
  EXPECT_NEAR(rope.state.position[stone].y(), -1, 1e-10);
  EXPECT_NEAR(rope.state.velocity[stone].norm(), 0, 1e-9);
}

// Two motors that contradict each other are reported, not averaged.
TEST(PlanarMachines, ContradictionEndsTheRun) {
  Pendulum crank;
  crank.add_motor(0, crank.bar, 10);
  crank.add_motor(0, crank.bar, 11);
  for (const bool fixed_point : {false, true}) {
    stepping::SchemeOptions options = stewart_trinkle();
    options.fixed_point = fixed_point;
    model::State state = crank.state;
    const auto report = make_scheme(crank.model, options)->step(state, 1e-3);
    EXPECT_EQ(report.status, problem::SolveStatus::numerical_error);
    EXPECT_EQ(state.angular_velocity[crank.bar], crank.state.angular_velocity[crank.bar]);
    EXPECT_FALSE(report.detail.empty());
    if (!fixed_point) {
      EXPECT_NE(report.detail.find("contradict"), std::string::npos) << report.detail;
    }
  }
}

// What these schemes cannot do of a machine they say.
TEST(PlanarMachines, WhatIsNotKnownIsRefused) {
  Pendulum pendulum;
  EXPECT_EQ(unsupported(pendulum.model, stewart_trinkle()), "");
  pendulum.machine->joints[0].friction = model::JointFriction{};
  EXPECT_EQ(
      unsupported(pendulum.model, stewart_trinkle()),
      "stewart_trinkle does not support joint friction: its normal force is an unknown of the same "
      "LCP (take moreau_midpoint)");
}

stepping::SchemeOptions midpoint() {
  stepping::SchemeOptions options;
  options.scheme = "moreau_midpoint";
  return options;
}

// Moreau's midpoint rule is of second order where nothing touches.
TEST(MoreauMidpoint, PendulumIsOfSecondOrder) {
  std::vector<Real> errors;
  for (const int steps : {50, 100, 200}) {
    Pendulum pendulum;
    (void)run(pendulum, midpoint(), 0.5 / steps, steps);
    EXPECT_LT(pendulum.at(pendulum.bar, {-0.5, 0}).norm(), 1e-11);
    errors.push_back(std::abs(pendulum.turned(1) - exact_angle()));
  }
  EXPECT_NEAR(errors[0] / errors[1], 4, 0.6);
  EXPECT_NEAR(errors[1] / errors[2], 4, 0.6);
}

/// A disc of 1 kg and 0.1 m that can touch, over a floor; one law.
struct Bouncer : Mechanism {
  Index disc;
  Bouncer(Real friction, Real normal, Real tangential) : Mechanism(0) {
    model::InterfaceLaw surface;
    surface.friction.coefficient = friction;
    surface.impact = {false, normal, tangential};
    model.laws = {surface};
    model.bodies[0].shape = geometry::Plane{};
    state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
    disc = add(1, 0.005, {0, 0.1005});
    model.bodies[disc].shape = geometry::Sphere{0.1};
    machine->visual_only.clear();
  }
};

// Nor where contacts persist on what turns: a disc that slides without friction along an arm, which
// swings freely about a pin, keeps the energy and the angular momentum to second order. Impulses
// that turn with the arm were taken for some that raise the energy, and of Moreau's own rule, of
// first order, which lost 3e-3 of the energy at 2 ms.
TEST(MoreauMidpoint, SlidingOnAnArmThatTurnsIsOfSecondOrder) {
  constexpr Real kRadius = 0.05, kHalf = 0.05, kStart = 0.3, kSpeed = 1, kSpin = 3, kArm = 1;
  struct Lost {
    Real energy, momentum;
  };
  const auto lost_at = [&](Real h) {
    Mechanism swing(0);
    swing.model.laws = {model::InterfaceLaw{}};
    const Index arm = swing.add(3, kArm, {0, 0});
    const Real over = kRadius + kHalf;
    const Index disc = swing.add(2, kRadius * kRadius, {kStart, over});
    swing.add_pin(0, arm, Vec2::Zero());
    swing.model.bodies[arm].shape = geometry::Box{{8, kHalf, 1}};
    swing.model.bodies[disc].shape = geometry::Sphere{kRadius};
    swing.machine->visual_only = {0};
    swing.state.angular_velocity[arm].z() = kSpin;
    swing.state.angular_velocity[disc].z() = kSpin;
    swing.state.velocity[disc] = {kSpeed - kSpin * over, kSpin * kStart, 0};
    const auto momentum = [&] {
      const Vec3 turning = swing.state.position[disc].cross(swing.state.velocity[disc]);
      return 2 * turning.z() + kArm * swing.state.angular_velocity[arm].z() +
             kRadius * kRadius * swing.state.angular_velocity[disc].z();
    };
    const Real energy = dynamics::energy(swing.model, swing.state).total(), start = momentum();
    (void)run(swing, midpoint(), h, static_cast<int>(std::lround(0.5 / h)));
    EXPECT_GT(swing.state.position[disc].head<2>().norm(), 1) << "it slides outwards";
    return Lost{1 - dynamics::energy(swing.model, swing.state).total() / energy,
                1 - momentum() / start};
  };
  const Lost coarse = lost_at(4e-3), fine = lost_at(2e-3);
  EXPECT_LT(std::abs(fine.energy), 5e-6);
  EXPECT_NEAR(coarse.energy / fine.energy, 4, 0.4);
  EXPECT_LT(std::abs(fine.momentum), 1e-12);
}

// An impact with restitution in both directions and enough friction: γ_N' = −ε_N γ_N and
// γ_T' = −ε_T γ_T, a superball that comes back with reversed spin.
TEST(MoreauMidpoint, RestitutionInBothDirections) {
  Bouncer ball(10, 0.8, 0.6);
  ball.state.velocity[ball.disc] = {0.5, -1, 0};
  ball.state.angular_velocity[ball.disc] = {0, 0, 3};
  const Real slip = 0.5 + 0.1 * 3;
  (void)run(ball, midpoint(), 1e-3, 2);
  EXPECT_NEAR(ball.state.velocity[ball.disc].y(), 0.8, 1e-12);
  const Real after =
      ball.state.velocity[ball.disc].x() + 0.1 * ball.state.angular_velocity[ball.disc].z();
  EXPECT_NEAR(after, -0.6 * slip, 1e-12);
}

// With little friction the tangential impulse is μ times the normal one.
TEST(MoreauMidpoint, SlidingImpact) {
  Bouncer ball(0.1, 0.5, 0.6);
  ball.state.velocity[ball.disc] = {5, -1, 0};
  (void)run(ball, midpoint(), 1e-3, 2);
  EXPECT_NEAR(ball.state.velocity[ball.disc].y(), 0.5, 1e-12);
  EXPECT_NEAR(ball.state.velocity[ball.disc].x(), 5 - 0.1 * 1.5, 1e-12);
}

// A block on a belt, both at first at rest against each other, is carried along: the surface of a
// prescribed body moves.
TEST(MoreauMidpoint, BeltCarriesADisc) {
  Bouncer belt(0.5, 0, 0);
  belt.model.gravity = Vec3(0, -9.81, 0);
  belt.model.bodies[0].kind = model::BodyKind::kinematic;
  belt.model.motions.push_back(
      {0, belt.state.pose(0), {model::ConstantTwist{Vec3(2, 0, 0), Vec3::Zero()}}});
  belt.state.position[belt.disc].y() = 0.1;
  belt.model.bodies[belt.disc].inertia *= 1e6;  // it cannot roll
  EXPECT_EQ(unsupported(belt.model, midpoint()), "");
  (void)run(belt, midpoint(), 1e-3, 1000);
  EXPECT_NEAR(belt.state.velocity[belt.disc].x(), 2, 1e-3);
  EXPECT_NEAR(belt.state.position[0].x(), 2, 1e-12);
}

// Redundant hinges and drives at velocity level, with the same reactions as elsewhere.
TEST(MoreauMidpoint, RedundantHingesCarryHalfEach) {
  Mechanism door;
  const Index leaf = door.add(3, 0.5, {0.5, 0.5});
  for (const Real y : {0.0, 1.0}) door.add_pin(0, leaf, {0, y});
  std::vector<dynamics::Reaction> reactions;
  (void)run(door, midpoint(), 1e-2, 50, &reactions);
  EXPECT_NEAR(reactions[0].force.y(), 3 * 9.81 / 2, 1e-8);
  EXPECT_NEAR(reactions[1].force.y(), 3 * 9.81 / 2, 1e-8);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
