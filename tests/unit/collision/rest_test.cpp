#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/collision/contact_detector.hpp>

#include "places.hpp"

namespace talus::collision::TALUS_TEST_FILE {
namespace {

constexpr Real kMotion = 1e-9;  // [m] and [rad]; the boxes are about 1 m wide

Vec3 small_vector(Random& random) {
  const Real x = random.uniform(-kMotion, kMotion), y = random.uniform(-kMotion, kMotion);
  return {x, y, random.uniform(-kMotion, kMotion)};
}

// A box on a plane and a turned box upon it, moved by a nanometre and a nanoradian about rest in
// each of 1e5 updates of one detector: every update gives the same points by the same names. A
// point is at most 0.9 m from the centre of its box, which moves it by at most √3 (1 + 0.9) nm; a
// gap changes by at most twice that, and a position by that over the sine of the angle in which the
// edges cross there.
TEST(ContactDetector, RestingContactsStay) {
  const geometry::Shape floor = geometry::Plane{}, lower = geometry::Box{Vec3(0.5, 0.5, 0.5)},
                        upper = geometry::Box{Vec3(0.4, 0.3, 0.2)};
  const Real angle = 0.3;
  const Quat turned(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ()));
  const std::vector<Pose> rest = {{}, {{0, 0, 0.5}, Quat::Identity()}, {{0.1, 0.2, 1.2}, turned}};
  const std::vector<Real> margin(3, 1e-3), skin(3, 1e-2);
  ContactDetector detector({{&floor, {}, false}, {&lower, {}, true}, {&upper, {}, true}});
  std::vector<Contact> expected, found;
  detector.detect(Places(rest), margin, skin, expected);
  ASSERT_EQ(std::count_if(expected.begin(), expected.end(), [](const auto& c) { return c.b == 1; }),
            4);
  ASSERT_GE(expected.size(), 8U);

  Random random(3);
  std::vector<Pose> poses = rest;
  Real gap_change = 0, way = 0;
  for (int update = 0; update < 100000; ++update) {
    for (std::size_t i = 1; i < rest.size(); ++i) {
      const Vec3 half_turn = small_vector(random) / 2;
      poses[i].p = rest[i].p + small_vector(random);
      poses[i].q = (Quat(1, half_turn.x(), half_turn.y(), half_turn.z()) * rest[i].q).normalized();
    }
    detector.detect(Places(poses), margin, skin, found);
    ASSERT_EQ(found.size(), expected.size()) << "update " << update;
    for (std::size_t c = 0; c < found.size(); ++c) {
      ASSERT_EQ(found[c].a, expected[c].a) << "update " << update;
      ASSERT_EQ(found[c].b, expected[c].b) << "update " << update;
      ASSERT_EQ(found[c].feature, expected[c].feature) << "update " << update;
      gap_change = std::max(gap_change, std::abs(found[c].gap - expected[c].gap));
      way = std::max(way, (found[c].position - expected[c].position).norm());
    }
  }
  const Real bound = 2 * std::sqrt(3.0) * 1.9 * kMotion;
  EXPECT_LT(gap_change, bound);
  EXPECT_GT(gap_change, kMotion) << "the boxes did not move";
  EXPECT_LT(way, bound / std::sin(angle));
}

}  // namespace
}  // namespace talus::collision::TALUS_TEST_FILE
