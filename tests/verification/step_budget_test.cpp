#include <gtest/gtest.h>

#include "support/world.hpp"

// What a step may cost where its problem is solved in rounds.

namespace talus::TALUS_TEST_FILE {
namespace {

/// Boxes, soft ones or rigid, that slide on each other, held by more friction than they slide with.
test::World sliding_stack(bool is_soft) {
  test::World world;
  world.model.laws[0].friction = {.coefficient = 0.3, .kind = model::CoulombFriction{0.6}};
  if (is_soft) world.model.laws[0].normal = model::HertzNormal{1e6, 1.5};
  world.add_floor();
  for (int k = 0; k < 4; ++k) {
    world.add_box(Vec3(0.2, 0.2, 0.05), Vec3(0.02 * k, 0, (is_soft ? 0.98 : 1) * (0.05 + 0.1 * k)));
    world.state.velocity[k + 1] = Vec3(0.3 * k, -0.1 * k, 0);
  }
  return world;
}

// However often a step linearises its laws, its solves together take no more iterations than a
// step may; where these do not suffice it is not certified.
TEST(StepBudget, RoundsOfFunctionsShareTheIterations) {
  for (Index most = 1; most <= 100; ++most) {
    test::World world = sliding_stack(true);
    stepping::SchemeOptions options = test::options("moreau_jean", 1e-10);
    options.solver.max_iterations = most;
    const auto report = make_scheme(world.model, options)->step(world.state, 1e-3);
    EXPECT_LE(report.iterations, most) << most;
    if (most == 1) {
      EXPECT_EQ(report.status, problem::SolveStatus::max_iterations);
    }
    EXPECT_EQ(report.is_certified(), report.status == problem::SolveStatus::converged);
  }
}

// A stop request ends the step, not one of its rounds.
TEST(StepBudget, AStopEndsTheRoundsOfFunctions) {
  test::World world = sliding_stack(false);
  stepping::SchemeOptions options = test::options("moreau_jean", 1e-10);
  Index polls = 0;
  options.solver.should_stop = [&] { return ++polls > 2; };
  const auto report = make_scheme(world.model, options)->step(world.state, 1e-3);
  EXPECT_EQ(report.status, problem::SolveStatus::interrupted);
  EXPECT_LE(polls, 10);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
