#include <gtest/gtest.h>

#include <talus/math/least_moment_point.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

// Forces through one point have no moment about it; to round-off of the distance it is found.
TEST(LeastMomentPoint, IsWhereLinesOfActionMeet) {
  const Vec3 meeting(3, -1e6, 20);
  LeastMomentPoint lines;
  for (const Vec3& force : {Vec3(1, 2, 3), Vec3(-4, 0.1, 0), Vec3(0, 0, 7)})
    lines.add(force, meeting.cross(force));
  EXPECT_LT((lines.point() - meeting).norm(), 1e-5);  // kNearest of 1e6 m, and rounding
  EXPECT_NEAR(lines.longest_arm(), 1e6, 100);
}

// Parallel lines have no such point: it is the nearest to the origin of those in their middle, and
// pure moments have no part in it.
TEST(LeastMomentPoint, OfParallelLinesIsInTheirMiddle) {
  LeastMomentPoint lines;
  EXPECT_TRUE(lines.is_empty());
  lines.add(Vec3::Zero(), Vec3(1, 2, 3));
  EXPECT_TRUE(lines.is_empty());
  EXPECT_EQ(lines.point(), Vec3(0, 0, 0));
  for (const Real x : {1.0, 2.0}) lines.add(Vec3(0, 0, 5), Vec3(x, 0, 0).cross(Vec3(0, 0, 5)));
  EXPECT_LT((lines.point() - Vec3(1.5, 0, 0)).norm(), 1e-11);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
