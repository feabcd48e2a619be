#include <gtest/gtest.h>

#include <numbers>

#include "support/world.hpp"

#include <talus/stepping/planar_grains.hpp>

// Grains in the plane are bodies in space whose contacts lie in it: one engine steps both.

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::are_planar_grains;
using stepping::return_to_plane;

constexpr Real kStep = 1e-3, kRadius = 0.05;

struct Grains : test::World {
  explicit Grains(int dimension, Real friction = 0.4) : World(friction, 0, Vec3(0, -9.81, 0)) {
    model.dimension = dimension;
    add_floor(rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
  }
  void add_pyramid(Index rows) {
    for (Index row = 0; row < rows; ++row)
      for (Index i = 0; i < rows - row; ++i)
        add_sphere(kRadius, {kRadius * static_cast<Real>(2 * i + row),
                             kRadius * (1 + std::sqrt(Real(3)) * static_cast<Real>(row)), 0});
  }
  /// A wall: a capsule that lies in the plane.
  void add_rod(Real half_length, const Vec3& position, Real angle) {
    const Index rod = add_sphere(kRadius / 2, position);
    model::Body& body = model.bodies[rod];
    body.kind = model::BodyKind::fixed;
    body.shape = geometry::Capsule{kRadius / 2, half_length};
    body.X_BS = {Vec3::Zero(), rotation_between(Vec3::UnitZ(), Vec3::UnitX())};
    state.orientation[rod] = rotation_exp(Vec3(0, 0, angle));
  }
  /// The largest speed out of the plane [m/s; rad/s], or distance from it [m].
  [[nodiscard]] Real out_of_plane() const {
    Real largest = 0;
    for (Index i = 1; i < model.body_count(); ++i)
      largest = std::max({largest, std::abs(state.position[i].z()), std::abs(state.velocity[i].z()),
                          state.angular_velocity[i].head<2>().norm()});
    return largest;
  }
};

// A ball on a plane moves as a disc does: a heap of 55 discs that is struck is, bit for bit, the
// same heap of balls of these masses and moments of inertia in space, if that is put back into the
// plane after each step too.
TEST(PlanarGrains, AHeapOfDiscsIsAHeapOfBalls) {
  const auto run = [](int dimension) {
    Grains world(dimension);
    world.add_pyramid(10);
    world.state.velocity[30] = {1, -0.5, 0};
    const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-5));
    for (int k = 0; k < 50; ++k) {
      EXPECT_TRUE(scheme->step(world.state, kStep).is_certified()) << dimension << ", step " << k;
      if (dimension == 3) {
        EXPECT_LT(return_to_plane(world.model, kStep, world.state), 1e-12);
      }
    }
    return world.state;
  };
  const model::State plane = run(2), space = run(3);
  for (Index i = 0; i < plane.body_count(); ++i) {
    EXPECT_EQ(plane.position[i], space.position[i]) << i;
    EXPECT_EQ(plane.orientation[i].coeffs(), space.orientation[i].coeffs()) << i;
    EXPECT_EQ(plane.velocity[i], space.velocity[i]) << i;
    EXPECT_EQ(plane.angular_velocity[i], space.angular_velocity[i]) << i;
  }
}

