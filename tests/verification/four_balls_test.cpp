#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// The law as printed: gaps are taken back by velocities.
stepping::SchemeOptions as_printed() {
  stepping::SchemeOptions options = test::options("stewart_trinkle", 1e-10);
  options.overlap = "velocity";
  return options;
}

struct FourBalls : test::World {
  FourBalls() : test::World(0.4, 0, Vec3(0, 0, -9.82)) {
    add_floor();
    const Real density = 1 / (4.0 / 3 * std::numbers::pi * 1e-3);  // mass 1 kg at radius 0.1 m
    for (const Vec3& centre :
         {Vec3(0, 0, 1), Vec3(1, 0, 0.1), Vec3(1.20001, 0, 0.1), Vec3(1.40002, 0, 0.1)})
      add(geometry::Sphere{0.1}, model::BodyKind::dynamic, centre, Quat::Identity(), density);
    state.velocity[1] = {1.5, 0.1, 0};
  }
};

// Stewart & Trinkle's four balls (Table I): the largest total variation of any of the 24 velocity
// components is 19.0862 at h = 0.0025 and 19.4046 at h = 0.02, energy never rises, and the balls
// meet when the paper says.
TEST(FourBalls, ReproducesThePrintedVariation) {
  for (const auto& [h, printed] : {std::pair(0.02, 19.4046), std::pair(0.0025, 19.0862)}) {
    FourBalls world;
    const auto scheme = make_scheme(world.model, as_printed());
    Eigen::Matrix<Real, 6, 4> variation = Eigen::Matrix<Real, 6, 4>::Zero();
    Real table = 0, line = 0;
    const auto steps = static_cast<int>(std::lround(1 / h));
    for (int k = 1; k <= steps; ++k) {
      const model::State before = world.state;
      const Real energy = world.energy();
      const auto report = scheme->step(world.state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      EXPECT_LE(world.energy(), energy + 1e-12);
      for (int i = 0; i < 4; ++i) {
        variation.col(i).head<3>() +=
            (world.state.velocity[i + 1] - before.velocity[i + 1]).cwiseAbs();
        variation.col(i).tail<3>() +=
            (world.state.angular_velocity[i + 1] - before.angular_velocity[i + 1]).cwiseAbs();
      }
      if (table == 0 && world.state.velocity[1].z() > before.velocity[1].z()) table = k * h;
      if (line == 0 && world.state.velocity[2].x() > 0) line = k * h;
    }
    EXPECT_NEAR(variation.maxCoeff(), printed, 5.1e-5) << "h = " << h;
    EXPECT_NEAR(table, 0.42, 0.01 + h);
    EXPECT_NEAR(line, 0.59, 0.01 + h);
  }
}

// At every step size each LCP is verified to 1e-10 (1 + ‖q‖) and its impulses lie in their polygons
// to 1e-12, the largest has 7 contacts and 70 unknowns and takes at most 70 pivots, and energy
// never rises.
TEST(FourBalls, EveryLcpIsSolved) {
  laws::LcpStatistics total;
  for (const Real h : {0.02, 0.01, 0.005, 0.0025, 0.00125}) {
    FourBalls world;
    const auto scheme = make_scheme(world.model, as_printed());
    for (int step = 0; step < std::lround(1 / h); ++step) {
      const Real energy = world.energy();
      const auto report = scheme->step(world.state, h);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      EXPECT_LE(world.energy(), energy + 1e-12);
      total.add(report.lcp);
    }
  }
  EXPECT_EQ(total.largest, 70);
  EXPECT_LE(total.most_pivots, 70);
  EXPECT_LE(total.residual, 1e-10);
  EXPECT_LE(total.cone_violation, 1e-12);
}

// The fixed point of section 3.6 works on the engine's bodies as on systems in coordinates: no
// penetration at the end of any step. With 2.5 ms a contact is open after step 251 whose friction
// is 1e-33 N s of rounding: it bears nothing, and its gap need not be zero.
TEST(FourBalls, FixedPointLeavesNoPenetration) {
  for (const Real h : {0.005, 0.0025}) {
    FourBalls world;
    auto options = as_printed();
    options.fixed_point = true;
    const auto scheme = make_scheme(world.model, options);
    for (int step = 0; step < std::lround(1 / h); ++step) {
      const Real energy = world.energy();
      const auto report = scheme->step(world.state, h);
      ASSERT_TRUE(report.is_certified()) << step << ": " << report.detail;
      EXPECT_TRUE(report.fixed_point.is_converged);
      EXPECT_LE(report.max_penetration, 1e-12);
      EXPECT_LE(world.energy(), energy + 1e-12);
    }
  }
}

// A step of the engine that fails (here: one pivot is not enough) is halved where that is asked
// for, and said so; where halving does not help it is taken whole.
TEST(FourBalls, FailingStepsAreHalvedAndReported) {
  FourBalls world;
  auto options = as_printed();
  options.solver.max_iterations = 1;
  options.max_halvings = 3;
  const auto scheme = make_scheme(world.model, options);
  const model::State before = world.state;
  const auto report = scheme->step(world.state, 0.0025);
  const std::uint64_t after = world.state.hash();
  EXPECT_EQ(report.status, problem::SolveStatus::max_iterations) << report.detail;
  EXPECT_NE(report.detail.find("halved 3 times"), std::string::npos) << report.detail;
  options.max_halvings = 0;
  world.state = before;
  EXPECT_FALSE(make_scheme(world.model, options)->step(world.state, 0.0025).is_certified());
  EXPECT_EQ(world.state.hash(), after);
  EXPECT_NE(world.state.hash(), before.hash());
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
