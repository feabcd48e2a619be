#include <talus/dynamics/planar_motion.hpp>

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

// Velocity and acceleration of a motion of every kind of term are central differences of its place,
// and the place is that of the motion in space.
TEST(PlanarMotion, DerivativesAndPlace) {
  constexpr Real h = 1e-4;
  const std::vector<model::MotionTerm> terms = all_terms();
  const Vec3 rest(0.7, -0.4, 0.3);
  model::Motion in_space;
  in_space.rest = {Vec3(0.7, -0.4, 0), Quat(std::cos(0.15), 0, 0, std::sin(0.15))};
  in_space.terms = terms;
  for (const Real t : {0.1, 0.77, 1.4, 2.6}) {
    const PlanarMotion here = planar_motion(terms, rest, t);
    const PlanarMotion left = planar_motion(terms, rest, t - h);
    const PlanarMotion right = planar_motion(terms, rest, t + h);
    EXPECT_LT(((right.q - left.q) / (2 * h) - here.v).norm(), 1e-5);
    EXPECT_LT(((right.v - left.v) / (2 * h) - here.acceleration).norm(), 1e-4);
    const Pose pose = model::pose_at(in_space, t);
    EXPECT_LT((pose.p.head<2>() - here.q.head<2>()).norm(), 1e-13);
    EXPECT_NEAR(std::sin(std::atan2(pose.q.z(), pose.q.w()) - here.q[2] / 2), 0, 1e-13);
  }
}

// Corners of a motion are the entries of its tables; there the velocity is that to the right.
TEST(PlanarMotion, CornersOfTables) {
  const std::vector<model::MotionTerm> terms = {all_terms().back()};
  EXPECT_EQ(next_kink(terms, 0), 0.5);
  EXPECT_EQ(next_kink(terms, 1), 2);
  EXPECT_TRUE(std::isinf(next_kink(terms, 2)));
  EXPECT_EQ(planar_motion(terms, Vec3::Zero(), 1).v[2], -3);
  EXPECT_EQ(planar_motion(terms, Vec3::Zero(), 2).v[2], 0);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
