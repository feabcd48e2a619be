#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/machine_world.hpp"

namespace talus {
namespace {

using stepping::EventKind;
using test::coulomb;
using test::MachineWorld;

// A ball that falls from 1 m and loses a share of its speed at each of infinitely many impacts
// rests after t = √(2h/g) (1 + e)/(1 − e): 1.354570923 s for e = 0.5, 4.063712769 s for e = 0.8.
TEST(Events, BouncingBallRestsAtItsAccumulationPoint) {
  for (const auto& [e, rests_at] : {std::pair(0.5, 1.354570923), std::pair(0.8, 4.063712769)}) {
    MachineWorld world(coulomb(0, 0, e));
    world.add_line();
    const Index ball = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1.1});
    ASSERT_TRUE(world.run(5, 0.01)) << world.last.detail;
    const auto* end = world.first(EventKind::accumulation);
    ASSERT_NE(end, nullptr);
    const Real exact = std::sqrt(2 / 9.81) * (1 + e) / (1 - e);
    EXPECT_NEAR(exact, rests_at, 1e-9);
    EXPECT_NEAR(end->time, exact, 1e-9 * exact) << "e " << e;
    EXPECT_NEAR(world.state.position[ball].y(), 0.1, 1e-10);
    EXPECT_LT(world.state.velocity[ball].norm(), 1e-12);
    const auto* impact = world.first(EventKind::impact);
    ASSERT_NE(impact, nullptr);
    EXPECT_NEAR(impact->time, std::sqrt(2 / 9.81), 1e-12);
    EXPECT_NEAR(impact->impulse.x(), 2 * (1 + e) * std::sqrt(2 * 9.81), 1e-10);
  }
}

// A block on an incline of 20° thrown uphill with 3 m/s stops after v²/(2g(sin + μ cos)) =
// 0.59972088 m at 0.39981392 s, and stays there as tan 20° < μ₀.
TEST(Events, BlockStopsOnAnInclineAndStays) {
  const Real angle = 20 * std::numbers::pi / 180;
  MachineWorld world(coulomb(0.45, 0.6));
  world.add_line(angle);
  const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
  const Vec2 start = 0.05 * up;
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 0.01, start, angle);
  world.state.velocity[block] = {3 * along.x(), 3 * along.y(), 0};
  ASSERT_TRUE(world.run(1, 0.05)) << world.last.detail;
  const auto* stop = world.first(EventKind::stick);
  ASSERT_NE(stop, nullptr);
  EXPECT_NEAR(stop->time, 0.39981392, 1e-8);
  const Vec2 moved = world.state.position[block].head<2>() - start;
  EXPECT_NEAR(moved.dot(along), 0.59972088, 1e-8);
  EXPECT_NEAR(moved.dot(up), 0, 1e-12);
  EXPECT_LT(world.state.velocity[block].norm(), 1e-12);
}

// A disc (a ball's moment of inertia, 2/5 m r²) that slides at 2 m/s with μ = 0.3 rolls from
// t = 2v/(7μg) = 0.194165332 s on, at 5/7 v.
TEST(Events, SlidingBallBeginsToRoll) {
  MachineWorld world(coulomb(0.3));
  world.add_line();
  const Real r = 0.1, m = 1.5;
  const Index ball = world.add_body(geometry::Sphere{r}, m, 0.4 * m * r * r, {0, r});
  world.state.velocity[ball] = {2, 0, 0};
  ASSERT_TRUE(world.run(0.5, 0.05)) << world.last.detail;
  const auto* stick = world.first(EventKind::stick);
  ASSERT_NE(stick, nullptr);
  EXPECT_NEAR(stick->time, 0.194165332, 1e-9);
  EXPECT_NEAR(world.state.velocity[ball].x(), 1.428571429, 1e-9);
  EXPECT_NEAR(world.state.angular_velocity[ball].z(), -10 / 0.7, 1e-8);
}

// A block on a belt that moves at 0.1 m/s, held by a spring: stick–slip with a slip of 0.406888787
// s and a stick of 0.4 s, x between 0.0176393202 and 0.0623606798 m.
TEST(Events, BlockOnABeltSticksAndSlips) {
  MachineWorld world(coulomb(0.4, 0.6), Vec3(0, -10, 0));  // N = 10
  const Index belt = world.add(geometry::Plane{}, model::BodyKind::kinematic, Vec3::Zero(),
                               Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitY()));
  world.state.velocity[belt] = {0.1, 0, 0};
  model::Motion motion;
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 1, 1, {0, 0.05});
  const Index wall = world.add(geometry::Sphere{0.01}, model::BodyKind::fixed, {-1, 0.05, 0});
  model::LineForce spring;
  spring.p_A = Vec2::Zero();
  spring.p_B = Vec2(0, 0);
  spring.stiffness = 100;
  spring.rest_length = 1;
  world.machine->forces.push_back({"spring", wall, block, spring});
  ASSERT_TRUE(world.run(5, 0.05)) << world.last.detail;
  const auto* stick = world.first(EventKind::stick, 2);
  ASSERT_NE(stick, nullptr);
  const auto* slip = world.first(EventKind::slip, stick->time);
  ASSERT_NE(slip, nullptr);
  const auto* again = world.first(EventKind::stick, slip->time);
  ASSERT_NE(again, nullptr);
  EXPECT_NEAR(slip->time - stick->time, 0.4, 1e-9);
  EXPECT_NEAR(again->time - slip->time, 0.406888787, 1e-9);
  for (const auto& e : world.events)
    std::printf("%s %.12g contact %ld slip %g\n", to_string(e.kind), e.time, e.contact,
                e.slip_after);
  std::printf("x %.12g %.12g\n", slip->q[3 * block], again->q[3 * block]);
}

}  // namespace
}  // namespace talus
