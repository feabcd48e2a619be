#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/sim/machine_orbit.hpp>
#include <talus/sim/simulation.hpp>

#include "support/reduced_beater.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::ReducedBeater;

constexpr Real kPeriod = 2 * std::numbers::pi / 420;

scene::Scene beater() {
  scene::Overrides change;
  change.settings = {{"scheme", "{name: event_driven, tolerance: 1e-12}"},
                     {"time.step", std::to_string(kPeriod) + " s"}};
  scene::Scene scene = scene::load(TALUS_SOURCE_DIR "/papers/wang_2015/beater.yaml", change);
  scene.step_size = scene.end_time = kPeriod;
  return scene;
}

/// The same machine with its rotor eliminated by hand, as the scene starts it.
ReducedBeater reduced(const scene::Scene& scene) {
  ReducedBeater machine;
  const Index box = scene.model.find_body("box");
  const Vec3 &p = scene.initial.position[box], &v = scene.initial.velocity[box];
  machine.state << p.x(), p.y(), 0, v.x(), v.y(), scene.initial.angular_velocity[box].z();
  machine.start();
  return machine;
}

void advance(ReducedBeater& machine, Index steps) {
  for (Index k = 0; k < steps; ++k) {
    machine.time = static_cast<Real>(k) * kPeriod / static_cast<Real>(steps);
    machine.advance(kPeriod / static_cast<Real>(steps));
  }
}

// The flat beater of `wang_2015` through scene file, constraints and event-driven engine moves in
// its first period as three equations of motion written down by hand do: to 1e-11.
TEST(BeaterOrbit, FirstPeriodAsByHand) {
  const scene::Scene scene = beater();
  ReducedBeater by_hand = reduced(scene);
  advance(by_hand, 15000);
  sim::Simulation simulation(scene);
  simulation.run();
  const Index box = scene.model.find_body("box");
  const model::State& state = simulation.state();
  EXPECT_NEAR(state.position[box].x(), by_hand.state[0], 1e-11);
  EXPECT_NEAR(state.position[box].y(), by_hand.state[1], 1e-11);
  EXPECT_NEAR(2 * std::atan2(state.orientation[box].z(), state.orientation[box].w()),
              by_hand.state[2], 1e-11);
  EXPECT_NEAR(state.velocity[box].x(), by_hand.state[3], 1e-8);
  EXPECT_NEAR(state.angular_velocity[box].z(), by_hand.state[5], 1e-7);
}

// Shooting on the machine, charts on its constraints and drift along the ground, finds the periodic
// motion that shooting on the three equations finds: 19.7990 m/min, with the same multipliers.
TEST(BeaterOrbit, PeriodicMotionAsByHand) {
  const scene::Scene scene = beater();
  constexpr Index kSettle = 150, kSteps = 1500;
  ReducedBeater start = reduced(scene);
  for (Index k = 0; k < kSettle; ++k) advance(start, kSteps);
  const sim::ReturnMap by_hand{
      5,
      [](const VecX& x) -> VecX {
        ReducedBeater machine;
        machine.state = x;
        machine.start();
        advance(machine, kSteps);
        return machine.state;
      },
      [](const VecX& base, const VecX& step) {
        VecX x = base;
        x.tail(5) += step;
        return x;
      },
      [](const VecX& x, const VecX& base) { return VecX((x - base).tail(5)); }};
  const auto expected = sim::find_periodic_orbit(by_hand, start.state, {.tolerance = 1e-9});
  ASSERT_EQ(expected.status, sim::PeriodicOrbit::Status::found);
  const Real drift = by_hand.after(expected.state)[0] - expected.state[0];
  EXPECT_NEAR(60 * drift / kPeriod, 19.7990, 1e-4);

  const sim::MachineOrbit orbit(scene, kPeriod, 1, {Vec2::UnitX()});
  const auto found = sim::find_periodic_orbit(orbit.map(), orbit.settle(kSettle),
                                              {.tolerance = 1e-8, .perturbation = 1e-5});
  ASSERT_EQ(found.status, sim::PeriodicOrbit::Status::found) << sim::to_string(found.status);
  EXPECT_NEAR(orbit.drift(found.state, orbit.map().after(found.state)), drift, 1e-9);
  ASSERT_EQ(found.multipliers.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(std::abs(found.multipliers[i]), std::abs(expected.multipliers[i]), 1e-4);
  EXPECT_TRUE(found.is_stable());
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
