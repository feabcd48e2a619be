#include <talus/geometry/ball_grid.hpp>

#include <gtest/gtest.h>

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

// There is room for a ball exactly where it keeps the gap from every other one, whatever the size
// of the cells and the place of the origin.
TEST(BallGrid, IsBruteForce) {
  struct Ball {
    Vec3 centre;
    Real radius;
  };
  Random random(1);
  const auto random_ball = [&](const Vec3& origin) {
    const Real x = random.uniform(-1, 1), y = random.uniform(-1, 1), z = random.uniform(-1, 1);
    return Ball{origin + Vec3(x, y, z), random.uniform(0.02, 0.2)};
  };
  for (const Real cell : {0.5, 0.45, 3.0})
    for (const Vec3& origin : {Vec3(0, 0, 0), Vec3(-1e5, 3, 7e4)}) {
      constexpr Real kGap = 0.05;
      BallGrid grid(cell, kGap);
      std::vector<Ball> balls;
      int refused = 0;
      for (int i = 0; i < 400; ++i) {
        const Ball ball = random_ball(origin);
        bool has_room = true;
        for (const Ball& other : balls) {
          const Real distance = ball.radius + other.radius + kGap;
          has_room &= (ball.centre - other.centre).squaredNorm() >= distance * distance;
        }
        ASSERT_EQ(grid.has_room(ball.centre, ball.radius), has_room) << cell << ", " << i;
        refused += has_room ? 0 : 1;
        if (i % 2 == 1 && !has_room) continue;
        grid.add(ball.centre, ball.radius);
        balls.push_back(ball);
      }
      EXPECT_GT(refused, 50);
      EXPECT_LT(refused, 390);
    }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