// Normals, arms and impulses of discs in a plane lie in it, up to rounding, which grows from step
// to step in space: a heap of balls in a plane falls over. Nothing leaves the plane by a bit, and
// what the floor's and the slanted rods' impulses and the weight bring is the change of momentum.
TEST(PlanarGrains, DiscsThatFallOnRodsStayInThePlane) {
  Grains world(2);
  Random random(7);
  for (int i = 0; i < 3; ++i) world.add_rod(0.2, {0.5 * i, 0.3, 0}, 0.3 - 0.2 * i);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 6; ++j)
      world.add_sphere(kRadius * random.uniform(0.7, 1), {0.11 * i, 0.6 + 0.11 * j, 0});
  ASSERT_TRUE(are_planar_grains(world.model, test::options("moreau_jean", 1e-5)));
  const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-5));
  const auto is_moving = [&](Index body) {
    return world.model.bodies[body].kind == model::BodyKind::dynamic;
  };
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (Index i = 0; i < world.model.body_count(); ++i)
      if (is_moving(i)) sum += world.model.bodies[i].mass * world.state.velocity[i];
    return sum;
  };
  Real weight = 0;
  for (Index i = 0; i < world.model.body_count(); ++i)
    if (is_moving(i)) weight += world.model.bodies[i].mass * 9.81;
  Index most = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 before = momentum();
    const stepping::StepReport report = scheme->step(world.state, kStep);
    ASSERT_TRUE(report.is_certified()) << k << ": " << report.detail;
    most = std::max(most, report.contact_count);
    Vec3 borne(0, -weight * kStep, 0);
    for (const stepping::StepContact& contact : scheme->contacts()) {
      EXPECT_LE(std::abs(contact.impulse.z()), 1e-12 * weight * kStep);
      if (!is_moving(contact.body_a)) borne += contact.impulse;
      if (!is_moving(contact.body_b)) borne -= contact.impulse;
    }
    EXPECT_LT((momentum() - before - borne).norm() / (weight * kStep), 1e-11) << k;
  }
  EXPECT_GT(most, 60);
  EXPECT_EQ(world.out_of_plane(), 0);
}

// A disc that slides at v comes to roll at v/(1 + I/(m r²)), whatever the friction: from the exact
// LCP of a few bodies, and from the solver of many, of which the others lie far away. Rolling
// begins within one step, so that speeds differ by no more than μ g h.
TEST(PlanarGrains, ADiscComesToRollAmongFewAndMany) {
  constexpr Real kFriction = 0.4;
  for (const Index others : {0, 30}) {
    Grains world(2, kFriction);
    const Index disc = world.add_sphere(kRadius, {0, kRadius, 0});
    world.state.velocity[disc] = {1, 0, 0};
    for (Index i = 0; i < others; ++i)
      world.add_sphere(kRadius, {-1 - static_cast<Real>(i), kRadius, 0});
    const stepping::SchemeOptions options = test::options("moreau_jean", 1e-10);
    EXPECT_EQ(are_planar_grains(world.model, options), others > 0);
    const auto scheme = stepping::make_scheme(world.model, options);
    for (int k = 0; k < 200; ++k)
      ASSERT_TRUE(scheme->step(world.state, kStep).is_certified()) << others << ", step " << k;
    const model::Body& body = world.model.bodies[disc];
    const Real rolling = 1 / (1 + body.inertia(2, 2) / (body.mass * kRadius * kRadius));
    EXPECT_NEAR(world.state.velocity[disc].x(), rolling, kFriction * 9.81 * kStep) << others;
    EXPECT_NEAR(world.state.angular_velocity[disc].z(), -world.state.velocity[disc].x() / kRadius,
                1e-6)
        << others;
  }
}

// What rests may sleep, in the plane too: a heap on a row of fixed discs comes to rest, is left
// out, and stays bit for bit.
TEST(PlanarGrains, AHeapSleeps) {
  Grains world(2, 0.8);
  constexpr Index kRows = 9;
  world.add_pyramid(kRows);
  for (Index i = 1; i <= kRows; ++i) world.model.bodies[i].kind = model::BodyKind::fixed;
  const Index discs = world.model.body_count() - 1 - kRows;
  stepping::SchemeOptions options = test::options("moreau_jean", 1e-6);
  options.sleeping = true;
  const auto scheme = stepping::make_scheme(world.model, options);
  Index sleeping = 0;
  for (int k = 0; k < 300 && sleeping < discs; ++k) {
    const stepping::StepReport report = scheme->step(world.state, kStep);
    ASSERT_TRUE(report.is_certified()) << report.detail;
    sleeping = report.sleeping;
  }
  EXPECT_EQ(sleeping, discs);
  const model::State asleep = world.state;
  for (int k = 0; k < 10; ++k) EXPECT_TRUE(scheme->step(world.state, kStep).is_certified());
  for (Index i = 0; i < asleep.body_count(); ++i)
    EXPECT_EQ(world.state.position[i], asleep.position[i]);
}

