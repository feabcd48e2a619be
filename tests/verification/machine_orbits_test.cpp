#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include <talus/scene/scene.hpp>
#include <talus/sim/machine_orbit.hpp>
#include <talus/sim/simulation.hpp>

#include <unit/scene/scene_folder.hpp>

// Shooting on scenes whose periodic motions and multipliers are known.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi, kGravity = 9.81;

scene::Scene load(const std::string& text) { return scene::SceneFolder().load(text); }

/// A ball on a guide over a table that shakes by A sin ωt with T = 0.1 s.
struct Bouncer {
  Real e, height, speed;  ///< of the ball at t = 0
  static constexpr Real kPeriod = 0.1, kOmega = 2 * kPi / kPeriod, kRadius = 0.1;
  [[nodiscard]] scene::Scene scene(Real amplitude) const {
    return load(fmt::format(R"(title: A ball on a shaking table
dimension: 2
time: {{step: {0:.17g}, end: {0:.17g}}}
scheme: {{name: event_driven, tolerance: 1e-12}}
contacts: {{default: {{friction: 0, restitution: {1:.17g}}}}}
bodies:
  - {{name: table, shape: {{half_plane: {{}}}}, motion: {{shake: {{amplitude: [0, {2:.17g}, 0], frequency: 10}}}}}}
  - {{name: ball, mass: 1.3, inertia: 0.01, shape: {{disc: {{radius: {3:.17g}}}}}, position: [0, {4:.17g}, 0], velocity: [0, {5:.17g}, 0]}}
  - {{name: frame, fixed: true, collides: false, shape: {{disc: {{radius: 0.01}}}}, position: [0, 3, 0]}}
joints:
  - {{name: guide, between: [frame, ball], prismatic: {{at: [0, {4:.17g}], axis: [0, 1]}}}}
)",
                            kPeriod, e, amplitude, kRadius, height, speed));
  }
};

// The ball that is met once per period is thrown up with gT/2 and met where the table moves at w =
// (1 − e)/(1 + e) gT/2 = A ω cos φ. Flight and impact change a deviation of the time of impact and
// of the speed after it by a matrix with the determinant e² and the trace 1 + e² − (1 + e)² A ω²
// sin φ/g; that the machine is looked at when the table passes its middle does not change
// multipliers.
TEST(MachineOrbits, BouncingBallOnAShakingTable) {
  for (const auto& [e, factor] :
       {std::pair(0.6, 1.15), std::pair(0.8, 1.4), std::pair(0.3, 1.02)}) {
    const Real T = Bouncer::kPeriod, omega = Bouncer::kOmega, up = kGravity * T / 2,
               meets = (1 - e) / (1 + e) * up, amplitude = factor * meets / omega,
               phase = std::acos(1 / factor), flown = T - phase / omega;
    const Real height = Bouncer::kRadius + amplitude * std::sin(phase) + up * flown -
                        kGravity * flown * flown / 2,
               speed = up - kGravity * flown;
    const Bouncer near{e, height + 1e-4, speed + 1e-3};
    const sim::MachineOrbit machine(near.scene(amplitude), T, 10, {});
    const sim::ReturnMap map = machine.map();
    ASSERT_EQ(map.dimension, 2);
    const VecX start = machine.settle(0);
    const auto orbit =
        sim::find_periodic_orbit(map, start, {.tolerance = 1e-10, .perturbation = 1e-6});
    ASSERT_EQ(orbit.status, sim::PeriodicOrbit::Status::found)
        << e << ": " << to_string(orbit.status) << " " << orbit.residual;
    EXPECT_NEAR(orbit.state[4], height, 1e-9) << e;
    EXPECT_NEAR(orbit.state[13], speed, 1e-8) << e;
    const Real trace =
        1 + e * e - std::pow(1 + e, 2) * amplitude * omega * omega * std::sin(phase) / kGravity;
    ASSERT_EQ(orbit.multipliers.size(), 2U);
    EXPECT_NEAR(std::abs(orbit.multipliers[0] * orbit.multipliers[1]), e * e, 1e-5) << e;
    EXPECT_NEAR((orbit.multipliers[0] + orbit.multipliers[1]).real(), trace, 1e-5) << e;
    EXPECT_EQ(orbit.is_stable(), std::abs(trace) < 1 + e * e) << e;
  }
}

// Den Hartog's oscillator: a mass in a guide that rubs with f = μ m g, on a spring, driven by P cos
// Ωt. Where it does not stop within a swing its amplitude is
//   X = (P/k) √(V² − (f U/P)²),   V = 1/(1 − β²),   U = β⁻¹ sin(π/β)/(1 + cos(π/β)),   β = Ω/ω,
// and it turns where it is at ±X; friction has no part in the multipliers but at the turns.
TEST(MachineOrbits, ForcedOscillatorWithDryFriction) {
  const Real m = 2, k = 800, mu = 0.3, f = mu * m * kGravity, P = 40, omega = std::sqrt(k / m);
  for (const Real beta : {0.7, 1.4}) {
    const Real period = 2 * kPi / (beta * omega);
    const scene::Scene scene = load(fmt::format(
        R"(title: A block in a guide that rubs, on a spring, driven
dimension: 2
time: {{step: {0:.17g}, end: {0:.17g}}}
scheme: {{name: event_driven, tolerance: 1e-11}}
bodies:
  - {{name: frame, fixed: true, collides: false, shape: {{disc: {{radius: 0.01}}}}, position: [-1, 0, 0]}}
  - {{name: block, mass: 2, inertia: 0.1, collides: false, shape: {{disc: {{radius: 0.05}}}}, position: [0.03, 0, 0]}}
joints:
  - {{name: guide, between: [frame, block], prismatic: {{at: [0.03, 0], axis: [1, 0]}}, friction: {{friction: {1:.17g}}}}}
forces:
  - {{name: spring, between: [frame, block], spring: {{stiffness: 800, rest_length: 1}}}}
  - {{name: shaker, between: [frame, block], pull: {{force: {{amplitude: 40, frequency: {2:.17g}, phase: 90 deg}}}}}}
)",
        period, mu, 1 / period));
    const sim::MachineOrbit machine(scene, period, 400, {});
    const sim::ReturnMap map = machine.map();
    ASSERT_EQ(map.dimension, 2);
    const auto orbit = sim::find_periodic_orbit(map, machine.settle(30), {.tolerance = 1e-9});
    ASSERT_EQ(orbit.status, sim::PeriodicOrbit::Status::found) << to_string(orbit.status);
    EXPECT_TRUE(orbit.is_stable());
    sim::Simulation simulation(machine.scene_from(orbit.state));
    Real farthest = 0;
    for (int step = 0; step < 400; ++step) {
      (void)simulation.step();
      farthest = std::max(farthest, std::abs(simulation.state().position[1].x()));
    }
    const Real V = 1 / (1 - beta * beta),
               U = std::sin(kPi / beta) / (beta * (1 + std::cos(kPi / beta)));
    const Real expected = P / k * std::sqrt(V * V - std::pow(f * U / P, 2));
    // The turn falls between two of 400 samples: X (π/400)²/2 is missed at most.
    EXPECT_NEAR(farthest, expected, 4e-5 * expected) << "β " << beta;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
