#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <talus/dynamics/energy.hpp>

#include "support/world.hpp"

// Laws of worlds with periodic directions.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

const PeriodicCell kCell(Vec3(-0.3, 0.1, 0), Vec3(1.1, 0.9, 0));

/// Puts every body but the first at another of its images.
void scatter(World& world) {
  Random random(5);
  for (Index i = 1; i < world.model.body_count(); ++i) {
    const Vec3 turns(std::floor(random.uniform(-4, 5)), std::floor(random.uniform(-4, 5)), 0);
    world.state.position[i] += turns.cwiseProduct(world.model.cell.length());
  }
}

/// A floor, balls with friction, or balls and boxes without, in a layer one cell long: they fall on
/// each other and through the faces.
World layer(std::uint64_t seed, const Vec3& shift = Vec3::Zero()) {
  Random random(seed);
  const bool has_boxes = seed % 2 == 0;
  World world(has_boxes ? 0 : 0.4);
  world.model.cell = kCell;
  world.add_floor();
  for (int i = 0; i < 24; ++i) {
    const Vec3 place(kCell.low().x() + 0.275 * (i % 4) + random.uniform(-0.02, 0.02),
                     kCell.low().y() + 0.3 * (i / 4 % 3) + random.uniform(-0.02, 0.02),
                     0.13 + 0.3 * (i / 12));
    const Index body =
        has_boxes && i % 3 == 0
            ? world.add_box(Vec3(0.08, 0.07, 0.06), place + shift, test::random_rotation(random))
            : world.add_sphere(random.uniform(0.09, 0.12), place + shift);
    world.state.velocity[body] = test::random_vector(random, 1);
  }
  return world;
}

void run(World& world, const char* name, int steps, Real h = 2e-3, Real tolerance = 1e-11) {
  const auto scheme = make_scheme(world.model, test::options(name, tolerance));
  for (int k = 0; k < steps; ++k) {
    const auto report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified())
        << name << ", step " << k << ": " << report.detail << ' ' << report.certificate.natural_map;
  }
}

// A scene shifted by any vector along its periodic directions, and every body of it by whole
// lengths, moves as before, shifted: the faces are nowhere. What is compared is 10⁴ times as wide
// as the tolerance: errors grow in impacts.
TEST(Periodic, NobodySeesWhereTheFacesAre) {
  Random random(3);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Vec3 shift(random.uniform(-2, 2), random.uniform(-2, 2), 0);
    World here = layer(seed), there = layer(seed, shift);
    scatter(there);
    run(here, "moreau_jean", 80);
    run(there, "moreau_jean", 80);
    int left = 0;
    for (Index i = 0; i < here.model.body_count(); ++i) {
      const Vec3 moved = i == 0 ? Vec3(Vec3::Zero()) : shift;
      EXPECT_LT(kCell.nearest(here.state.position[i] + moved - there.state.position[i]).norm(),
                1e-7);
      EXPECT_LT((here.state.velocity[i] - there.state.velocity[i]).norm(), 1e-5);
      left += (kCell.wrap(here.state.position[i]) - here.state.position[i]).norm() > 1e-3 ? 1 : 0;
    }
    EXPECT_GT(left, 0) << "nobody went through a face";
  }
}

// The same for the implicit schemes, which share the detector.
TEST(Periodic, ImplicitSchemesDoNotSeeThemEither) {
  struct Case {
    const char* name;
    Real h;  // at velocity level, a body that gets into another by v h is seen then: short
  };
  for (const auto& [name, h] :
       {Case{"stewart_trinkle", 4e-3}, Case{"anitescu_potra_stabilised", 4e-3},
        Case{"anitescu_potra", 5e-4}}) {
    const Vec3 shift(0.47, -0.31, 0);
    World here = layer(1), there = layer(1, shift);
    scatter(there);
    const int steps = static_cast<int>(std::lround(0.1 / h));
    run(here, name, steps, h, 1e-9);
    run(there, name, steps, h, 1e-9);
    for (Index i = 1; i < here.model.body_count(); ++i)
      EXPECT_LT(kCell.nearest(here.state.position[i] + shift - there.state.position[i]).norm(),
                1e-6)
          << name;
  }
}

// A cell twice as long that holds everything twice behaves as the single cell, twice over.
TEST(Periodic, ADoubledCellHoldsTheSameTwice) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    World single = layer(seed), twice = layer(seed);
    const Vec3 step(kCell.length().x(), 0, 0);
    const Index count = single.model.body_count();
    twice.model.cell = PeriodicCell(kCell.low(), kCell.length() + step);
    for (Index i = 1; i < count; ++i) {
      const model::Body& body = single.model.bodies[i];
      const Index copy = twice.add(body.shape, body.kind, single.state.position[i] + step,
                                   single.state.orientation[i]);
      twice.state.velocity[copy] = single.state.velocity[i];
    }
    run(single, "moreau_jean", 80);
    run(twice, "moreau_jean", 80);
    for (Index i = 1; i < count; ++i) {
      EXPECT_LT((single.state.position[i] - twice.state.position[i]).norm(), 1e-7);
      EXPECT_LT((single.state.position[i] + step - twice.state.position[count + i - 1]).norm(),
                1e-7);
    }
  }
}

