#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// Twenty cubes of 1 m, each shifted a little against the one below.
test::World stack() {
  test::World world(0.5);
  world.add_floor();
  for (int k = 0; k < 20; ++k)
    world.add_box(Vec3::Constant(0.5),
                  Vec3(0.025 * ((7 * k) % 5 - 2), 0.025 * ((3 * k) % 5 - 2), 0.5 + k));
  return world;
}

class StackAtRest : public testing::TestWithParam<Real> {};

// What rests creeps no more at a loose tolerance than at a tight one. An error of 1e-5 of the
// impulse at the bottom, 20 m g h, changes a cube's velocity by e = 2e-4 g h, and such kicks, of
// any direction, by n^(1/2) e in n steps: a way of at most n^(3/2) h e = 0.18 mm in 2000 steps. At
// 1e-4 alone it would be 0.7 mm, at 1e-2 3 mm. The step needs fewer than ten sweeps once all is
// quiet.
TEST_P(StackAtRest, DoesNotCreep) {
  constexpr int kSteps = 2000;
  constexpr Real h = 1e-3, kick = 20 * 1e-5 * 9.81 * h;
  test::World world = stack();
  const model::State start = world.state;
  const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", GetParam()));
  Index sweeps = 0;
  for (int k = 0; k < kSteps; ++k) {
    const stepping::StepReport report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified()) << "step " << k;
    if (k >= kSteps / 2) sweeps += report.iterations;
  }
  Real way = 0;
  for (Index i = 0; i < world.model.body_count(); ++i)
    way = std::max(way, (world.state.position[i] - start.position[i]).norm());
  EXPECT_LT(way, std::pow(kSteps, 1.5) * h * kick);
  EXPECT_LT(sweeps, 10 * kSteps / 2);
}

INSTANTIATE_TEST_SUITE_P(Tolerances, StackAtRest, testing::Values(1e-2, 1e-3, 1e-4));

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