// Through the faces of a periodic cell momentum neither comes nor goes: of a gas of discs in a cell
// of two periodic directions it stays what it was, to the round-off of its sum.
TEST(PlanarGrains, AGasInAPeriodicCellKeepsItsMomentum) {
  test::World world(0.3, 0.8, Vec3::Zero());
  world.model.dimension = 2;
  world.model.cell = PeriodicCell(Vec3::Zero(), Vec3(1, 1, 0));
  Random random(11);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const Index disc = world.add_sphere(0.06, {(i + 0.5) / 6, (j + 0.5) / 6, 0});
      world.state.velocity[disc] = {random.uniform(-1, 1), random.uniform(-1, 1), 0};
    }
  const auto momentum = [&] {
    Vec3 sum = Vec3::Zero();
    for (Index i = 0; i < world.model.body_count(); ++i)
      sum += world.model.bodies[i].mass * world.state.velocity[i];
    return sum;
  };
  const Vec3 before = momentum();
  const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", 1e-6));
  Index contacts = 0;
  for (int k = 0; k < 300; ++k) {
    const stepping::StepReport report = scheme->step(world.state, kStep);
    ASSERT_TRUE(report.is_certified()) << k << ": " << report.detail;
    contacts += report.contact_count;
  }
  EXPECT_GT(contacts, 100);
  EXPECT_LT((momentum() - before).norm(), 1e-13 * world.model.bodies[0].mass * 36);
}

// What comes out of the plane is said, over the speed of what moves, and put back.
TEST(PlanarGrains, TheyReturnToThePlane) {
  Grains world(2);
  world.add_sphere(kRadius, {0, 1, 0});
  world.model.gravity.setZero();
  model::State& state = world.state;
  state.velocity[1] = {3, 4, 1e-3};
  EXPECT_NEAR(return_to_plane(world.model, kStep, state), 1e-3 / Vec3(3, 4, 1e-3).norm(), 1e-16);
  EXPECT_EQ(return_to_plane(world.model, kStep, state), 0);
  state.position[1].z() = 2e-6;
  EXPECT_NEAR(return_to_plane(world.model, kStep, state), 2e-3 / 5, 1e-16);
  state.angular_velocity[1] = {0.1, 0, 7};
  EXPECT_NEAR(return_to_plane(world.model, kStep, state), kRadius * 0.1 / 5, 1e-16);
  state.orientation[1] = Quat(0.8, 1e-9, 0, 0.6);
  EXPECT_EQ(return_to_plane(world.model, kStep, state), 0);  // a turn without speed is rounding
  EXPECT_EQ(state.orientation[1].x(), 0);
  EXPECT_EQ(state.angular_velocity[1], Vec3(0, 0, 7));
  EXPECT_EQ(state.velocity[1], Vec3(3, 4, 0));
}

// What is more than grains stays with the planar engine: boxes, laws that are functions, lemke, a
// wall that is thinner than what may go into it.
TEST(PlanarGrains, WhatIsNotOne) {
  const auto is_one = [](const Grains& world, const char* solver = "auto") {
    stepping::SchemeOptions options = test::options("moreau_jean", 1e-6);
    options.solver.solver = solver;
    return are_planar_grains(world.model, options);
  };
  Grains heap(2);
  heap.add_pyramid(10);
  EXPECT_TRUE(is_one(heap));
  EXPECT_FALSE(is_one(heap, "lemke"));
  Grains with_box = heap;
  with_box.add_box({0.1, 0.1, 0.5}, {3, 0.1, 0});
  EXPECT_FALSE(is_one(with_box));
  with_box.model.bodies.back().kind = model::BodyKind::fixed;
  EXPECT_TRUE(is_one(with_box));
  with_box.model.bodies.back().shape = geometry::Box{{0.1, 0.1, 0.01}};
  EXPECT_FALSE(is_one(with_box));
  Grains smooth = heap;
  for (model::InterfaceLaw& law : smooth.model.laws) law.friction.kind = model::TanhFriction{0.01};
  EXPECT_FALSE(is_one(smooth));
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
