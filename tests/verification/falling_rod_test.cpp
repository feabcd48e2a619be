#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/paper_rod.hpp"
#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::ImplicitOptions;
using stepping::LagrangianState;
using stepping::LagrangianStepper;

/// What the paper tells of the rod's fall.
struct Fall {
  Real first = 0, second = 0;  ///< ends of the steps in which the ends hit the table
  Real slide = 0;              ///< from the second impact until the slip is over
  Real x_end = 0, largest_spin = 0, rest = 0, largest_energy_rise = -1, penetration = 0;
  bool opens_again = false, is_certified = true;
  Real residual = 0, cone = 0;
};

Fall fall(const test::PaperRod& rod, Real h, ImplicitOptions options = {}, Real end = 0.65) {
  LagrangianStepper stepper(rod, options);
  LagrangianState state = test::PaperRod::start();
  Fall result;
  std::vector<bool> has_hit(2, false);
  const auto steps = std::lround(end / h);
  for (long step = 1; step <= steps; ++step) {
    const Real energy = stepper.energy(state), t = static_cast<Real>(step) * h;
    const auto report = stepper.step(state, h);
    result.is_certified = result.is_certified && report.is_certified();
    result.residual = std::max(result.residual, report.lcp.residual);
    result.cone = std::max(result.cone, report.lcp.cone_violation);
    result.penetration = std::max(result.penetration, report.penetration);
    result.largest_energy_rise =
        std::max(result.largest_energy_rise, stepper.energy(state) - energy);
    result.largest_spin = std::max(result.largest_spin, std::abs(state.v[2]));
    std::vector<bool> bears(2, false);
    for (const auto& impulse : stepper.contacts())
      bears[static_cast<std::size_t>(impulse.contact)] = impulse.normal > 0;
    for (std::size_t i = 0; i < 2; ++i) {
      if (bears[i] && !has_hit[i]) (result.first == 0 ? result.first : result.second) = t;
      has_hit[i] = has_hit[i] || bears[i];
      result.opens_again =
          result.opens_again || (has_hit[i] && rod.gap(static_cast<Index>(i), state.q) > 1e-3);
    }
    if (result.second > 0 && result.slide == 0 && std::abs(state.v[0]) < 1e-9)
      result.slide = t - result.second;
    if (result.rest == 0 && result.second > 0 && state.v.cwiseAbs().maxCoeff() < 1e-9)
      result.rest = t;
  }
  result.x_end = state.q[0];
  return result;
}

// Stewart & Trinkle's rod at the paper's step h = 0.0025: the ends hit the table in the steps
// (0.3825, 0.385] and (0.5475, 0.550], then it slides left for 0.020 s to x = −0.2303 and rests; no
// contact opens again; energy never rises; every LCP is solved to round-off.
TEST(FallingRod, FallsAsThePaperSays) {
  const Fall f = fall({}, 0.0025);
  EXPECT_TRUE(f.is_certified);
  EXPECT_NEAR(f.first, 0.385, 1e-9);
  EXPECT_NEAR(f.second, 0.550, 1e-9);
  EXPECT_NEAR(f.slide, 0.020, 0.0025 + 1e-9);
  EXPECT_NEAR(f.x_end, -0.2303, 0.0005);
  EXPECT_GE(f.largest_spin, 8.4);
  EXPECT_LE(f.largest_spin, 8.6);
  EXPECT_FALSE(f.opens_again);
  EXPECT_GT(f.rest, 0);
  EXPECT_LE(f.rest, 0.575 + 1e-9);
  EXPECT_LE(f.largest_energy_rise, 1e-12);
  EXPECT_LE(f.residual, 1e-10);
  EXPECT_LE(f.cone, 1e-12);
}

// The limit h → 0: t₁ = 0.3856, t₂ = 0.5473, slide 0.0189.
TEST(FallingRod, HasTheLimitOfSmallSteps) {
  const Fall f = fall({}, 2e-5, {}, 0.6);
  EXPECT_TRUE(f.is_certified);
  EXPECT_NEAR(f.first, 0.3856, 0.0003);
  EXPECT_NEAR(f.second, 0.5473, 0.0003);
  EXPECT_NEAR(f.slide, 0.0189, 0.0003);
}

// The fixed point of section 3.6 leaves no penetration: f(q') ≥ −1e-12 at the end of every step.
TEST(FallingRod, FixedPointLeavesNoPenetration) {
  ImplicitOptions options;
  options.fixed_point = true;
  for (const Real h : {0.005, 0.0025, 0.001}) {
    const Fall f = fall({}, h, options);
    EXPECT_TRUE(f.is_certified);
    EXPECT_LE(f.penetration, 1e-12) << "h = " << h;
    EXPECT_GT(fall({}, h).penetration, 1e-9) << "without it there is some";
  }
}

// Energy does not rise in any step for h ≤ 0.005, with one linearisation per step.
TEST(FallingRod, EnergyNeverRises) {
  for (const Real h : {0.005, 0.0025, 0.001, 0.0005})
    EXPECT_LE(fall({}, h).largest_energy_rise, 1e-12) << "h = " << h;
}

// Without the end radius in the lever arm of friction, as the paper prints d, the printed fall does
// not come out: a forgotten ρ shows.
TEST(FallingRod, DoesNotFallSoWithThePrintedLeverArm) {
  test::PaperRod rod;
  rod.has_end_radius_in_arm = false;
  const Fall f = fall(rod, 0.0025);
  EXPECT_GT(std::abs(f.second - 0.550), 0.01);
  EXPECT_GT(std::abs(f.slide - 0.020), 0.01);
}

/// The same rod as a planar body with a shape, under a scheme.
struct RodWorld : test::World {
  RodWorld() : test::World(0.6, 0, Vec3(0, -9.82, 0)) {
    model.dimension = 2;
    const Quat up = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
    add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(), up);
    add(geometry::Capsule{0.05, 0.25}, model::BodyKind::dynamic, Vec3(0, 1, 0),
        Quat(Eigen::AngleAxis<Real>(std::numbers::pi / 6, Vec3::UnitZ())));
    model.bodies[1].X_BS.q = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
    model.bodies[1].mass = 1;
    model.bodies[1].inertia = 0.002 * Mat3::Identity();
    state.angular_velocity[1].z() = 4;
  }
};

// A rod with round ends as a planar shape over a half-plane moves as the rod that is written down
// in coordinates, step by step to round-off: shapes and user's systems are the same to the stepper.
TEST(FallingRod, IsTheSameAsAPlanarShape) {
  RodWorld world;
  stepping::SchemeOptions options = test::options("stewart_trinkle", 1e-10);
  options.overlap = "velocity";
  const auto scheme = make_scheme(world.model, options);
  const test::PaperRod rod;
  LagrangianStepper stepper(rod, {});
  LagrangianState state = test::PaperRod::start();
  for (int step = 0; step < 260; ++step) {
    const auto report = scheme->step(world.state, 0.0025);
    ASSERT_TRUE(report.is_certified()) << report.detail;
    (void)stepper.step(state, 0.0025);
    ASSERT_NEAR(world.state.position[1].x(), state.q[0], 1e-10);
    ASSERT_NEAR(world.state.position[1].y(), state.q[1], 1e-10);
    ASSERT_NEAR(world.state.angular_velocity[1].z(), state.v[2], 1e-8);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
