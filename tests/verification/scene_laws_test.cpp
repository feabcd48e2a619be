#include <gtest/gtest.h>

#include "support/bed.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::FrictionLaw;
using test::World;

stepping::SchemeOptions under(FrictionLaw law, Real tolerance) {
  stepping::SchemeOptions options = test::options("moreau_jean", tolerance);
  options.law = law;
  return options;
}

/// Steps a world; every step is certified under the law.
model::State run(const World& world, FrictionLaw law, Real h, int steps, Real tolerance = 1e-8) {
  const auto scheme = stepping::make_scheme(world.model, under(law, tolerance));
  model::State state = world.state;
  for (int k = 0; k < steps; ++k) {
    const stepping::StepReport report = scheme->step(state, h);
    EXPECT_TRUE(report.is_certified()) << to_string(law) << ", step " << k << ": " << report.detail
                                       << ", natural map " << report.certificate.natural_map;
    EXPECT_TRUE(report.certificate.meets(tolerance));
  }
  return state;
}

/// Boxes thrown on a floor and on each other.
World thrown_boxes() {
  World world(0.6);
  Random random(5);
  world.add_floor();
  for (int i = 0; i < 4; ++i) {
    const Index box = world.add_box({0.1, 0.06, 0.03}, {0.05 * i, 0.02 * i, 0.12 + 0.15 * i},
                                    test::random_rotation(random));
    world.state.velocity[box] = {1, 0.3 * i, -1};
    world.state.angular_velocity[box] = test::random_vector(random, 5);
  }
  return world;
}

// Between spheres maximum dissipation is Coulomb's law: a collapsing lattice has the same
// trajectory to the last bit.
TEST(SceneLaws, SpheresDoNotTellMaximumDissipationFromCoulomb) {
  const World world = test::lattice_bed(3, 3, 4, 1);
  const model::State a = run(world, FrictionLaw::coulomb, 1e-3, 150, 1e-6),
                     b = run(world, FrictionLaw::maximum_dissipation, 1e-3, 150, 1e-6);
  for (Index i = 0; i < a.body_count(); ++i) EXPECT_EQ(a.position[i], b.position[i]);
}

// Boxes do: every step of every law meets that law's certificate, and the trajectories part.
TEST(SceneLaws, BoxesUnderEveryLaw) {
  const World world = thrown_boxes();
  std::vector<model::State> ends;
  for (const FrictionLaw law : problem::kFrictionLaws) ends.push_back(run(world, law, 1e-3, 250));
  for (std::size_t i = 0; i < ends.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      Real apart = 0;
      for (Index body = 0; body < world.model.body_count(); ++body)
        apart = std::max(apart, (ends[i].position[body] - ends[k].position[body]).norm());
      EXPECT_GT(apart, 1e-4) << to_string(problem::kFrictionLaws[i]) << " and "
                             << to_string(problem::kFrictionLaws[k]);
    }
}

// Laws that the kernel of central contacts does not know: spheres then have general contacts.
TEST(SceneLaws, SpheresUnderTheOtherLaws) {
  const World world = test::lattice_bed(2, 2, 2, 2);
  for (const FrictionLaw law :
       {FrictionLaw::cone_complementarity, FrictionLaw::polyhedral, FrictionLaw::frictionless})
    run(world, law, 1e-3, 60, 1e-6);
}

// Under cone complementarity a block that slides at v lifts off: u_N + g/h = μ v in every step, so
// that its gap is h μ v. Under the other laws it stays on the floor.
TEST(SceneLaws, ConeComplementarityLiftsASlidingBlock) {
  constexpr Real mu = 0.3, h = 1e-3, half = 0.05;
  World world(mu);
  world.add_floor();
  // Set down on the floor it would be thrown up at μ v first.
  const Index block = world.add_box({0.5, 0.5, half}, {0, 0, half + h * mu * 2});
  world.state.velocity[block] = {2, 0, 0};
  const auto scheme =
      stepping::make_scheme(world.model, under(FrictionLaw::cone_complementarity, 1e-10));
  model::State state = world.state;
  for (int k = 0; k < 100; ++k) {
    const auto report = scheme->step(state, h);
    ASSERT_TRUE(report.is_certified()) << report.detail;
    const Real speed = state.velocity[block].x(), gap = state.position[block].z() - half;
    ASSERT_NEAR(gap, h * mu * speed, 1e-3 * h * mu * speed) << "step " << k;
  }
  const Real friction = mu * 9.81 * 100 * h;  // the deceleration is Coulomb's all the same
  EXPECT_NEAR(state.velocity[block].x(), 2 - friction, 0.01 * friction);
  world.state.position[block].z() = half;
  for (const FrictionLaw law : {FrictionLaw::coulomb, FrictionLaw::maximum_dissipation,
                                FrictionLaw::polyhedral, FrictionLaw::frictionless}) {
    const model::State end = run(world, law, h, 100);
    EXPECT_NEAR(end.position[block].z(), half, 1e-9) << to_string(law);
    // Maximum dissipation slips against d + e: a little across at each corner, so that it brakes
    // less.
    const Real slack = law == FrictionLaw::maximum_dissipation ? 1e-3 * friction : 1e-6;
    const Real expected = law == FrictionLaw::frictionless ? Real(2) : 2 - friction;
    EXPECT_NEAR(end.velocity[block].x(), expected, slack) << to_string(law);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
