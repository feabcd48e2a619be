#include <gtest/gtest.h>

#include <cmath>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

// Inelastic scenes (e = 0) never gain energy in a step of Moreau–Jean, whatever falls on whatever
// with whatever friction. The bound is the certificate's: an error of 1e-9 of the impulses does
// work of about 1e-9 of the energy. (Stewart–Trinkle stepping linearises positions at the predictor
// and has no such theorem for curved gaps; four_balls_test has its case.)
TEST(Energy, NeverRisesWithoutRestitution) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Real friction = random.uniform(0, 0.7);
    World world(friction);
    world.add_floor();
    for (int i = 0; i < 4; ++i) {
      const Vec3 position(random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05),
                          0.25 + 0.45 * i);
      const bool is_box = i % 2 == 0;
      const Index body =
          is_box ? world.add_box(Vec3(random.uniform(0.05, 0.15), random.uniform(0.05, 0.15), 0.08),
                                 position, test::random_rotation(random))
                 : world.add_sphere(random.uniform(0.05, 0.15), position);
      world.state.angular_velocity[body] = test::random_vector(random, 3);
    }
    // θ = 1 and no error reduction: what is proven is the scheme's inequality, not a correction's
    auto options = test::options("moreau_jean", 1e-9);
    options.error_reduction = 0;
    options.max_halvings = 6;  // of a step that ends with an overlap of more than 1 %
    const auto scheme = make_scheme(world.model, options);
    const Real scale = std::abs(world.energy());
    for (int k = 0; k < 300; ++k) {
      const Real before = world.energy();
      const auto report = scheme->step(world.state, 2e-3);
      ASSERT_TRUE(report.is_certified()) << "step " << k << ' ' << report.detail;
      ASSERT_LE(world.energy() - before, 1e-8 * scale) << "step " << k;
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
