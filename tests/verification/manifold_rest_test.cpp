#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// Steps a world that is at rest and compares each step's contacts with those of the first, and
/// the last pose of every body with its first.
void expect_rest(World world, std::size_t contact_count) {
  const std::vector<Vec3> position = world.state.position;
  const std::vector<Quat> orientation = world.state.orientation;
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-12));
  std::vector<stepping::StepContact> first;
  Real drift = 0;
  for (int step = 1; step <= 100000; ++step) {
    const stepping::StepReport report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << "step " << step << ' ' << to_string(report.status) << ' '
                                       << report.certificate.natural_map;
    const std::vector<stepping::StepContact>& contacts = scheme->contacts();
    if (step == 1) first = contacts;
    ASSERT_EQ(contacts.size(), contact_count) << "step " << step;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      ASSERT_EQ(contacts[c].body_a, first[c].body_a) << "step " << step;
      ASSERT_EQ(contacts[c].body_b, first[c].body_b) << "step " << step;
      ASSERT_EQ(contacts[c].feature, first[c].feature) << "step " << step;
    }
    for (std::size_t i = 0; i < position.size(); ++i)
      drift =
          std::max({drift, (world.state.position[i] - position[i]).norm(),
                    2 * (world.state.orientation[i] * orientation[i].conjugate()).vec().norm()});
  }
  EXPECT_LE(drift, 1e-12);
}

/// A floor that falls by 0.2 rad, and boxes whose centres and turns are given as seen from it.
/// Friction holds them, and all their numbers are rounded.
struct Incline : World {
  Incline() : World(0.5) { add_floor(slope()); }
  void add_turned(const Vec3& half_size, const Vec3& centre, Real angle) {
    add_box(half_size, slope() * centre,
            slope() * Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ())));
  }
  static Quat slope() { return Quat(Eigen::AngleAxis<Real>(0.2, Vec3(1, 2, 0).normalized())); }
};

// A box at rest on a plane stays: through 1e5 steps the same four contacts by the same names, and
// no drift (band M3).
TEST(ManifoldRest, BoxOnPlane) {
  Incline world;
  world.add_turned(Vec3(0.5, 0.4, 0.3), {0.1, 0.2, 0.3}, 0.3);
  expect_rest(world, 4);
}

// A box at rest on a box stays likewise, whether their edges are parallel or cross, also where the
// upper one sticks out.
TEST(ManifoldRest, BoxOnBox) {
  for (const auto& [angle, contact_count] : {std::pair(0.3, 8U), std::pair(1.0, 10U)}) {
    Incline world;
    world.add_turned(Vec3(0.5, 0.5, 0.3), {0.1, 0.2, 0.3}, 0.3);
    world.add_turned(Vec3(0.4, 0.3, 0.2), {0.3, 0.3, 0.8}, angle);
    expect_rest(world, contact_count);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
