#include <gtest/gtest.h>
#include <talus/dynamics/planar_bodies.hpp>

#include <cmath>
#include <numbers>
#include <talus/dynamics/planar_bodies.hpp>
#include <tuple>

#include <talus/dynamics/planar_bodies.hpp>
#include "support/machine_world.hpp"

#include <talus/dynamics/planar_bodies.hpp>
namespace talus::TALUS_TEST_FILE {
#include <talus/dynamics/planar_bodies.hpp>
namespace {
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
using stepping::EventKind;
#include <talus/dynamics/planar_bodies.hpp>
using test::coulomb;
#include <talus/dynamics/planar_bodies.hpp>
using test::MachineWorld;
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A ball that falls from 1 m and loses a share of its speed at each of infinitely many impacts
#include <talus/dynamics/planar_bodies.hpp>
// rests after t = √(2h/g) (1 + e)/(1 − e): 1.354570923 s for e = 0.5, 4.063712769 s for e = 0.8.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, BouncingBallRestsAtItsAccumulationPoint) {
#include <talus/dynamics/planar_bodies.hpp>
  for (const auto& [e, rests_at] : {std::pair(0.5, 1.354570923), std::pair(0.8, 4.063712769)}) {
#include <talus/dynamics/planar_bodies.hpp>
    MachineWorld world(coulomb(0, 0, e));
#include <talus/dynamics/planar_bodies.hpp>
    world.add_line();
#include <talus/dynamics/planar_bodies.hpp>
    const Index ball = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1.1});
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_TRUE(world.run(5, 0.01)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
    const auto* end = world.first(EventKind::accumulation);
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_NE(end, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
    const Real exact = std::sqrt(2 / 9.81) * (1 + e) / (1 - e);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(exact, rests_at, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(end->time, exact, 1e-9 * exact) << "e " << e;
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(world.state.position[ball].y(), 0.1, 1e-10);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_LT(world.state.velocity[ball].norm(), 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
    const auto* impact = world.first(EventKind::impact);
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_NE(impact, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(impact->time, std::sqrt(2 / 9.81), 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(impact->impulse.x(), 2 * (1 + e) * std::sqrt(2 * 9.81), 1e-10);
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A block on an incline of 20° thrown uphill with 3 m/s stops after v²/(2g(sin + μ cos)) =
#include <talus/dynamics/planar_bodies.hpp>
// 0.59972088 m at 0.39981392 s, and stays there as tan 20° < μ₀.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, BlockStopsOnAnInclineAndStays) {
#include <talus/dynamics/planar_bodies.hpp>
  const Real angle = 20 * std::numbers::pi / 180;
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world(coulomb(0.45, 0.6));
#include <talus/dynamics/planar_bodies.hpp>
  world.add_line(angle);
#include <talus/dynamics/planar_bodies.hpp>
  const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
#include <talus/dynamics/planar_bodies.hpp>
  const Vec2 start = 0.05 * up;
#include <talus/dynamics/planar_bodies.hpp>
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 0.01, start, angle);
#include <talus/dynamics/planar_bodies.hpp>
  world.state.velocity[block] = {3 * along.x(), 3 * along.y(), 0};
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(1, 0.05)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  const auto* stop = world.first(EventKind::stick);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(stop, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(stop->time, 0.39981392, 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
  const Vec2 moved = world.state.position[block].head<2>() - start;
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(moved.dot(along), 0.59972088, 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(moved.dot(up), 0, 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_LT(world.state.velocity[block].norm(), 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A disc (a ball's moment of inertia, 2/5 m r²) that slides at 2 m/s with μ = 0.3 rolls from
#include <talus/dynamics/planar_bodies.hpp>
// t = 2v/(7μg) = 0.194165332 s on, at 5/7 v.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, SlidingBallBeginsToRoll) {
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world(coulomb(0.3));
#include <talus/dynamics/planar_bodies.hpp>
  world.add_line();
#include <talus/dynamics/planar_bodies.hpp>
  const Real r = 0.1, m = 1.5;
#include <talus/dynamics/planar_bodies.hpp>
  const Index ball = world.add_body(geometry::Sphere{r}, m, 0.4 * m * r * r, {0, r});
#include <talus/dynamics/planar_bodies.hpp>
  world.state.velocity[ball] = {2, 0, 0};
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(0.5, 0.05)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  const auto* stick = world.first(EventKind::stick);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(stick, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(stick->time, 0.194165332, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.state.velocity[ball].x(), 1.428571429, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.state.angular_velocity[ball].z(), -10 / 0.7, 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
/// A block on a line, held by a spring whose rest position is x = 0; N = m g = 10 N.
#include <talus/dynamics/planar_bodies.hpp>
struct Oscillator : MachineWorld {
#include <talus/dynamics/planar_bodies.hpp>
  Index block = 0;
#include <talus/dynamics/planar_bodies.hpp>
  Oscillator(const model::InterfaceLaw& surface, Real normal, bool has_belt, Real start = 0)
#include <talus/dynamics/planar_bodies.hpp>
      : MachineWorld(surface, Vec3(0, -normal, 0)) {
#include <talus/dynamics/planar_bodies.hpp>
    const Index line = has_belt ? add(geometry::Plane{}, model::BodyKind::kinematic, Vec3::Zero(),
#include <talus/dynamics/planar_bodies.hpp>
                                      rotation_between(Vec3::UnitZ(), Vec3::UnitY()))
#include <talus/dynamics/planar_bodies.hpp>
                                : add_line();
#include <talus/dynamics/planar_bodies.hpp>
    if (has_belt) state.velocity[line] = {0.1, 0, 0};
#include <talus/dynamics/planar_bodies.hpp>
    block = add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 1, {start, 0.05});
#include <talus/dynamics/planar_bodies.hpp>
    const Index wall = add(geometry::Sphere{0.01}, model::BodyKind::fixed, {-1, 0.05, 0});
#include <talus/dynamics/planar_bodies.hpp>
    model::LineForce spring;
#include <talus/dynamics/planar_bodies.hpp>
    spring.stiffness = 100;
#include <talus/dynamics/planar_bodies.hpp>
    spring.rest_length = 1;
#include <talus/dynamics/planar_bodies.hpp>
    machine->forces.push_back({"spring", wall, block, spring});
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
};
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A block on a belt that moves at 0.1 m/s, held by a spring: after the first stick every slip takes
#include <talus/dynamics/planar_bodies.hpp>
// 0.406888787 s and every stick 0.4 s; it turns back at x = 0.0176393202 and 0.0623606798 m.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, BlockOnABeltSticksAndSlips) {
#include <talus/dynamics/planar_bodies.hpp>
  Oscillator world(coulomb(0.4, 0.6), 10, true);
#include <talus/dynamics/planar_bodies.hpp>
  Real low = 1, high = 0;
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(2, 0.05)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  const auto* stick = world.first(EventKind::stick, 1);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(stick, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  const auto* slip = world.first(EventKind::slip, stick->time);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(slip, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(slip->time - stick->time, 0.4, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  // x̂ = x − 0.04 turns where its speed is zero: from 0.02 at 0.1 m/s, amplitude √(4e-4 + 1e-4).
#include <talus/dynamics/planar_bodies.hpp>
  const Real from = slip->time;
#include <talus/dynamics/planar_bodies.hpp>
  const Real turn = from + 0.8068887875 + std::atan2(0.1, 0.2) / 10;
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(turn - 2, 0.05));
#include <talus/dynamics/planar_bodies.hpp>
  high = world.state.position[world.block].x();
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(std::numbers::pi / 10, 0.05));
#include <talus/dynamics/planar_bodies.hpp>
  low = world.state.position[world.block].x();
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(high, 0.0623606798, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(low, 0.0176393202, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(0.5, 0.05));
#include <talus/dynamics/planar_bodies.hpp>
  const auto* next = world.first(EventKind::slip, from + 0.1);
#include <talus/dynamics/planar_bodies.hpp>
  const auto* again = world.first(EventKind::stick, from + 0.1);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(next, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(again->time - from, 0.406888787, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(next->time - from, 0.806888787, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Dry friction takes 2 μ g m/k from every half swing: from 0.1 m the block comes to rest at −0.0019
#include <talus/dynamics/planar_bodies.hpp>
// m after 5 half periods, 1.570796327 s, where the spring is weaker than μ₀ N.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, DryOscillatorComesToRest) {
#include <talus/dynamics/planar_bodies.hpp>
  Oscillator world(coulomb(0.1, 0.15), 9.81, false, 0.1);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(3, 0.1)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  const auto* rest = world.first(EventKind::stick);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(rest, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(rest->time, 1.570796327, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.state.position[world.block].x(), -0.0019, 1e-10);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_EQ(world.count(EventKind::reversal), 8);  // 4 turns, 2 corners
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_LT(world.state.velocity[world.block].norm(), 1e-14);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A slender block, 0.5 × 2, that rocks from corner to corner keeps 1 − (3/2) sin² α of its rate at
#include <talus/dynamics/planar_bodies.hpp>
// every inelastic impact, tan α = 1/4: 0.911764706, and the square of it, 0.831314879, of its
#include <talus/dynamics/planar_bodies.hpp>
// energy.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, RockingBlockLosesItsShareAtEveryImpact) {
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world(coulomb(1));
#include <talus/dynamics/planar_bodies.hpp>
  world.add_line();
#include <talus/dynamics/planar_bodies.hpp>
  const Vec2 half(0.25, 1);
#include <talus/dynamics/planar_bodies.hpp>
  const Real tilt = 0.05;
#include <talus/dynamics/planar_bodies.hpp>
  const Eigen::Rotation2D<Real> turn(tilt);
#include <talus/dynamics/planar_bodies.hpp>
  const Index block = world.add_body(geometry::Box{{half.x(), half.y(), 0.1}}, 3,
#include <talus/dynamics/planar_bodies.hpp>
                                     half.squaredNorm(), turn * half, tilt);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(2, 0.05)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  Index seen = 0;
#include <talus/dynamics/planar_bodies.hpp>
  Real rate_before = 0;
#include <talus/dynamics/planar_bodies.hpp>
  for (const auto& event : world.events) {
#include <talus/dynamics/planar_bodies.hpp>
    if (event.kind != EventKind::impact) continue;
#include <talus/dynamics/planar_bodies.hpp>
    const Real before = event.v_before[3 * block + 2], after = event.v_after[3 * block + 2];
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(after / before, 0.911764706, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(after * after / (before * before), 0.831314879, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
    if (seen > 0) {
#include <talus/dynamics/planar_bodies.hpp>
      EXPECT_NEAR(std::abs(before), std::abs(rate_before), 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
    }
#include <talus/dynamics/planar_bodies.hpp>
    rate_before = after;
#include <talus/dynamics/planar_bodies.hpp>
    ++seen;
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_GE(seen, 3);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// It comes to rest on both corners, after infinitely many impacts, at a time that the sum of its
#include <talus/dynamics/planar_bodies.hpp>
// half swings gives.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, RockingBlockComesToRest) {
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world(coulomb(1));
#include <talus/dynamics/planar_bodies.hpp>
  world.add_line();
#include <talus/dynamics/planar_bodies.hpp>
  const Vec2 half(0.25, 1);
#include <talus/dynamics/planar_bodies.hpp>
  const Real tilt = 0.02;
#include <talus/dynamics/planar_bodies.hpp>
  const Index block =
#include <talus/dynamics/planar_bodies.hpp>
      world.add_body(geometry::Box{{half.x(), half.y(), 0.1}}, 3, half.squaredNorm(),
#include <talus/dynamics/planar_bodies.hpp>
                     Eigen::Rotation2D<Real>(tilt) * half, tilt);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(12, 0.1)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(world.first(EventKind::accumulation), nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.angle(block), 0, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.state.position[block].y(), 1, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_LT(world.state.velocity[block].norm(), 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Three equal balls in a row, the first one at 1 m/s, e = 1: one impact after the other passes the
#include <talus/dynamics/planar_bodies.hpp>
// speed on, (0, 0, 1); all at once it is shared, (−1/3, 2/3, 2/3) (Moreau).
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, ThreeBallsInARow) {
#include <talus/dynamics/planar_bodies.hpp>
  for (const bool one_by_one : {true, false}) {
#include <talus/dynamics/planar_bodies.hpp>
    MachineWorld world(coulomb(0, 0, 1), Vec3::Zero());
#include <talus/dynamics/planar_bodies.hpp>
    world.options.machine.impacts = one_by_one ? "sequential" : "simultaneous";
#include <talus/dynamics/planar_bodies.hpp>
    std::vector<Index> balls;
#include <talus/dynamics/planar_bodies.hpp>
    for (const Real x : {-0.25, 0.0, 0.2})
#include <talus/dynamics/planar_bodies.hpp>
      balls.push_back(world.add_body(geometry::Sphere{0.1}, 2, 0.01, {x, 0}));
#include <talus/dynamics/planar_bodies.hpp>
    world.state.velocity[balls[0]] = {1, 0, 0};
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_TRUE(world.run(0.1, 0.01)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
    const std::vector<Real> expected =
#include <talus/dynamics/planar_bodies.hpp>
        one_by_one ? std::vector<Real>{0, 0, 1} : std::vector<Real>{-1. / 3, 2. / 3, 2. / 3};
#include <talus/dynamics/planar_bodies.hpp>
    for (std::size_t i = 0; i < 3; ++i)
#include <talus/dynamics/planar_bodies.hpp>
      EXPECT_NEAR(world.state.velocity[balls[i]].x(), expected[i], 1e-12) << one_by_one << i;
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(world.first(EventKind::impact)->time, 0.05, 1e-14);
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
/// A ball of 1 kg that flies against a wall with 1 m/s; no gravity.
#include <talus/dynamics/planar_bodies.hpp>
struct Bouncer : MachineWorld {
#include <talus/dynamics/planar_bodies.hpp>
  Index ball = 0;
#include <talus/dynamics/planar_bodies.hpp>
  explicit Bouncer(const model::NormalLaw& law) : MachineWorld({}, Vec3::Zero()) {
#include <talus/dynamics/planar_bodies.hpp>
    model.laws[0].normal = law;
#include <talus/dynamics/planar_bodies.hpp>
    add_line();
#include <talus/dynamics/planar_bodies.hpp>
    ball = add_body(geometry::Sphere{0.1}, 1, 0.01, {0, 0.1 + 1e-3});
#include <talus/dynamics/planar_bodies.hpp>
    state.velocity[ball] = {0, -1, 0};
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
};
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Hertz, m = 1 kg, K = 1e8 N/m^1.5, v = 1 m/s: the contact lasts 2.030462037e-3 s, the force
#include <talus/dynamics/planar_bodies.hpp>
// reaches 1811.949159 N in its middle, and the speed comes back.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, HertzContact) {
#include <talus/dynamics/planar_bodies.hpp>
  Bouncer world(model::HertzNormal{1e8, 1.5});
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(1e-3 + 2.030462037e-3 / 2, 1e-4)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.scheme->forces().normal[0], 1811.949159, 1e-6 * 1811);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(2e-3, 1e-4)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  const auto* begin = world.first(EventKind::touch);
#include <talus/dynamics/planar_bodies.hpp>
  const auto* end = world.first(EventKind::detachment);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(begin != nullptr && end != nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(begin->time, 1e-3, 1e-14);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(end->time - begin->time, 2.030462037e-3, 1e-6 * 2e-3);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.state.velocity[world.ball].y(), 1, 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Hunt and Crossley's damping with χ v = 0.3 gives back 0.832869792 of the speed.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, HuntCrossleyRestitution) {
#include <talus/dynamics/planar_bodies.hpp>
  model::DampedNormal law;
#include <talus/dynamics/planar_bodies.hpp>
  law.stiffness = 1e8;
#include <talus/dynamics/planar_bodies.hpp>
  law.restitution = 0.8;  // χ v = 3 (1 − e)/2
#include <talus/dynamics/planar_bodies.hpp>
  Bouncer world(law);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(5e-3, 1e-4)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.state.velocity[world.ball].y(), 0.832869792, 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Friction that is smooth in the slip velocity does not hold: a block creeps down an incline at
#include <talus/dynamics/planar_bodies.hpp>
// v = v_d artanh(tan α/μ).
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, SmoothedFrictionCreeps) {
#include <talus/dynamics/planar_bodies.hpp>
  const Real angle = 0.2, mu = 0.5, v_d = 1e-2;
#include <talus/dynamics/planar_bodies.hpp>
  model::InterfaceLaw surface;
#include <talus/dynamics/planar_bodies.hpp>
  surface.friction.coefficient = mu;
#include <talus/dynamics/planar_bodies.hpp>
  surface.friction.kind = model::TanhFriction{v_d};
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world(surface);
#include <talus/dynamics/planar_bodies.hpp>
  world.add_line(angle);
#include <talus/dynamics/planar_bodies.hpp>
  const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
#include <talus/dynamics/planar_bodies.hpp>
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 0.01, 0.05 * up, angle);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(0.2, 0.01)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(-world.state.velocity[block].head<2>().dot(along),
#include <talus/dynamics/planar_bodies.hpp>
              v_d * std::atanh(std::tan(angle) / mu), 1e-10);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Stribeck friction falls with speed: on a slow belt equilibrium is unstable and a limit cycle of
#include <talus/dynamics/planar_bodies.hpp>
// stick and slip remains, whatever the start; where viscosity outweighs the fall the block comes to
#include <talus/dynamics/planar_bodies.hpp>
// rest against the spring.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, StribeckFrictionKeepsTheBlockSwinging) {
#include <talus/dynamics/planar_bodies.hpp>
  for (const bool is_damped : {false, true}) {
#include <talus/dynamics/planar_bodies.hpp>
    model::InterfaceLaw surface;
#include <talus/dynamics/planar_bodies.hpp>
    surface.friction.coefficient = 0.3;
#include <talus/dynamics/planar_bodies.hpp>
    surface.friction.viscous = is_damped ? 20 : 0;
#include <talus/dynamics/planar_bodies.hpp>
    surface.friction.kind = model::StribeckFriction{0.6, 0.2, 1};
#include <talus/dynamics/planar_bodies.hpp>
    std::vector<Real> period;
#include <talus/dynamics/planar_bodies.hpp>
    for (const Real start : {0.045, 0.02}) {
#include <talus/dynamics/planar_bodies.hpp>
      Oscillator world(surface, 10, true, start);
#include <talus/dynamics/planar_bodies.hpp>
      world.options.machine.tolerance = 1e-10;
#include <talus/dynamics/planar_bodies.hpp>
      ASSERT_TRUE(world.run(15, 0.1)) << world.last.detail << is_damped << start;
#include <talus/dynamics/planar_bodies.hpp>
      const auto* slip = world.first(EventKind::slip, 12);
#include <talus/dynamics/planar_bodies.hpp>
      if (is_damped) {
#include <talus/dynamics/planar_bodies.hpp>
        EXPECT_EQ(slip, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
        EXPECT_LT(std::abs(world.state.velocity[world.block].x()), 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
        continue;
#include <talus/dynamics/planar_bodies.hpp>
      }
#include <talus/dynamics/planar_bodies.hpp>
      ASSERT_NE(slip, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
      const auto* next = world.first(EventKind::slip, slip->time + 0.05);
#include <talus/dynamics/planar_bodies.hpp>
      ASSERT_NE(next, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
      period.push_back(next->time - slip->time);
#include <talus/dynamics/planar_bodies.hpp>
    }
#include <talus/dynamics/planar_bodies.hpp>
    if (!is_damped) {
#include <talus/dynamics/planar_bodies.hpp>
      EXPECT_NEAR(period[0], period[1], 1e-8);
#include <talus/dynamics/planar_bodies.hpp>
    }
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A block in a guide down an incline of angle α rubs with |λ|, the reaction of the guide: it slides
#include <talus/dynamics/planar_bodies.hpp>
// with g (sin α − μ cos α) where tan α > μ₀, and is held where it is not; a preload adds its share.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, FrictionInAGuide) {
#include <talus/dynamics/planar_bodies.hpp>
  for (const auto& [mu, mu0, preload] :
#include <talus/dynamics/planar_bodies.hpp>
       {std::tuple(0.2, 0.25, 0.0), std::tuple(0.2, 0.25, 2.0), std::tuple(0.4, 0.45, 0.0)}) {
#include <talus/dynamics/planar_bodies.hpp>
    const Real angle = 0.4, m = 2, g = 9.81, t = 0.5;
#include <talus/dynamics/planar_bodies.hpp>
    MachineWorld world;
#include <talus/dynamics/planar_bodies.hpp>
    const Index ground = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
#include <talus/dynamics/planar_bodies.hpp>
    const Index block = world.add_body(geometry::Sphere{0.01}, m, 0.1, {0, 0});
#include <talus/dynamics/planar_bodies.hpp>
    model::PrismaticJoint guide;
#include <talus/dynamics/planar_bodies.hpp>
    guide.axis_A = {std::cos(angle), std::sin(angle)};
#include <talus/dynamics/planar_bodies.hpp>
    model::JointFriction friction;
#include <talus/dynamics/planar_bodies.hpp>
    friction.law.coefficient = mu;
#include <talus/dynamics/planar_bodies.hpp>
    friction.law.kind = model::CoulombFriction{mu0};
#include <talus/dynamics/planar_bodies.hpp>
    friction.preload = preload;
#include <talus/dynamics/planar_bodies.hpp>
    world.machine->joints.push_back({"guide", ground, block, guide, friction});
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_TRUE(world.run(t, 0.05)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
    const Real normal = m * g * std::cos(angle) + preload, pull = m * g * std::sin(angle);
#include <talus/dynamics/planar_bodies.hpp>
    const Real a = pull > mu0 * normal ? (pull - mu * normal) / m : 0;
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(-world.state.position[block].head<2>().dot(guide.axis_A), a * t * t / 2, 1e-10);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_NEAR(std::abs(world.scheme->multipliers()[0]), m * g * std::cos(angle), 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A wheel on a pin of radius r that carries its weight comes to rest under the moment r μ m g after
#include <talus/dynamics/planar_bodies.hpp>
// J ω/(r μ m g), and stays.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, FrictionInAPin) {
#include <talus/dynamics/planar_bodies.hpp>
  const Real m = 3, J = 0.06, r = 0.02, mu = 0.3, omega = 5;
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world;
#include <talus/dynamics/planar_bodies.hpp>
  const Index ground = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
#include <talus/dynamics/planar_bodies.hpp>
  const Index wheel = world.add_body(geometry::Sphere{0.1}, m, J, {0, 0});
#include <talus/dynamics/planar_bodies.hpp>
  world.state.angular_velocity[wheel] = {0, 0, omega};
#include <talus/dynamics/planar_bodies.hpp>
  model::RevoluteJoint pin;
#include <talus/dynamics/planar_bodies.hpp>
  pin.pin_radius = r;
#include <talus/dynamics/planar_bodies.hpp>
  model::JointFriction friction;
#include <talus/dynamics/planar_bodies.hpp>
  friction.law.coefficient = mu;
#include <talus/dynamics/planar_bodies.hpp>
  world.machine->joints.push_back({"pin", ground, wheel, pin, friction});
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(3, 0.1)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  const auto* stick = world.first(EventKind::stick);
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_NE(stick, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  const Real stops = J * omega / (r * mu * m * 9.81);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(stick->time, stops, 1e-10 * stops);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_EQ(stick->contact, -1);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(world.angle(wheel), std::remainder(omega * stops / 2, 4 * std::numbers::pi), 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_LT(std::abs(world.state.angular_velocity[wheel].z()), 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A beam on three pins in a row has redundant reactions: three of six constraints say nothing
#include <talus/dynamics/planar_bodies.hpp>
// new, nothing moves, and the reactions carry the weight, the outer ones alike.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, RedundantConstraintsAreReported) {
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world;
#include <talus/dynamics/planar_bodies.hpp>
  const Index ground = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
#include <talus/dynamics/planar_bodies.hpp>
  const Index beam = world.add_body(geometry::Sphere{0.01}, 4, 1, {0, 0});
#include <talus/dynamics/planar_bodies.hpp>
  for (const Real x : {-1.0, 0.0, 1.0}) {
#include <talus/dynamics/planar_bodies.hpp>
    model::RevoluteJoint pin;
#include <talus/dynamics/planar_bodies.hpp>
    pin.p_A = pin.p_B = {x, 0};
#include <talus/dynamics/planar_bodies.hpp>
    world.machine->joints.push_back({"pin", ground, beam, pin, {}});
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(0.1, 0.01)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_EQ(world.scheme->outcome().redundant, 3);
#include <talus/dynamics/planar_bodies.hpp>
  const VecX& lambda = world.scheme->multipliers();
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(lambda[1] + lambda[3] + lambda[5], 4 * 9.81, 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NEAR(lambda[1], lambda[5], 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_LT(world.state.velocity[beam].norm(), 1e-12);
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
/// A slender rod of 2 m whose lower end slides on the line, at an angle.
#include <talus/dynamics/planar_bodies.hpp>
MachineWorld sliding_rod(Real friction, Real angle, Real speed) {
#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world(coulomb(friction));
#include <talus/dynamics/planar_bodies.hpp>
  world.add_line();
#include <talus/dynamics/planar_bodies.hpp>
  constexpr Real kThin = 1e-9;
#include <talus/dynamics/planar_bodies.hpp>
  const Index rod =
#include <talus/dynamics/planar_bodies.hpp>
      world.add_body(geometry::Box{{1, kThin, 0.1}}, 1, 1. / 3,
#include <talus/dynamics/planar_bodies.hpp>
                     {std::cos(angle), std::sin(angle) + kThin * std::cos(angle)}, angle);
#include <talus/dynamics/planar_bodies.hpp>
  world.state.velocity[rod] = {speed, 0, 0};
#include <talus/dynamics/planar_bodies.hpp>
  return world;
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// A rod that is pushed with its lower end ahead jams into the ground where friction exceeds
#include <talus/dynamics/planar_bodies.hpp>
// (1 + 3 cos² θ)/(3 sin θ cos θ): 4/3 at 63.434949°, the smallest of all angles (Painlevé). It is
#include <talus/dynamics/planar_bodies.hpp>
// reported there and nowhere else, and a time step leads through if asked.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, PainleveRodIsReported) {
#include <talus/dynamics/planar_bodies.hpp>
  const Real angle = 63.434949 * std::numbers::pi / 180;
#include <talus/dynamics/planar_bodies.hpp>
  const auto is_reported = [&](Real friction, Real at, Real speed) {
#include <talus/dynamics/planar_bodies.hpp>
    MachineWorld world = sliding_rod(friction, at, speed);
#include <talus/dynamics/planar_bodies.hpp>
    (void)world.run(1e-6, 1e-6);
#include <talus/dynamics/planar_bodies.hpp>
    return world.last.status == problem::SolveStatus::numerical_error &&
#include <talus/dynamics/planar_bodies.hpp>
           world.last.detail.find("Painlev") != std::string::npos;
#include <talus/dynamics/planar_bodies.hpp>
  };
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_FALSE(is_reported(4. / 3 - 1e-6, angle, -10));
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_TRUE(is_reported(4. / 3 + 1e-6, angle, -10));
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_FALSE(is_reported(4. / 3 + 1e-6, angle, 10));
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_FALSE(is_reported(4. / 3 + 1e-6, angle + 0.1, -10));
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_FALSE(is_reported(4. / 3 + 1e-6, angle - 0.1, -10));
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
  MachineWorld world = sliding_rod(1.6, angle, -10);
#include <talus/dynamics/planar_bodies.hpp>
  world.options.machine.on_painleve = "time_step";
#include <talus/dynamics/planar_bodies.hpp>
  ASSERT_TRUE(world.run(0.05, 1e-3)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_NE(world.first(EventKind::painleve), nullptr);
#include <talus/dynamics/planar_bodies.hpp>
  Real energy = 1e300;
#include <talus/dynamics/planar_bodies.hpp>
  for (const auto& event : world.events) {
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_LE(event.energy_after, energy + 1e-9);
#include <talus/dynamics/planar_bodies.hpp>
    energy = event.energy_after;
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
// Where a rod jams, an impact without a collision stops its lower end (Painlevé, Génot &
#include <talus/dynamics/planar_bodies.hpp>
// Brogliato): the time step that leads through gives an impulse of the size of m v however short it
#include <talus/dynamics/planar_bodies.hpp>
// is, with which the end neither slips nor parts, and energy is lost.
#include <talus/dynamics/planar_bodies.hpp>
TEST(Events, AnImpactWithoutCollisionStopsAJammedRod) {
#include <talus/dynamics/planar_bodies.hpp>
  std::vector<Vec2> impulses;
#include <talus/dynamics/planar_bodies.hpp>
  for (const Real step : {1e-3, 1e-6}) {
#include <talus/dynamics/planar_bodies.hpp>
    MachineWorld world = sliding_rod(1.6, 63.434949 * std::numbers::pi / 180, -10);
#include <talus/dynamics/planar_bodies.hpp>
    world.options.machine.on_painleve = "time_step";
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_TRUE(world.run(step, step)) << world.last.detail;
#include <talus/dynamics/planar_bodies.hpp>
    const auto* through = world.first(EventKind::time_step);
#include <talus/dynamics/planar_bodies.hpp>
    ASSERT_NE(through, nullptr);
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_LT(through->energy_after, 0.9 * through->energy_before);
#include <talus/dynamics/planar_bodies.hpp>
    const dynamics::PlanarBodies machine(world.model, world.state);
#include <talus/dynamics/planar_bodies.hpp>
    dynamics::ContactTerms terms;
#include <talus/dynamics/planar_bodies.hpp>
    Index pressed = 0;
#include <talus/dynamics/planar_bodies.hpp>
    for (Index i = 0; i < machine.contact_count(); ++i) {
#include <talus/dynamics/planar_bodies.hpp>
      if (machine.gap(i, through->q) > 1e-2) continue;
#include <talus/dynamics/planar_bodies.hpp>
      ++pressed;
#include <talus/dynamics/planar_bodies.hpp>
      machine.contact(i, through->q, through->v_before, terms);
#include <talus/dynamics/planar_bodies.hpp>
      EXPECT_NEAR(terms.slip, -10, 0.1);
#include <talus/dynamics/planar_bodies.hpp>
      machine.contact(i, through->q, through->v_after, terms);
#include <talus/dynamics/planar_bodies.hpp>
      EXPECT_NEAR(terms.slip, 0, 10 * step);
#include <talus/dynamics/planar_bodies.hpp>
      EXPECT_NEAR(terms.gap_rate, 0, 10 * step);
#include <talus/dynamics/planar_bodies.hpp>
    }
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_GT(pressed, 0);
#include <talus/dynamics/planar_bodies.hpp>
    const Index rod = 1;
#include <talus/dynamics/planar_bodies.hpp>
    impulses.push_back(world.model.bodies[rod].mass *
#include <talus/dynamics/planar_bodies.hpp>
                       (through->v_after - through->v_before).segment<2>(3 * rod));
#include <talus/dynamics/planar_bodies.hpp>
    EXPECT_GT(impulses.back().y(), 0.1);
#include <talus/dynamics/planar_bodies.hpp>
  }
#include <talus/dynamics/planar_bodies.hpp>
  EXPECT_LT((impulses[0] - impulses[1]).norm(), 0.02 * impulses[1].norm());
#include <talus/dynamics/planar_bodies.hpp>
}
#include <talus/dynamics/planar_bodies.hpp>

#include <talus/dynamics/planar_bodies.hpp>
}  // namespace
#include <talus/dynamics/planar_bodies.hpp>
}  // namespace talus::TALUS_TEST_FILE
