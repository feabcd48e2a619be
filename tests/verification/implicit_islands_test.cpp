#include <gtest/gtest.h>

#include <talus/math/rotation.hpp>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::make_scheme;

constexpr Real kHalf = 0.05, kStep = 2e-3;
constexpr Real kTouch = 1e-12;  // what touches, whatever rounding makes of gaps

Vec3 corner_to_centre(Real angle) {
  return {0, kHalf * (std::abs(std::cos(angle)) + std::abs(std::sin(angle))), 0};
}

/// A floor, and boxes that are thrown on it here and there, as many as `from` to `to` of them.
test::World thrown(int dimension, Index from, Index to) {
  test::World world(0.4, 0, Vec3(0, -9.81, 0));
  world.model.dimension = dimension;
  world.add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(),
            rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
  Random random(9);
  for (Index i = 0; i < to; ++i) {
    const Real angle = random.uniform(-1, 1), drop = random.uniform(0, 0.01);
    const Vec3 velocity(random.uniform(-0.5, 0.5), random.uniform(-1, 0), 0);
    const Real spin = random.uniform(-3, 3);
    if (i < from) continue;
    const Index box = world.add_box(
        Vec3::Constant(kHalf), corner_to_centre(angle) + Vec3(0.5 * static_cast<Real>(i), drop, 0),
        Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ())));
    world.state.velocity[box] = velocity;
    world.state.angular_velocity[box] = {0, 0, spin};
  }
  return world;
}

struct Case {
  const char* scheme;
  int dimension;
};

class ImplicitIslands : public testing::TestWithParam<Case> {};

// A body that touches the floor alone moves as if no other one were in the world: the LCP of the
// step is solved island by island. Not bit for bit: below which impulse a contact bears nothing is
// rounding of the largest of the step.
TEST_P(ImplicitIslands, MoveAsIfAlone) {
  const auto [name, dimension] = GetParam();
  constexpr Index kBoxes = 12;
  test::World all = thrown(dimension, 0, kBoxes);
  const auto scheme = make_scheme(all.model, test::options(name, 1e-8));
  for (int step = 0; step < 60; ++step) {
    const auto report = scheme->step(all.state, kStep);
    // At the level of velocities bodies sink in: such steps are not certified.
    EXPECT_TRUE(report.is_certified() || name == std::string("anitescu_potra")) << report.detail;
  }
  for (Index i = 0; i < kBoxes; ++i) {
    test::World one = thrown(dimension, i, i + 1);
    const auto alone = make_scheme(one.model, test::options(name, 1e-8));
    for (int step = 0; step < 60; ++step) (void)alone->step(one.state, kStep);
    const auto far = [&](const std::vector<Vec3>& here, const std::vector<Vec3>& there) {
      return (here[i + 1] - there[1]).norm();
    };
    EXPECT_LE(far(all.state.position, one.state.position), 1e-11) << i;
    EXPECT_LE(far(all.state.velocity, one.state.velocity), 1e-10) << i;
    EXPECT_LE(far(all.state.angular_velocity, one.state.angular_velocity), 1e-9) << i;
  }
}

// A thousand boxes and more that lie beside each other stay where they are, and every step is
// certified: m g h is the impulse of each.
TEST_P(ImplicitIslands, AreAsManyAsOneLikes) {
  const auto [name, dimension] = GetParam();
  test::World world(0.5, 0, Vec3(0, -9.81, 0));
  world.model.dimension = dimension;
  world.add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(),
            rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
  for (Index i = 0; i < 1100; ++i)
    world.add_box(Vec3::Constant(kHalf), {0.15 * static_cast<Real>(i), kHalf - kTouch, 0});
  const auto scheme = make_scheme(world.model, test::options(name, 1e-8));
  const model::State start = world.state;
  for (int step = 0; step < 2; ++step) {
    const auto report = scheme->step(world.state, kStep);
    EXPECT_TRUE(report.is_certified()) << report.detail;
  }
  Real impulse = 0, weight = 0, off = 0;
  for (const auto& contact : scheme->contacts()) impulse += std::abs(contact.impulse.y());
  for (Index i = 1; i < world.model.body_count(); ++i) {
    weight += 9.81 * world.model.bodies[i].mass * kStep;
    off = std::max(off, (world.state.position[i] - start.position[i]).norm());
  }
  EXPECT_NEAR(impulse, weight, 1e-9 * weight);
  EXPECT_LE(off, 2 * kTouch);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ImplicitIslands,
                         testing::Values(Case{"stewart_trinkle", 2}, Case{"stewart_trinkle", 3},
                                         Case{"anitescu_potra", 2}, Case{"anitescu_potra", 3},
                                         Case{"anitescu_potra_stabilised", 2},
                                         Case{"anitescu_potra_stabilised", 3}),
                         [](const auto& test) {
                           return std::string(test.param.scheme) +
                                  std::to_string(test.param.dimension);
                         });

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
