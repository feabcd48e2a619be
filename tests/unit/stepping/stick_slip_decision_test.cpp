#include <gtest/gtest.h>

#include <cmath>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/stepping/event_driven/event_functions.hpp>
#include <talus/stepping/event_driven/stick_slip_decision.hpp>

#include "support/machine_world.hpp"

namespace talus::stepping::event_driven::TALUS_TEST_FILE {
namespace {

constexpr Real kGravity = 9.81;

/// A ball without rolling that touches a line of some slope, and what the engine's parts say of it.
struct Ball {
  test::MachineWorld world;
  dynamics::PlanarBodies machine;
  laws::FrictionTable elements;
  Point x;

  Ball(Real slope, const model::InterfaceLaw& law, const Vec2& velocity = Vec2::Zero())
      : world(make(slope, law, velocity)),
        machine(world.model, world.state),
        elements(machine),
        x{{}, {}, VecX(0)} {
    machine.load(world.state, x.q, x.v);
  }
  static test::MachineWorld make(Real slope, const model::InterfaceLaw& law, const Vec2& velocity) {
    test::MachineWorld world(law);
    world.add_line(slope);
    const Vec2 up(-std::sin(slope), std::cos(slope));
    // So heavy to turn that the surface slips like a block's.
    const Index ball = world.add_body(geometry::Sphere{0.1}, 2, 1e12, 0.1 * up);
    world.state.velocity[ball] = {velocity.x(), velocity.y(), 0};
    return world;
  }
  [[nodiscard]] laws::Modes modes(laws::NormalMode normal, laws::FrictionMode friction) const {
    return {{normal}, {friction, laws::FrictionMode::none}, {0}};
  }
  [[nodiscard]] ModeSolution solve_modes(laws::NormalMode normal, laws::FrictionMode friction,
                                         bool is_candidate) {
    StickSlipDecision decision(machine, elements);
    return decision.solve_modes(0, x,
                                {modes(normal, friction), {is_candidate, false}, {0, 0}, {false}});
  }
};

// A block at rest on an incline stays where tan α < μ₀, and slips down with μ where it is not: the
// friction force is m g sin α, or μ m g cos α, the normal force m g cos α.
TEST(StickSlipDecision, StickGivesWayAtTheStaticCoefficient) {
  for (const Real slope : {0.3, 0.499, 0.501, 0.8}) {
    const Real angle = std::atan(slope);
    Ball ball(angle, test::coulomb(0.4, 0.5));
    const ModeSolution solution =
        ball.solve_modes(laws::NormalMode::closed, laws::FrictionMode::stick, true);
    ASSERT_EQ(solution.status, problem::SolveStatus::converged);
    EXPECT_FALSE(solution.is_ambiguous);
    EXPECT_NEAR(solution.normal[0], 2 * kGravity * std::cos(angle), 1e-9);
    const bool sticks = slope < 0.5;
    EXPECT_EQ(solution.modes.friction[0] == laws::FrictionMode::stick, sticks) << slope;
    const Real force = sticks ? std::sin(angle) : 0.4 * std::cos(angle);
    EXPECT_NEAR(std::abs(solution.friction[0]), 2 * kGravity * force, 1e-9) << slope;
    EXPECT_EQ(solution.solves, sticks ? 1 : 2);
  }
}

// A closed contact that is pulled off lets go, one that is pressed stays.
TEST(StickSlipDecision, AContactThatIsPulledOpens) {
  Ball ball(0, test::coulomb(0.4));
  for (const Real pull : {19., 20.}) {  // m g = 19.62 N
    ball.world.machine->forces = {
        {"pull", 0, 1, model::PointForce{Vec2::Zero(), Vec2::UnitY(), model::ConstantLaw{pull}}}};
    const ModeSolution solution =
        ball.solve_modes(laws::NormalMode::closed, laws::FrictionMode::stick, true);
    const bool stays = pull < 2 * kGravity;
    EXPECT_EQ(solution.modes.normal[0], stays ? laws::NormalMode::closed : laws::NormalMode::open);
    EXPECT_NEAR(solution.normal[0], stays ? 2 * kGravity - pull : 0, 1e-9);
  }
}

// The switches of a ball: its gap with its rate while it flies; its normal force, and its slip
// velocity in the direction of the slip, while it slides.
TEST(EventFunctions, SwitchesAreThoseOfTheMode) {
  Ball ball(0, test::coulomb(0.4), {-3, 0});
  ball.x.q[4] += 0.25;
  ball.x.v[4] = -2;
  Phase phase(ball.machine, ball.elements);
  EventFunctions watch(ball.machine, ball.elements);
  Rate rate{VecX::Zero(6), VecX(0)};
  std::vector<EventValue> samples;
  const auto look = [&](const laws::Modes& modes) {
    phase.set_modes(modes);
    watch.set_modes(modes);
    phase.evaluate(0, ball.x, rate);
    watch.observe(ball.x, rate, phase, samples);
  };
  look(ball.modes(laws::NormalMode::open, laws::FrictionMode::none));
  ASSERT_EQ(samples.size(), 1U);
  EXPECT_EQ(watch.list()[0].kind, EventFunction::Kind::gap_closes);
  EXPECT_NEAR(samples[0].value, 0.25, 1e-14);
  EXPECT_NEAR(samples[0].rate, -2, 1e-14);

  ball.x.q[4] -= 0.25;
  ball.x.v[4] = 0;
  for (const bool is_right : {true, false}) {
    ball.x.v[3] = is_right ? 3 : -3;
    look(ball.modes(laws::NormalMode::closed, laws::FrictionMode::slip_plus));
    ASSERT_EQ(samples.size(), 3U);  // the normal force, the slip, Painlevé
    EXPECT_NEAR(samples[0].value, 2 * kGravity, 1e-10);
    const EventValue& slip = samples[1];
    EXPECT_NEAR(std::abs(slip.value), 3, 1e-12);
    EXPECT_NEAR(slip.rate, -0.4 * kGravity, 1e-9);  // friction of slip_plus, whoever asks
  }
}

// A gap that is a little too deep and parts counts from where it is, one that goes deeper does not.
TEST(EventFunctions, BeginsWhereAPartingContactIs) {
  for (const Real speed : {0.5, -0.5}) {
    Ball ball(0, test::coulomb(0), {0, speed});
    ball.x.q[4] -= 1e-7;
    Phase phase(ball.machine, ball.elements);
    EventFunctions watch(ball.machine, ball.elements);
    Rate rate{VecX::Zero(6), VecX(0)};
    std::vector<EventValue> samples;
    const laws::Modes modes = ball.modes(laws::NormalMode::open, laws::FrictionMode::none);
    phase.set_modes(modes);
    watch.set_modes(modes);
    phase.evaluate(0, ball.x, rate);
    watch.observe(ball.x, rate, phase, samples);
    watch.begin(ball.x, phase, samples);
    EXPECT_NEAR(samples[0].value, speed > 0 ? 0 : -1e-7, 1e-14);
    ball.x.q[4] += 1e-9;
    watch.observe(ball.x, rate, phase, samples);
    EXPECT_NEAR(samples[0].value, speed > 0 ? 1e-9 : -9.9e-8, 1e-14);
  }
}

}  // namespace
}  // namespace talus::stepping::event_driven::TALUS_TEST_FILE
