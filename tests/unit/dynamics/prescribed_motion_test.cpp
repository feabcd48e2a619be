#include <talus/dynamics/prescribed_motion.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

std::vector<model::MotionTerm> all_terms() {
  model::TabulatedMotion table;
  table.time = {0.5, 1, 2};
  table.angle = {0, 1, -2};
  table.displacement = {Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(0, -1, 0)};
  table.point = {0.2, 0.1, 0};
  return {model::ConstantRotation{Vec3(0, 0, -1), Vec3(0.3, -0.2, 0), 2},
          model::HarmonicRotation{Vec3(0, 0, 1), Vec3(-0.1, 0.4, 0), 0.7, 0.6, 0.3},
          model::HarmonicTranslation{Vec3(0.2, -0.1, 0), 1.3, 0.2},
          model::ConstantTwist{Vec3(0.3, 0.4, 0), Vec3(0, 0, 1.5)}, table};
}

// Velocities and accelerations of a motion of every kind of term are central differences of its
// pose, which is that of the law.
TEST(PrescribedMotion, DerivativesAndPlace) {
  constexpr Real h = 1e-4;
  for (const bool is_planar : {true, false}) {
    model::Motion law;
    law.terms = all_terms();
    law.rest = {Vec3(0.7, -0.4, 0), Quat(std::cos(0.15), 0, 0, std::sin(0.15))};
    if (!is_planar) {
      law.rest = {Vec3(0.7, -0.4, 0.2), Quat(0.5, 0.5, -0.5, 0.5)};
      law.terms.emplace_back(
          model::HarmonicRotation{Vec3(0, 0.6, 0.8), Vec3(1, 0, 2), 1.1, 0.4, 1});
      law.terms.emplace_back(model::ConstantTwist{Vec3(0, 0, 1), Vec3(1, -2, 0.5)});
      law.terms.emplace_back(model::ConstantRotation{Vec3(1, 0, 0), Vec3(0, 1, -1), 3});
    }
    for (const Real t : {0.1, 0.77, 1.4, 2.6}) {
      const auto at = [&](Real time) { return prescribed_motion(law.terms, law.rest, time); };
      const PrescribedMotion here = at(t), left = at(t - h), right = at(t + h);
      EXPECT_LT(((right.pose.p - left.pose.p) / (2 * h) - here.v).norm(), 1e-5);
      EXPECT_LT(((right.v - left.v) / (2 * h) - here.acceleration).norm(), 1e-4);
      const Vec3 turned = rotation_log(right.pose.q * left.pose.q.conjugate());
      EXPECT_LT((turned / (2 * h) - here.w).norm(), 1e-5);
      EXPECT_LT(((right.w - left.w) / (2 * h) - here.w_rate).norm(), 1e-4);
      const Pose pose = model::pose_at(law, t);
      EXPECT_LT((pose.p - here.pose.p).norm(), 1e-13);
      EXPECT_LT(rotation_log(pose.q.conjugate() * here.pose.q).norm(), 1e-13);
      if (!is_planar) continue;
      EXPECT_NEAR(std::sin(std::atan2(pose.q.z(), pose.q.w()) - 0.15 - here.turn / 2), 0, 1e-13);
    }
  }
}

// Corners of a motion are the entries of its tables; there the velocity is that to the right.
TEST(PrescribedMotion, CornersOfTables) {
  const std::vector<model::MotionTerm> terms = {all_terms().back()};
  EXPECT_EQ(next_kink(terms, 0), 0.5);
  EXPECT_EQ(next_kink(terms, 1), 2);
  EXPECT_TRUE(std::isinf(next_kink(terms, 2)));
  EXPECT_EQ(prescribed_motion(terms, Pose{}, 1).w.z(), -3);
  EXPECT_EQ(prescribed_motion(terms, Pose{}, 2).w.z(), 0);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
