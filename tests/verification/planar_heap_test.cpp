#include <gtest/gtest.h>

#include <numeric>

#include "support/world.hpp"

// Planar scenes of many bodies: what is far apart costs nothing, and one island is one problem
// however many contacts it has.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kStep = 1e-3, kGravity = 9.81, kRadius = 0.05;

struct Planar : test::World {
  explicit Planar(Real friction, Real gravity = kGravity)
      : World(friction, 0, Vec3(0, -gravity, 0)) {
    model.dimension = 2;
  }
  Index add_half_plane() { return add_floor(rotation_between(Vec3::UnitZ(), Vec3::UnitY())); }
  /// Rows of discs that touch: as many as `rows` in the lowest one, each row one less.
  void add_pyramid(Index rows, Real x) {
    for (Index row = 0; row < rows; ++row)
      for (Index i = 0; i < rows - row; ++i)
        add_sphere(kRadius, {x + kRadius * static_cast<Real>(2 * i + row),
                             kRadius * (1 + std::sqrt(Real(3)) * static_cast<Real>(row)), 0});
  }
};

// What touches nothing goes straight on: after n steps of h a free body is n h v farther, of ten
// thousand each. (All pairs would be 4·10⁸ contacts.)
TEST(PlanarHeap, TenThousandBoxesApartGoStraight) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    Planar world(0.5, 0);
    Random random(3);
    for (int i = 0; i < 100; ++i)
      for (int j = 0; j < 100; ++j) {
        const Index box = world.add_box({0.05, 0.05, 0.05}, {0.2 * i, 0.2 * j, 0});
        world.state.velocity[box] = {random.uniform(-1, 1), random.uniform(-1, 1), 0};
        world.state.angular_velocity[box] = {0, 0, random.uniform(-1, 1)};
      }
    const model::State start = world.state;
    const auto stepper = stepping::make_scheme(world.model, test::options(scheme, 1e-6));
    for (int k = 0; k < 3; ++k) {
      const stepping::StepReport report = stepper->step(world.state, kStep);
      ASSERT_TRUE(report.is_certified()) << scheme << ": " << report.detail;
      EXPECT_EQ(report.contact_count, 0);
    }
    Real off = 0;
    for (Index i = 0; i < world.model.body_count(); ++i)
      off = std::max(
          off,
          (world.state.position[i] - start.position[i] - 3 * kStep * start.velocity[i]).norm());
    EXPECT_LT(off, 1e-13) << scheme;
  }
}

// What acts between discs changes no momentum of a heap: in every step that of the floor's impulses
// less h times the weight. A pyramid of 210 discs that gives way at its feet is one island of up to
// 590 contacts.
TEST(PlanarHeap, TheFloorAndTheWeightMoveAPyramid) {
  constexpr Index kRows = 20;
  Planar world(0.3);
  const Index floor = world.add_half_plane();
  world.add_pyramid(kRows, 0);
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (Index i = 0; i < world.model.body_count(); ++i)
      if (i != floor) sum += world.model.bodies[i].mass * world.state.velocity[i];
    return sum;
  };
  const auto stepper = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-6));
  Real weight = 0;
  for (Index i = 0; i < world.model.body_count(); ++i)
    if (i != floor) weight += world.model.bodies[i].mass * kGravity;
  for (int k = 0; k < 3; ++k) {
    const Vec3 before = momentum();
    const stepping::StepReport report = stepper->step(world.state, kStep);
    ASSERT_TRUE(report.is_certified()) << report.detail;
    EXPECT_GT(report.contact_count, 300);  // those that bear, at least
    Vec3 borne(0, -weight * kStep, 0);
    for (const stepping::StepContact& contact : stepper->contacts())
      if (contact.body_a == floor) borne += contact.impulse;
    EXPECT_LT((momentum() - before - borne).norm() / (weight * kStep), 1e-12) << "step " << k;
    EXPECT_GT(borne.y(), -0.1 * weight * kStep);  // nine tenths of the weight rest
  }
}

// Islands do not know of each other: a pyramid moves bit for bit as without the ninety others far
// beside it, some of which are struck.
TEST(PlanarHeap, OtherIslandsChangeNoBit) {
  const auto run = [](int others) {
    Planar world(0.4);
    world.add_half_plane();
    world.add_pyramid(4, 0);
    world.model.bodies[1].shape = geometry::Box{Vec3::Constant(kRadius)};  // no grains alone
    world.state.velocity[4] = {0.5, -0.2, 0};
    for (int k = 0; k < others; ++k) {
      world.add_pyramid(3, 5 + 0.5 * k);
      world.state.velocity[world.model.body_count() - 1] = {0.1 * k, -0.3, 0};
    }
    const auto stepper = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-6));
    for (int k = 0; k < 20; ++k)
      EXPECT_TRUE(stepper->step(world.state, kStep).is_certified()) << others;
    return world.state;
  };
  const model::State alone = run(0), among = run(90);
  for (Index i = 1; i <= 10; ++i) {
    EXPECT_EQ(alone.position[i], among.position[i]) << i;
    EXPECT_EQ(alone.velocity[i], among.velocity[i]) << i;
    EXPECT_EQ(alone.angular_velocity[i], among.angular_velocity[i]) << i;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
