#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include <talus/dynamics/energy.hpp>

#include "support/mechanism.hpp"

// Friction in joints without play: in impacts, and where it jams them.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;

stepping::SchemeOptions options_of(const std::string& scheme) {
  stepping::SchemeOptions options;
  options.scheme = scheme;
  options.machine.tolerance = 1e-11;
  return options;
}

void run(Mechanism& mechanism, const std::string& scheme, Real h, int steps) {
  const auto stepper = make_scheme(mechanism.model, options_of(scheme));
  for (int step = 0; step < steps; ++step) {
    const auto report = stepper->step(mechanism.state, h);
    EXPECT_TRUE(report.is_certified()) << scheme << ", step " << step << ": " << report.detail;
    if (!report.is_certified()) return;
  }
}

model::JointFriction coulomb(Real friction) {
  model::JointFriction joint;
  joint.law.coefficient = friction;
  return joint;
}

/// A block that slides along x in a guide, hit from above by a ball: no gravity, no friction
/// between the two, restitution e.
struct HitBlock : Mechanism {
  static constexpr Real kBlock = 2, kBall = 0.5, kSpeed = 3, kFall = 4, kMu = 0.2;
  Index block, ball;

  explicit HitBlock(Real restitution, bool is_poisson = false) : Mechanism(0) {
    model::InterfaceLaw surface;
    surface.impact.restitution = restitution;
    surface.impact.is_poisson = is_poisson;
    model.laws = {surface};
    block = add(kBlock, 0.1, {0, 0});
    ball = add(kBall, 0.1, {0, 0.5});
    model.bodies[block].shape = geometry::Sphere{0.1};
    model.bodies[ball].shape = geometry::Sphere{0.1};
    machine->visual_only = {0};
    add_joint(0, block, model::PrismaticJoint{{0, 0}, Vec2::UnitX(), Vec2::Zero(), 0, 0});
    machine->joints.back().friction = coulomb(kMu);
    state.velocity[block] = {kSpeed, 0, 0};
    state.velocity[ball] = {kSpeed, -kFall, 0};
  }
};

// The ball's impulse P = m w (1 + e) goes through the block into its guide, where it presses: the
// guide takes μ P from the block's momentum along it. Newton's and Poisson's hypothesis agree, one
// after another or at once, by events and by time stepping.
TEST(JointFriction, GuideRubsInAnImpact) {
  for (const Real e : {0.0, 0.5}) {
    const Real P = HitBlock::kBall * HitBlock::kFall * (1 + e);
    const Real after = HitBlock::kSpeed - HitBlock::kMu * P / HitBlock::kBlock;
    HitBlock stepped(e);
    run(stepped, "moreau_midpoint", 1e-3, 100);
    EXPECT_NEAR(stepped.state.velocity[stepped.block].x(), after, 1e-9);
    EXPECT_NEAR(stepped.state.velocity[stepped.ball].y(), e * HitBlock::kFall, 1e-9);
    for (const bool is_poisson : {false, true}) {
      HitBlock hit(e, is_poisson);
      run(hit, "event_driven", 1e-2, 10);
      EXPECT_NEAR(hit.state.velocity[hit.block].x(), after, 1e-9) << is_poisson;
      EXPECT_NEAR(hit.state.velocity[hit.ball].y(), e * HitBlock::kFall, 1e-9) << is_poisson;
    }
  }
}

/// A bar on a pin of radius r that turns at ω and runs against a stop at its end, plastic.
struct StoppedBar : Mechanism {
  static constexpr Real kMass = 1, kLength = 1, kRadius = 0.1, kMu = 0.5, kSpeed = 2;
  Index bar, ball;

  StoppedBar() : Mechanism(0) {
    model::InterfaceLaw surface;
    model.laws = {surface};
    bar = add_bar(kMass, Vec2::Zero(), Vec2(kLength, 0));
    ball = add(0.5, 0.1, {0.25, 0.15});
    model.bodies[bar].shape = geometry::Box{Vec3(kLength / 2, 0.02, 0.1)};
    model.bodies[ball].shape = geometry::Sphere{0.1};
    machine->visual_only = {0};
    add_joint(0, bar, model::RevoluteJoint{in(0, Vec2::Zero()), in(bar, Vec2::Zero()), kRadius});
    machine->joints.back().friction = coulomb(kMu);
    state.angular_velocity[bar] = {0, 0, -kSpeed};
    state.velocity[bar] = {0, -kSpeed * kLength / 2, 0};
    state.velocity[ball] = {0, -3, 0};
  }
};

