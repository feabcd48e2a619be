#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/model/motion.hpp>

namespace talus::model::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;

void expect_near(const Pose& a, const Pose& b, Real tolerance) {
  EXPECT_LE((a.p - b.p).norm(), tolerance) << a.p.transpose() << " – " << b.p.transpose();
  EXPECT_LE(a.q.angularDistance(b.q), tolerance);
}

// A turning body comes back to where it was after a whole number of turns, and is at the mirrored
// place after half a turn: about an axis through a point that is not the body's own.
TEST(Motion, TurnsAboutAnAxisThroughAPoint) {
  const Pose rest{Vec3(2, 1, 5), rotation_exp(Vec3(0.3, 0, 0))};
  const Motion motion{0, rest, {ConstantRotation{Vec3::UnitY(), Vec3(1, 7, 2), 2 * kPi / 3}}};
  expect_near(pose_at(motion, 0), rest, 0);
  expect_near(pose_at(motion, 3), rest, 1e-14);
  expect_near(pose_at(motion, 3000), rest, 1e-11);
  EXPECT_LE((pose_at(motion, 1.5).p - Vec3(0, 1, -1)).norm(), 1e-14);
  // A quarter of a turn about +y takes +z to +x.
  EXPECT_LE((pose_at(motion, 0.75).p - Vec3(1 + 3, 1, 2 - 1)).norm(), 1e-14);
}

// A shaken and a swung body are at their amplitude a quarter of a period after the phase 0.
TEST(Motion, ShakesAndSwings) {
  const Pose rest{Vec3(1, 0, 0), Quat::Identity()};
  const Motion shaken{0, rest, {HarmonicTranslation{Vec3(0, 0.2, 0.1), 5, kPi / 2}}};
  EXPECT_LE((pose_at(shaken, 0).p - Vec3(1, 0.2, 0.1)).norm(), 1e-15);
  EXPECT_LE((pose_at(shaken, 0.1).p - Vec3(1, -0.2, -0.1)).norm(), 1e-15);
  const Motion swung{0, rest, {HarmonicRotation{Vec3::UnitZ(), Vec3::Zero(), kPi / 6, 2, 0}}};
  expect_near(pose_at(swung, 0), rest, 0);
  EXPECT_LE((pose_at(swung, 0.125).p - Vec3(std::cos(kPi / 6), std::sin(kPi / 6), 0)).norm(),
            1e-15);
}

// A table is linear between its entries and constant outside; the turn comes before the
// displacement.
TEST(Motion, FollowsATable) {
  TabulatedMotion table;
  table.time = {1, 2, 4};
  table.displacement = {Vec3(0, 0, 0), Vec3(0, 0, 3), Vec3(0, 0, 2)};
  table.angle = {0, kPi / 2, kPi / 2};
  table.axis = Vec3::UnitX();
  const Motion motion{0, {Vec3(0, 1, 0), Quat::Identity()}, {table}};
  EXPECT_EQ(pose_at(motion, -5).p, Vec3(0, 1, 0));
  EXPECT_EQ(pose_at(motion, 1).p, Vec3(0, 1, 0));
  const Real half = std::sqrt(0.5);
  EXPECT_LE((pose_at(motion, 1.5).p - Vec3(0, half, half + 1.5)).norm(), 1e-15);
  EXPECT_LE((pose_at(motion, 3).p - Vec3(0, 0, 1 + 2.5)).norm(), 1e-15);
  EXPECT_LE((pose_at(motion, 99).p - Vec3(0, 0, 1 + 2)).norm(), 1e-15);
}

// Terms act one after another: a body that turns about an axis and is shaken is where the shaken
// turning body is, not where the turning shaken one is.
TEST(Motion, TermsActInOrder) {
  const Pose rest{Vec3(1, 0, 0), Quat::Identity()};
  const ConstantRotation turning{Vec3::UnitZ(), Vec3::Zero(), kPi};
  const HarmonicTranslation shaking{Vec3(0.5, 0, 0), 1, 0};
  EXPECT_LE((pose_at({0, rest, {turning, shaking}}, 0.25).p -
             Vec3(std::sqrt(0.5) + 0.5, std::sqrt(0.5), 0))
                .norm(),
            1e-15);
  EXPECT_LE((pose_at({0, rest, {shaking, turning}}, 0.25).p - 1.5 * Vec3(1, 1, 0) * std::sqrt(0.5))
                .norm(),
            1e-15);
}

// The twist between two poses takes one to the other: x + h v, exp(h ω) R; a shorter turn is taken
// where there are two.
TEST(Motion, TwistTakesOnePoseToTheOther) {
  const Pose from{Vec3(1, 2, 3), rotation_exp(Vec3(0.4, -2, 1))};
  for (const Real angle : {0.0, 1e-12, 1e-3, 1.0, 3.1}) {
    const Vec3 turn = angle * Vec3(2, -1, 2) / 3;
    const Pose to{Vec3(1, 2.5, 2), rotation_exp(turn) * from.q};
    const Twist twist = twist_between(from, to, 0.01);
    EXPECT_LE((twist.v - Vec3(0, 50, -100)).norm(), 1e-11);
    EXPECT_LE((twist.w - turn / 0.01).norm(), 1e-12) << angle;
    // The other quaternion of the same orientation gives the same.
    const Twist same = twist_between(from, {to.p, Quat(-to.q.coeffs())}, 0.01);
    EXPECT_LE((same.w - twist.w).norm(), 1e-12);
  }
  const Twist shorter = twist_between(from, {from.p, rotation_exp(Vec3(0, 0, 4)) * from.q}, 1);
  EXPECT_LE((shorter.w - Vec3(0, 0, 4 - 2 * kPi)).norm(), 1e-13);
}

}  // namespace
}  // namespace talus::model::TALUS_TEST_FILE
