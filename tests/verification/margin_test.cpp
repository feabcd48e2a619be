#include <gtest/gtest.h>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// Signed distance of two balls.
Real gap(const test::World& world, Index a, Index b, Real radius) {
  return (world.state.position[b] - world.state.position[a]).norm() - 2 * radius;
}

// A ball that is struck within a step may fly farther than anybody foresaw, into a third ball that
// nobody looked for when the step began. The step is solved again with that contact: nobody passes
// through anybody, momentum is kept, and the step is certified. Frictionless inelastic impacts in a
// row end with one velocity.
TEST(Margin, StruckBodyMeetsThoseItWasNotExpectedToReach) {
  constexpr Real kRadius = 0.01, kSpeed = 100, kStep = 1e-3;  // 100 mm in a step
  for (const Real distance : {0.001, 0.004, 0.012}) {
    test::World world(0, 0, Vec3::Zero());
    std::vector<Index> balls;
    for (int k = 0; k < 4; ++k)
      balls.push_back(world.add_sphere(kRadius, Vec3(k * (2 * kRadius + distance), 0, 0)));
    world.state.velocity[balls[0]] = Vec3(kSpeed, 0, 0);
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
    const stepping::StepReport report = scheme->step(world.state, kStep);
    EXPECT_TRUE(report.is_certified()) << report.detail;
    EXPECT_GE(report.contact_count, 3) << "not all contacts were found";
    Real momentum = 0;
    for (const Index ball : balls) momentum += world.state.velocity[ball].x();
    EXPECT_NEAR(momentum, kSpeed, 1e-10 * kSpeed);
    for (std::size_t k = 0; k + 1 < balls.size(); ++k) {
      EXPECT_GT(world.state.position[balls[k + 1]].x(), world.state.position[balls[k]].x());
      EXPECT_GT(gap(world, balls[k], balls[k + 1], kRadius), -1e-9) << "distance " << distance;
    }
  }
}

// The same against a wall, and for boxes, whose contacts are found another way.
TEST(Margin, StruckBodyDoesNotPassThroughTheWall) {
  for (const bool are_boxes : {false, true}) {
    test::World world(0, 0, Vec3::Zero());
    const Real size = 0.01;
    const auto add = [&](Real height) {
      return are_boxes ? world.add_box(Vec3::Constant(size), Vec3(0, 0, height))
                       : world.add_sphere(size, Vec3(0, 0, height));
    };
    world.add_floor();
    const Index low = add(0.02), high = add(0.05);
    world.state.velocity[high] = Vec3(0, 0, -100);
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
    const stepping::StepReport report = scheme->step(world.state, 1e-3);
    EXPECT_TRUE(report.is_certified()) << report.detail;
    EXPECT_GT(world.state.position[low].z(), size - 1e-9);
    EXPECT_GT(world.state.position[high].z(), world.state.position[low].z() + 2 * size - 1e-9);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
