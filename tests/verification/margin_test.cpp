#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// Two balls at any speed meet in a step or pass each other as their straight ways say: the ones
// that pass keep every bit of their velocities (they changed by up to 57 %), the ones that meet do
// not go through each other.
TEST(Balls, PassOrMeetAsTheirWaysSay) {
  Index passed = 0, met = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    test::World world(random.uniform(0, 1), random.uniform(0, 1), Vec3::Zero());
    const Index a = world.add_sphere(random.uniform(0.05, 0.2), Vec3::Zero());
    const Index b = world.add_sphere(random.uniform(0.05, 0.2), test::random_vector(random, 0.5));
    const Real radii = std::get<geometry::Sphere>(world.model.bodies[a].shape).radius +
                       std::get<geometry::Sphere>(world.model.bodies[b].shape).radius;
    const Vec3 apart = world.state.position[b];
    if (apart.norm() < radii) continue;
    const Real speed = std::pow(10, random.uniform(0, 4));
    world.state.velocity[a] = test::random_vector(random, 1);
    world.state.velocity[b] = world.state.velocity[a] + speed * test::random_vector(random, 1);
    const Vec3 velocity = world.state.velocity[b],
               way = 1e-3 * (velocity - world.state.velocity[a]);
    const Real time = std::clamp(-apart.dot(way) / way.squaredNorm(), 0.0, 1.0);
    const Real distance = (apart + time * way).norm();
    if (std::abs(distance - radii) < 1e-9) continue;
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-10));
    ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
    if (distance > radii) {
      passed += apart.dot(way) < 0 && apart.norm() - radii < way.norm() ? 1 : 0;
      EXPECT_EQ(world.state.velocity[b], velocity);
    } else {
      ++met;
      EXPECT_NE(world.state.velocity[b], velocity);
      const Vec3 now = world.state.position[b] - world.state.position[a];
      EXPECT_GE(now.norm(), radii * (1 - 1e-9));
      EXPECT_GT(now.dot(apart), 0) << "not on the other side";
    }
  }
  EXPECT_GT(passed, 50);
  EXPECT_GT(met, 50);
}

// A ball that would pass and is turned by another one within the step does not go through the one
// that it would have passed.
TEST(Balls, MeetWhereAnotherImpactTurnsThem) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    test::World world(0.3, 0, Vec3::Zero());
    for (int i = 0; i < 12; ++i) {
      world.add_sphere(0.1, {0.25 * (i % 3), 0.25 * (i / 3 % 2), 0.25 * Real(i / 6)});
      world.state.velocity.back() =
          std::pow(10, random.uniform(0, 3)) * test::random_vector(random, 1);
    }
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
    for (int k = 0; k < 3; ++k) {
      const auto report = scheme->step(world.state, 1e-3);
      ASSERT_TRUE(report.is_certified()) << report.detail;
      for (Index i = 0; i < 12; ++i)
        for (Index j = 0; j < i; ++j)
          ASSERT_GE((world.state.position[i] - world.state.position[j]).norm(), 0.2 * (1 - 1e-6));
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
