#include <gtest/gtest.h>

#include "support/bed.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

stepping::SchemeOptions sleeping(Real tolerance = 1e-4) {
  auto options = test::options("moreau_jean", tolerance);
  options.sleeping = true;
  return options;
}

/// Columns of five boxes of 10 cm on a floor, half a metre apart.
World columns(int count) {
  World world(0.6);
  world.add_floor();
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 5; ++k)
      world.add_box(Vec3::Constant(0.05), {0.5 * i, 0, 0.0501 + 0.1002 * k});
  return world;
}

bool is_still(const World& world, Index i) {
  return world.state.velocity[i].isZero(0) && world.state.angular_velocity[i].isZero(0);
}
bool is_all_still(const World& world) {
  for (Index i = 0; i < world.model.body_count(); ++i)
    if (!is_still(world, i)) return false;
  return true;
}
bool has_same_pose(const model::State& a, const model::State& b, Index i) {
  return a.position[i] == b.position[i] && a.orientation[i].coeffs() == b.orientation[i].coeffs();
}

void run(World& world, stepping::Scheme& scheme, int steps, Real h = 1e-3) {
  for (int k = 0; k < steps; ++k) {
    const auto report = scheme.step(world.state, h);
    ASSERT_TRUE(report.is_certified()) << k << ' ' << to_string(report.status);
  }
}

// Columns come to rest, fall asleep, and then lie still to the last bit, with certificate, contacts
// and weight as before; without sleeping they creep at the tolerance of the solver.
TEST(Sleeping, WhatRestsLiesStillToTheLastBit) {
  World world = columns(2), creeping = columns(2);
  const auto scheme = make_scheme(world.model, sleeping());
  const auto plain = make_scheme(creeping.model, test::options("moreau_jean", 1e-4));
  run(world, *scheme, 300);
  run(creeping, *plain, 300);
  ASSERT_TRUE(is_all_still(world));
  EXPECT_FALSE(is_all_still(creeping));
  const model::State rest = world.state;
  // Ten pairs of faces: four points each, up to eight where a box has turned a little.
  const auto count = static_cast<Index>(scheme->contacts().size());
  EXPECT_GE(count, 40);
  EXPECT_LE(count, 80);
  for (int k = 0; k < 100; ++k) {
    const auto report = scheme->step(world.state, 1e-3);
    EXPECT_TRUE(report.is_certified());
    EXPECT_GT(report.certificate.natural_map, 0) << "of what sleeps";
    EXPECT_LE(report.certificate.natural_map, 1e-4);
    EXPECT_EQ(report.contact_count, count);
    EXPECT_EQ(static_cast<Index>(scheme->contacts().size()), count);
    EXPECT_TRUE(scheme->contact(count - 1) && !scheme->contact(count));
  }
  for (Index i = 0; i < world.model.body_count(); ++i)
    EXPECT_TRUE(has_same_pose(world.state, rest, i)) << i;
  EXPECT_NEAR(test::support_over_weight(world, *scheme, 1e-3), 1, 1e-4);
}

// A ball wakes the column that it hits and no other; the answers stay certified, no energy appears,
// and in the end everything but the ball lies still again.
TEST(Sleeping, ABallWakesWhatItHits) {
  World world = columns(3);
  const Index ball = world.add_sphere(0.04, {0.5, -30, 30});
  const auto scheme = make_scheme(world.model, sleeping());
  run(world, *scheme, 400);
  world.state.position[ball] = {0.5, -0.6, 0.5};
  world.state.velocity[ball] = {0, 6, 0};
  world.state.angular_velocity[ball].setZero();
  for (Index i = 1; i <= 15; ++i) ASSERT_TRUE(is_still(world, i)) << i;
  const model::State before = world.state;
  Real energy = world.energy();
  Index most_moving = 0;
  for (int k = 0; k < 300; ++k) {
    const auto report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << k;
    EXPECT_LE(world.energy(), energy + 1e-6) << k;
    energy = world.energy();
    Index moving = 0;
    for (Index i = 1; i <= 15; ++i) moving += is_still(world, i) ? 0 : 1;
    most_moving = std::max(most_moving, moving);
  }
  EXPECT_EQ(most_moving, 5);
  for (Index i = 1; i <= 5; ++i) EXPECT_TRUE(has_same_pose(world.state, before, i)) << i;
  EXPECT_FALSE(has_same_pose(world.state, before, 10)) << "the box that was hit";
  for (Index i = 11; i <= 15; ++i) EXPECT_TRUE(has_same_pose(world.state, before, i)) << i;
  world.state.position[ball] = {0.5, -30, 30};  // it would roll for ever beside the boxes
  run(world, *scheme, 2000);
  for (Index i = 1; i <= 15; ++i) EXPECT_TRUE(is_still(world, i)) << i;
}