// Without walls nothing takes momentum away: in a cell periodic in all directions each of its
// components is conserved to round-off while balls and boxes collide across the faces.
TEST(Periodic, MomentumIsConserved) {
  Random random(8);
  World world(0.3, 0.6, Vec3::Zero());
  world.model.cell = PeriodicCell(Vec3(-0.5, -0.5, -0.5), Vec3::Ones());
  for (int i = 0; i < 64; ++i) {
    const Vec3 place(0.25 * (i % 4), 0.25 * (i / 4 % 4), 0.25 * (i / 16));
    const Index body =
        i % 4 == 3 ? world.add_box(Vec3(0.08, 0.07, 0.06), place) : world.add_sphere(0.1, place);
    world.state.velocity[body] = test::random_vector(random, 2);
  }
  const Vec3 before = dynamics::linear_momentum(world.model, world.state);
  const Real kinetic = world.energy();
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-6));
  Real scale = 0;
  for (const model::Body& body : world.model.bodies) scale += body.mass * 2;
  Index across = 0;
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
    for (const stepping::StepContact& contact : scheme->contacts())
      across +=
          !contact.impulse.isZero(0) &&
          (world.state.position[contact.body_a] - world.state.position[contact.body_b]).norm() >
              0.5;
  }
  EXPECT_GT(across, 50) << "hardly any impact across a face";
  EXPECT_LT(world.energy(), 0.8 * kinetic) << "hardly any impact at all";
  const Vec3 after = dynamics::linear_momentum(world.model, world.state);
  EXPECT_LT((after - before).norm(), 200 * 1e-15 * scale);
}

// Contacts keep their names and impulses through a face: a ball in the groove of three others, and
// a block on a sliding block, carried through it, need a single sweep in every step.
TEST(Periodic, WarmStartsGoThroughTheFaces) {
  World world;
  world.model.cell = PeriodicCell(Vec3(0, 0, 0), Vec3(2, 2, 0));
  const Vec3 velocity(1, 0, 0);
  for (int k = 0; k < 3; ++k) {
    const Real angle = 2 * std::numbers::pi * k / 3;
    const Index ball = world.add(geometry::Sphere{0.1}, model::BodyKind::kinematic,
                                 Vec3(1.6 + 0.12 * std::cos(angle), 1 + 0.12 * std::sin(angle), 1));
    world.state.velocity[ball] = velocity;
  }
  const Index carried = world.add_sphere(0.1, Vec3(1.6, 1, 1.161));
  world.add_floor();
  const Index lower = world.add_box(Vec3(0.15, 0.15, 0.05), Vec3(1.6, 1.5, 0.05));
  const Index upper = world.add_box(Vec3(0.1, 0.1, 0.05), Vec3(1.6, 1.5, 0.15));
  for (const Index body : {carried, lower, upper}) world.state.velocity[body] = velocity;
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-8));
  for (int k = 0; k < 800; ++k) {
    const auto report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified());
    Real weight = 0;
    for (const stepping::StepContact& contact : scheme->contacts())
      if (contact.body_b == carried || contact.body_a == carried)
        weight += (contact.body_b == carried ? 1 : -1) * contact.impulse.z();
    if (k < 100) continue;  // they come to rest
    ASSERT_NEAR(weight / (world.model.bodies[carried].mass * 9.81e-3), 1, 1e-6) << k;
    ASSERT_EQ(report.iterations, 1) << k;
  }
  EXPECT_GT(world.state.position[carried].x(), 2.3) << "all of them are through";
}

// A body that moves so far in a step that another image than the nearest might be met makes the
// step uncertified, with a reason; a slower one does not.
TEST(Periodic, TooLongAWayIsNotCertified) {
  for (const Real speed : {1.0, 400.0}) {
    World world(0, 0, Vec3::Zero());
    world.model.cell = PeriodicCell(Vec3::Zero(), Vec3(1, 0, 0));
    world.add_sphere(0.1, Vec3::Zero());
    world.add_sphere(0.1, Vec3(0.5, 0, 0));
    world.state.velocity[0] = Vec3(speed, 0, 0);
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-8));
    const auto report = scheme->step(world.state, 1e-3);
    EXPECT_EQ(report.is_certified(), speed == 1) << report.detail;
    if (speed > 1) {
      EXPECT_NE(report.detail.find("periodic cell is too short"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
