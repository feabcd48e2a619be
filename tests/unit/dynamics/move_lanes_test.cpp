#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/dynamics/detail/move_lanes.hpp>
#include <talus/math/rotation.hpp>
#include <talus/math/small_turn.hpp>
#include <talus/problem/rigid_contact.hpp>

#include "support/random_blocks.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real h = 1e-3;

/// Balls before a step and after it, as they are moved alone and in lanes.
struct Balls {
  std::vector<problem::BodyVelocity> solved;
  std::vector<Real> length;
  std::vector<Vec3> position, next_position, next_velocity, next_spin;
  std::vector<Quat> orientation, next_orientation;

  explicit Balls(int count) {
    Random random(3);
    for (int i = 0; i < count; ++i) {
      length.push_back(random.uniform(0.01, 2));
      const Vec3 axis = test::random_vector<3>(random).normalized();
      const Real angle2 = i == 0 ? 0 : kSmallTurn2 * std::pow(10, -0.3 * i);
      const Vec3 w = (1 - 1e-9) * std::sqrt(angle2) / h * axis;
      solved.push_back({test::random_vector<3>(random), 2, length[i] * w, 3});
      position.push_back(test::random_vector<3>(random));
      orientation.push_back(rotation_exp(3 * test::random_vector<3>(random)));
    }
  }
  bool move(Simd simd, int first, int count) {
    next_position = next_velocity = next_spin = std::vector<Vec3>(solved.size(), Vec3::Zero());
    next_orientation.assign(solved.size(), Quat::Identity());
    return dynamics::detail::move_balls(simd)(
        {solved[0].v.data(), length.data(), position[0].data(), orientation[0].coeffs().data(), h,
         next_position[0].data(), next_orientation[0].coeffs().data(), next_velocity[0].data(),
         next_spin[0].data()},
        first, count);
  }
};

// x' = x + h v and q' = exp(h ω/2) q of many balls at once are those of each alone, to the last
// bit, with every instruction set: as fast as the series reach, more slowly, without a spin, for
// any number of balls. Others are left alone.
TEST(MoveLanes, BallsMoveAsIfTheyWereAlone) {
  for (const Simd simd : simd_levels())
    for (const int count : {1, 5, 8, 19}) {
      Balls balls(count + 3);
      ASSERT_TRUE(balls.move(simd, 1, count)) << name(simd);
      for (int i = 1; i <= count; ++i) {
        const Vec3 &v = balls.solved[i].v, w = balls.solved[i].s / balls.length[i];
        EXPECT_EQ(balls.next_velocity[i], v) << name(simd) << ' ' << i;
        EXPECT_EQ(balls.next_spin[i], w) << name(simd) << ' ' << i;
        EXPECT_EQ(balls.next_position[i], balls.position[i] + h * v) << name(simd) << ' ' << i;
        EXPECT_EQ(balls.next_orientation[i].coeffs(),
                  integrate_rotation(balls.orientation[i], w, h).coeffs())
            << name(simd) << ' ' << i;
      }
      for (const int i : {0, count + 1, count + 2}) EXPECT_TRUE(balls.next_velocity[i].isZero(0));
    }
}

// A ball that neither moves nor turns keeps every bit of its pose, also where the square of its
// quaternion is not 1 to the last bit; one that only moves is turned by no angle.
TEST(MoveLanes, BallsAtRestKeepTheirPoses) {
  for (const Simd simd : simd_levels()) {
    Balls balls(9);
    for (int i = 0; i < 9; ++i) balls.solved[i].s.setZero();
    balls.solved[4].v.setZero();
    balls.position[4].x() = -0.0;
    for (Quat& q : balls.orientation) q.coeffs() *= 1 + 1e-12;
    ASSERT_TRUE(balls.move(simd, 0, 9)) << name(simd);
    EXPECT_EQ(balls.next_position[4], balls.position[4]) << name(simd);
    EXPECT_TRUE(std::signbit(balls.next_position[4].x())) << name(simd);
    EXPECT_EQ(balls.next_orientation[4].coeffs(), balls.orientation[4].coeffs()) << name(simd);
    EXPECT_NE(balls.next_orientation[3].coeffs(), balls.orientation[3].coeffs()) << name(simd);
  }
}

// Where one of them turns too far for the series, or a number is not finite, that is said.
TEST(MoveLanes, WhatIsNotForLanesIsSaid) {
  constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
  for (const Simd simd : simd_levels())
    for (const int which : {0, 10}) {
      Balls fast(11), lost(11), whirling(11);
      fast.solved[which].s =
          1.001 * std::sqrt(kSmallTurn2) / h * fast.length[which] * Vec3::UnitY();
      lost.solved[which].v.z() = kNaN;
      whirling.solved[which].s.x() = kNaN;
      EXPECT_FALSE(fast.move(simd, 0, 11)) << name(simd);
      EXPECT_FALSE(lost.move(simd, 0, 11)) << name(simd);
      EXPECT_FALSE(whirling.move(simd, 0, 11)) << name(simd);
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