// The blow itself is that of bodies that were awake: from the same state, with and without
// sleeping, the first steps agree to the tolerance.
TEST(Sleeping, TheBlowIsTheSame) {
  World world = columns(1);
  const Index ball = world.add_sphere(0.04, {0, -3, 0.45});
  world.model.gravity.setZero();
  const auto scheme = make_scheme(world.model, sleeping(1e-8));
  run(world, *scheme, 10);
  ASSERT_TRUE(is_all_still(world));
  world.state.position[ball] = {0.01, -0.1, 0.42};
  world.state.velocity[ball] = {0, 3, 0};
  World other = world;
  other.model = world.model;
  const auto plain = make_scheme(other.model, test::options("moreau_jean", 1e-8));
  for (int k = 0; k < 40; ++k) {
    ASSERT_TRUE(scheme->step(world.state, 1e-3).is_certified());
    ASSERT_TRUE(plain->step(other.state, 1e-3).is_certified());
  }
  EXPECT_FALSE(is_still(world, 5)) << "it was hit";
  for (Index i = 0; i <= ball; ++i) {
    EXPECT_LT((world.state.position[i] - other.state.position[i]).norm(), 1e-7) << i;
    EXPECT_LT((world.state.velocity[i] - other.state.velocity[i]).norm(), 1e-5) << i;
  }
}

// A table that begins to move wakes what stands on it.
TEST(Sleeping, AMovingTableWakesItsLoad) {
  World world(0.6);
  const Index table =
      world.add(geometry::Box{{1, 1, 0.1}}, model::BodyKind::kinematic, {0, 0, -0.1});
  const Index load = world.add_box(Vec3::Constant(0.05), {0, 0, 0.05});
  world.add(geometry::Plane{}, model::BodyKind::fixed, {0, 0, -5});
  const Index away = world.add_box(Vec3::Constant(0.05), {3, 0, -4.95});
  const auto scheme = make_scheme(world.model, sleeping());
  run(world, *scheme, 200);
  ASSERT_TRUE(is_all_still(world));
  world.state.velocity[table] = {0.1, 0, 0};
  const model::State before = world.state;
  run(world, *scheme, 100);
  EXPECT_NEAR(world.state.velocity[load].x(), 0.1, 1e-3);
  EXPECT_TRUE(has_same_pose(world.state, before, away));
  world.state.velocity[table].setZero();
  run(world, *scheme, 200);
  EXPECT_TRUE(is_all_still(world));
}

// A body that somebody lifts falls, and what stood on it too; with another step size all are awake
// for a while, and sleep again.
TEST(Sleeping, OthersMayMoveWhatSleeps) {
  World world = columns(2);
  const auto scheme = make_scheme(world.model, sleeping());
  run(world, *scheme, 300);
  ASSERT_TRUE(is_all_still(world));
  world.state.position[5].z() += 0.02;  // the uppermost of the first column
  const Real lifted = world.state.position[5].z();
  run(world, *scheme, 100);
  EXPECT_NEAR(world.state.position[5].z(), lifted - 0.02, 1e-4);
  run(world, *scheme, 300);
  ASSERT_TRUE(is_all_still(world));
  const std::size_t count = scheme->contacts().size();
  const auto report = scheme->step(world.state, 5e-4);
  ASSERT_TRUE(report.is_certified());
  EXPECT_LE(report.iterations, 3) << "woken contacts have the impulses that they fell asleep with";
  EXPECT_EQ(scheme->contacts().size(), count);
  run(world, *scheme, 600, 5e-4);
  EXPECT_TRUE(is_all_still(world));
  EXPECT_NEAR(test::support_over_weight(world, *scheme, 5e-4), 1, 1e-4);
}

// What loses its support falls: a box that vanishes under a sleeping column wakes it.
TEST(Sleeping, AColumnFallsWhenABoxVanishes) {
  World world = columns(2);
  world.state.presence.assign(world.model.bodies.size(), model::Presence::present);
  const auto scheme = make_scheme(world.model, sleeping());
  run(world, *scheme, 300);
  ASSERT_TRUE(is_all_still(world));
  const model::State before = world.state;
  world.state.presence[1] = model::Presence::removed;
  run(world, *scheme, 400);
  for (Index i = 2; i <= 5; ++i)
    EXPECT_NEAR(world.state.position[i].z(), before.position[i].z() - 0.1, 1e-3) << i;
  for (Index i = 6; i <= 10; ++i) EXPECT_TRUE(has_same_pose(world.state, before, i)) << i;
}

// A bed of balls that a drag brings to rest sleeps too, and carries its weight asleep.
TEST(Sleeping, ABedSleeps) {
  World world = test::lattice_bed(5, 5, 4, 3);
  world.model.linear_damping = world.model.angular_damping = 20;
  const auto scheme = make_scheme(world.model, sleeping());
  run(world, *scheme, 1000);  // it falls
  Index sleeping = 0;         // bodies may lie still in a step, and not in the next one
  for (int k = 0; k < 6000 && sleeping < 100; ++k) {
    const auto report = scheme->step(world.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << k;
    sleeping = report.sleeping;
  }
  ASSERT_EQ(sleeping, 100);
  ASSERT_TRUE(is_all_still(world));
  const model::State rest = world.state;
  run(world, *scheme, 200);
  for (Index i = 0; i < world.model.body_count(); ++i)
    EXPECT_TRUE(has_same_pose(world.state, rest, i)) << i;
  EXPECT_NEAR(test::support_over_weight(world, *scheme, 1e-3), 1, 1e-3);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
