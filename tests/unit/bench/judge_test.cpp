#include "peers/judge.hpp"

#include <gtest/gtest.h>

#include "support/beds.hpp"

namespace talus::bench::TALUS_TEST_FILE {
namespace {

/// A step of a world by Talus, with the certificate that it had and what the judge says.
struct Judged {
  stepping::StepReport report;
  Verdict verdict;
};

Judged step_and_judge(const test::World& world, Index steps, Real share_of_impulse) {
  stepping::SchemeOptions options;
  options.solver.tolerance = 1e-4;
  options.solver.max_iterations = 5000;
  const auto scheme = stepping::make_scheme(world.model, options);
  model::State before = world.state, after = world.state;
  Judged judged;
  for (Index k = 0; k < steps; ++k) {
    before = after;
    judged.report = scheme->step(after, 1e-3);
  }
  std::vector<stepping::StepContact> contacts = scheme->contacts();
  for (stepping::StepContact& contact : contacts) contact.impulse *= share_of_impulse;
  Judge judge(world.model);
  judged.verdict =
      judge.judge(before, after, contacts, {options.error_reduction, options.slop}, 1e-3);
  return judged;
}

// The judge, who knows contacts, impulses and velocities only, comes to the certificate that Talus
// gives its own step: for spheres in a bed and for bricks in a wall.
TEST(Judge, AgreesWithTalusOnItsOwnSteps) {
  for (const test::World& world : {lattice_bed(200).world, toothed_wall(4, 4)}) {
    const Judged step = step_and_judge(world, 250, 1);
    ASSERT_TRUE(step.report.is_certified());
    const Real own = step.report.certificate.natural_map;
    EXPECT_LE(step.verdict.natural_map, own * (1 + 1e-6) + 1e-12);
    EXPECT_LE(step.verdict.equation_of_motion, 1e-6);
  }
}

// A ball at rest that is borne by nine tenths of its weight: with A = diag(1, 7/2, 7/2)/m and
// ρ = 3/tr A = 3m/8 the natural map is ρ 0.1 g h/(0.9 m g h) = 1/24, and the velocities do not
// follow from the impulses.
TEST(Judge, FindsImpulsesThatAreTooSmall) {
  test::World world(0.5);
  world.add_floor();
  world.add_sphere(0.01, {0, 0, 0.01});
  const Judged step = step_and_judge(world, 20, 0.9);
  EXPECT_NEAR(step.verdict.natural_map, 1.0 / 24, 1e-5);
  EXPECT_NEAR(step.verdict.worst_velocity, 0.1 * 9.81e-3, 1e-6);
  EXPECT_GE(step.verdict.equation_of_motion, 0.09);
}

// Penetration is that of the deepest pair, whatever the velocities.
TEST(Judge, MeasuresPenetration) {
  test::World world(0.5);
  world.add_floor();
  world.add_sphere(0.01, {0, 0, 0.01 - 2e-5});
  world.add_sphere(0.01, {0.02 - 7e-5, 0, 0.01});
  world.state.velocity[1] = {5, 0, 0};
  Judge judge(world.model);
  const Real depth = 0.02 - std::hypot(0.02 - 7e-5, 2e-5);
  EXPECT_NEAR(judge.penetration(world.state), depth, 1e-15);
}

}  // namespace
}  // namespace talus::bench::TALUS_TEST_FILE