// A ball falls on a bar that turns about a pin, at a quarter of its length, plastic: with the
// impulse Λ of the contact, the pin bears Λ_P = −Λ + m ω̇ℓ/2 and turns with −μ r |Λ_P| against the
// rotation. Three linear equations, solved by hand, say how fast the bar turns then.
TEST(JointFriction, PinRubsInAnImpact) {
  constexpr Real m = StoppedBar::kMass, l = StoppedBar::kLength, d = 0.25, mb = 0.5;
  constexpr Real J = m * l * l / 12, bite = StoppedBar::kMu * StoppedBar::kRadius;
  // Along −y and clockwise: the bar's rate ω, the ball's speed v = ω d after the impact.
  // ball: mb (v⁺ − 3) = −Λ;  bar's centre: m l/2 (ω⁺ − 2) = Λ + R;  turning about the centre:
  // J (ω⁺ − 2) = Λ (d − l/2) − R l/2 − bite |R|, R the pin's impulse along −y. With x = ω⁺ − 2:
  // Λ = mb (3 − (2 + x) d), R = m l x/2 − Λ.
  const auto rate = [&](Real sign) {                 // sign of R
    const Real c0 = mb * (3 - 2 * d), c1 = -mb * d;  // Λ = c0 + c1 x
    const Real r0 = -c0, r1 = m * l / 2 - c1;        // R = r0 + r1 x
    const Real left = J - c1 * (d - l / 2) + r1 * (l / 2 + bite * sign);
    const Real right = c0 * (d - l / 2) - r0 * (l / 2 + bite * sign);
    const Real x = right / left;
    return std::pair(2 + x, r0 + r1 * x);
  };
  const auto [down, R_down] = rate(1);
  const auto [up, R_up] = rate(-1);
  ASSERT_TRUE((R_down > 0) != (R_up < 0)) << "one of the two signs is right";
  const Real after = R_down > 0 ? down : up;
  StoppedBar bar;
  const auto scheme = make_scheme(bar.model, options_of("event_driven"));
  bar.state.position[bar.ball].y() = 0.12 + 1e-9;
  ASSERT_TRUE(scheme->step(bar.state, 1e-7).is_certified());
  EXPECT_NEAR(-bar.state.angular_velocity[bar.bar].z(), after, 1e-5);
}

/// A drawer: a block on a short guide with its mass centre above the guide's line, pushed by
/// nothing but its speed, under gravity along −y.
struct Drawer : Mechanism {
  static constexpr Real kHeight = 0.5, kLength = 0.2;
  Index block;
  explicit Drawer(Real friction) : Mechanism(9.81) {
    block = add(1, 0.01, {0, kHeight});
    add_joint(0, block,
              model::PrismaticJoint{{0, 0}, Vec2::UnitX(), Vec2(0, -kHeight), 0, kLength});
    machine->joints.back().friction = coulomb(friction);
    state.velocity[block] = {1, 0, 0};
  }
};

// With 2 c μ < ℓ the guide is pressed by the weight and the drawer slows down at μ g; beyond, the
// moment of friction about the mass centre presses more than friction can give back: no sliding
// motion obeys the laws. By events the run ends and says that the joint jams; time stepping finds
// the only answer there is, an impulse without impact that stops the drawer within a step.
TEST(JointFriction, AShortGuideJams) {
  Drawer free(0.15);  // 2 c μ = 0.15 < 0.2
  run(free, "event_driven", 1e-2, 10);
  EXPECT_NEAR(free.state.velocity[free.block].x(), 1 - 0.15 * 9.81 * 0.1, 1e-9);
  Drawer slow(0.15);
  run(slow, "moreau_midpoint", 1e-2, 10);
  EXPECT_NEAR(slow.state.velocity[slow.block].x(), 1 - 0.15 * 9.81 * 0.1, 1e-9);
  Drawer jammed(0.25);
  const auto events = make_scheme(jammed.model, options_of("event_driven"));
  const auto report = events->step(jammed.state, 1e-2);
  EXPECT_FALSE(report.is_certified());
  EXPECT_NE(report.detail.find("jam"), std::string::npos) << report.detail;
  Drawer stopped(0.25);
  run(stopped, "moreau_midpoint", 1e-2, 10);
  EXPECT_NEAR(stopped.state.velocity[stopped.block].x(), 0, 1e-12);
}

// What a taut rope does to the energy is counted with what a pin that rubs does: the pin alters the
// rate from which the rope's impulse starts, so that ½ r (u + u') of the rope alone may be above 0.
// Nothing drives two bodies on a pin that whirl a third one on a rope: the energy falls, and each
// step is certified.
TEST(JointFriction, ARopeIsTautBesideAPinThatRubs) {
  for (const Real friction : {0.05, 0.2, 0.8}) {
    Mechanism whirl(0);
    const Index rod = whirl.add(3, 0.01, {-0.2, 0}), hub = whirl.add(2, 0.0064, {0, 0}),
                load = whirl.add(2, 0.0025, {0.3, 0});
    whirl.add_joint(rod, hub, model::RevoluteJoint{{0.1, 0}, {-0.1, 0}, 0.01});
    whirl.machine->joints.back().friction = coulomb(friction);
    whirl.add_joint(hub, load, model::RopeJoint{{0, 0}, {0, 0}, 0.3, 0});
    whirl.state.angular_velocity[rod].z() = -15;
    whirl.state.angular_velocity[hub].z() = 8;
    whirl.state.velocity[load] = {1, 1, 0};
    const auto scheme = make_scheme(whirl.model, options_of("moreau_midpoint"));
    Real energy = dynamics::energy(whirl.model, whirl.state).total();
    const Real start = energy;
    for (int step = 0; step < 2000; ++step) {
      const auto report = scheme->step(whirl.state, 5e-4);
      ASSERT_TRUE(report.is_certified()) << friction << ", " << step << ": " << report.detail;
      EXPECT_LE(report.energy.total(), energy * (1 + 1e-12)) << friction << ", step " << step;
      energy = report.energy.total();
    }
    EXPECT_LT(energy, 0.9 * start) << "it rubs";
  }
}

