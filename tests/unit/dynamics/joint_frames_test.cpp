#include <talus/dynamics/joint_frames.hpp>

#include <gtest/gtest.h>

#include "unit/dynamics/spatial_joints.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

constexpr Real kTurn = 2 * std::numbers::pi;

// Whole turns: the value nearest to another one, which may be on either side.
TEST(JointFrames, NearestTurn) {
  EXPECT_EQ(nearest_turn(0.5, 0), 0.5);
  EXPECT_NEAR(nearest_turn(0.5, 3 * kTurn), 0.5 + 3 * kTurn, 1e-14);
  EXPECT_NEAR(nearest_turn(-3.1, 3.2), kTurn - 3.1, 1e-14);
  EXPECT_NEAR(nearest_turn(3.1, -2 * kTurn - 3.1), 3.1 - 3 * kTurn, 1e-14);
}

// A point of a turning body has the centripetal acceleration −ω² r.
TEST(JointFrames, PointOfATurningBody) {
  const BodyMotion body{{1, 2, 3}, Mat3::Identity(), {0.5, 0, 0}, {0, 0, 2}};
  const FrameMotion point(body, Vec3(0.3, 0, 1));
  EXPECT_LT((point.p - Vec3(1.3, 2, 4)).norm(), 1e-15);
  EXPECT_LT((point.v - Vec3(0.5, 0.6, 0)).norm(), 1e-15);
  EXPECT_LT((point.acceleration - Vec3(-1.2, 0, 0)).norm(), 1e-15);
}

// Where a function has no direction it is finite and has no gradient, or that of a fixed direction.
TEST(JointFrames, SingularPositionsAreFinite) {
  BodyMotion A, B;
  B.w = {0.3, -0.2, 0.5};
  const JointFrames same(0, 1, {}, {}, A, B);
  const RowTerms length = distance(same);
  EXPECT_EQ(length.value, 0);
  EXPECT_EQ(length.row.b.head<3>(), Vec3(Vec3::UnitX()));
  const Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ();
  for (const RowTerms& terms :
       {angle_from_a(same, z, x, y), angle_from_b(same, z, x, y), elevation(same, z, z)}) {
    EXPECT_TRUE(std::isfinite(terms.value));
    EXPECT_EQ(terms.rate, 0);
    EXPECT_EQ(terms.drift, 0);
    EXPECT_TRUE(terms.row.b.isZero(0));
  }
}

// Sums and multiples of functions.
TEST(JointFrames, LinearCombinations) {
  talus::Random random(2);
  const test::TwoMotions motions(random);
  const JointFrames frames(0, 1, test::random_pose(random), test::random_pose(random),
                           motions.at_0[0], motions.at_0[1]);
  const RowTerms p = along(frames, frames.J_A.E.col(0)), r = distance(frames);
  const RowTerms sum = combined(p, r, -3), multiple = scaled(r, -3);
  EXPECT_EQ(sum.value, p.value + multiple.value);
  EXPECT_NEAR(sum.row.times(motions.velocity()), sum.rate, 1e-14);
  EXPECT_NEAR(sum.drift, p.drift + multiple.drift, 1e-14);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