// Joints at the level of positions know no contact and no friction, and say so.
TEST(IndexThree, WhatIsNotKnownIsRefused) {
  Drawer drawer(0.1);
  EXPECT_EQ(unsupported(drawer.model, options_of("index_3")),
            "index_3 does not support joint friction");
  drawer.machine->joints[0].friction.reset();
  EXPECT_EQ(unsupported(drawer.model, options_of("index_3")), "");
  HitBlock hit(0);
  EXPECT_NE(unsupported(hit.model, options_of("index_3")).find("can touch"), std::string::npos);
}

// A pin that nothing but a preload presses and nothing moves: friction turns it down by μ P r / J
// to rest, and there it stays. No force acts any more, so what is small is measured by the brake.
TEST(JointFriction, BrakeUnderAPreloadComesToRest) {
  constexpr Real kInertia = 0.05, kRadius = 0.02, kPreload = 50, kMu = 0.2, kSpin = 10;
  for (const std::string scheme : {"event_driven", "moreau_midpoint"}) {
    Mechanism shaft(0);
    const Index drum = shaft.add(2, kInertia, {0, 0});
    shaft.add_joint(0, drum, model::RevoluteJoint{{0, 0}, {0, 0}, kRadius});
    shaft.machine->joints.back().friction = coulomb(kMu);
    shaft.machine->joints.back().friction->preload = kPreload;
    shaft.state.angular_velocity[drum].z() = kSpin;
    run(shaft, scheme, 2e-3, 1500);  // it stops after 2.5 s of 3 s
    const Real turned = kSpin * kSpin * kInertia / (2 * kMu * kPreload * kRadius);
    EXPECT_NEAR(std::remainder(shaft.angle(drum) - turned, 2 * std::numbers::pi), 0,
                scheme == "event_driven" ? 1e-9 : 2e-3 * 4e-3)  // half a step of deceleration
        << scheme;
    EXPECT_NEAR(shaft.state.angular_velocity[drum].z(), 0, 1e-15) << scheme;
  }
}

// What a rope or a pin with play does to its second body is their reaction: a hanging weight's is
// its weight, with a moment about the pin where friction acts at its radius.
TEST(JointReactions, OfRopesAndJointsWithPlay) {
  constexpr Real kMass = 2, kPlay = 1e-4, kRadius = 0.01, kMu = 0.2;
  for (const std::string scheme : {"event_driven", "moreau_midpoint", "stewart_trinkle"}) {
    Mechanism hung(9.81);
    const Index weight = hung.add(kMass, 0.1, {0, -1}), wheel = hung.add(kMass, 0.1, {5, -kPlay});
    hung.add_joint(0, weight, model::RopeJoint{{0, 0}, {0, 0}, 1, 0});
    model::RevoluteClearance pin{{5, 0}, {0, 0}, kPlay, kRadius, {}, Vec2::Zero()};
    pin.law.friction.coefficient = kMu;
    hung.add_joint(0, wheel, pin);
    const auto stepper = make_scheme(hung.model, options_of(scheme));
    for (int step = 0; step < 10; ++step)
      EXPECT_TRUE(stepper->step(hung.state, 1e-3).is_certified()) << scheme;
    ASSERT_EQ(stepper->reactions().size(), 2U);
    for (const dynamics::Reaction& reaction : stepper->reactions()) {
      EXPECT_NEAR(reaction.force.y(), kMass * 9.81, 1e-9) << scheme;
      EXPECT_NEAR(reaction.force.x(), 0, 1e-9) << scheme;
      EXPECT_NEAR(reaction.moment.z(), 0, 1e-9) << scheme;
    }
    // Turning, the pin rubs at its radius: as it starts, where it is pressed straight down.
    hung.state.angular_velocity[wheel].z() = 20;
    EXPECT_TRUE(stepper->step(hung.state, 1e-6).is_certified()) << scheme;
    EXPECT_NEAR(stepper->reactions()[1].moment.z(), -kMu * kMass * 9.81 * kRadius, 1e-4) << scheme;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
