#include <gtest/gtest.h>

#include <vector>

#include <talus/parallel/executor.hpp>

#include "support/bed.hpp"
#include "support/sanitized.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

std::uint64_t hash_after(const test::World& start, int steps, Real tolerance, int threads,
                         const char* name = "moreau_jean") {
  parallel::set_thread_count(threads);
  test::World world = start;
  const auto scheme = make_scheme(world.model, test::options(name, tolerance));
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  parallel::set_thread_count(0);
  return world.state.hash();
}

test::World falling_bed() {
  test::World world = test::lattice_bed(12, 12, 12, 7);
  for (Index i = 5; i < world.model.body_count(); ++i)
    world.state.velocity[i] = Vec3(0.1, -0.2, -1);
  return world;
}

test::World bouncing_bed() {
  test::World world = test::lattice_bed(10, 10, 10, 3);
  world.model.laws = {model::coulomb_law(0.3, 0.5)};
  for (Index i = 5; i < world.model.body_count(); ++i)
    world.state.velocity[i] = Vec3(0, 0, i % 2 == 0 ? -1 : 1);
  return world;
}

/// Balls and boxes: persistent contacts and others.
test::World mixed_heap() {
  test::World world = test::lattice_bed(6, 6, 6, 5);
  Random random(9);
  for (int k = 0; k < 40; ++k) {
    const int row = k / 5 % 4, layer = k / 20;
    world.add_box(Vec3(0.008, 0.006, 0.005),
                  Vec3(0.02 * (k % 5 - 2), 0.02 * (row - 1.5), 0.16 + 0.02 * layer),
                  test::random_rotation(random));
  }
  return world;
}

/// Contacts with moments, which are swept by themselves.
test::World rolling_heap() {
  test::World world = falling_bed();
  world.model.laws[0].friction.rolling = 2e-4;
  world.model.laws[0].friction.torsion = 1e-4;
  world.model.laws[0].cohesion = 1e-3;
  for (Index i = 5; i < world.model.body_count(); ++i)
    world.state.angular_velocity[i] = Vec3(20, -10, 5);
  return world;
}

/// Without walls: neighbours across the faces share tiles with others.
test::World periodic_bed() {
  test::World bed = falling_bed(), world(0.5);
  const Real width = 12 * 0.0225;
  world.model.cell = PeriodicCell(Vec3(-width / 2, -width / 2, 0), Vec3(width, width, 0));
  world.add_floor();
  for (Index i = 5; i < bed.model.body_count(); ++i) {
    const Index ball = world.add(bed.model.bodies[i].shape, model::BodyKind::dynamic,
                                 bed.state.position[i] + width * Vec3(i % 3 - 1, i % 2, 0));
    world.state.velocity[ball] = bed.state.velocity[i];
  }
  return world;
}

/// Balls that fall on a floor without walls, in many small heaps beside a large one: islands that
/// come, meet and part.
test::World archipelago() {
  const test::World bed = test::lattice_bed(8, 8, 8, 4);
  test::World world(0.5);
  world.add_floor();
  const auto add = [&](Real radius, const Vec3& position) {
    const Index ball = world.add(geometry::Sphere{radius}, model::BodyKind::dynamic, position);
    world.state.velocity[ball] = Vec3(0.02 * static_cast<Real>(ball % 7), 0.1, -1);
  };
  for (Index i = 5; i < bed.model.body_count(); ++i)
    add(std::get<geometry::Sphere>(bed.model.bodies[i].shape).radius, bed.state.position[i]);
  for (int heap = 0; heap < 60; ++heap)
    for (int k = 0; k < 3; ++k)
      add(0.01, Vec3(0.2 + 0.1 * (heap / 10), 0.1 * (heap % 10), 0.011 + 0.0205 * k));
  return world;
}

/// A sanitizer sees a race with few threads as with many.
const std::vector<int> kCounts =
    TALUS_IS_SANITIZED != 0 ? std::vector{2, 5} : std::vector{2, 3, 5, 8, 16};

// The answer is the same to the last bit for any number of threads, more than the machine has
// included.
TEST(Determinism, AnyNumberOfThreadsGivesTheSameBits) {
  for (const auto& [name, world, steps] :
       {std::tuple("falling", falling_bed(), 40), std::tuple("bouncing", bouncing_bed(), 40),
        std::tuple("mixed", mixed_heap(), 60), std::tuple("rolling", rolling_heap(), 20),
        std::tuple("periodic", periodic_bed(), 40), std::tuple("archipelago", archipelago(), 40)}) {
    const std::uint64_t serial = hash_after(world, steps, 1e-4, 1);
    EXPECT_NE(hash_after(world, steps - 1, 1e-4, 1), serial) << name << " does not move";
    for (const int threads : kCounts)
      EXPECT_EQ(hash_after(world, steps, 1e-4, threads), serial) << name << ", " << threads;
  }
}

// So does the midpoint rule, whose contacts are all swept as general ones.
TEST(Threads, MidpointRuleToo) {
  test::World world = test::lattice_bed(6, 6, 6, 7);
  for (Index i = 5; i < world.model.body_count(); ++i)
    world.state.velocity[i] = Vec3(0.1, -0.2, -1);
  const std::uint64_t alone = hash_after(world, 20, 1e-4, 1, "moreau_midpoint");
  for (const int threads : {2, 4})
    EXPECT_EQ(hash_after(world, 20, 1e-4, threads, "moreau_midpoint"), alone) << threads;
}

// And machines, each of which is solved on a thread of its own.
TEST(Threads, MachinesToo) {
  test::SpatialMachineWorld machines(Vec3(0, 0, -9.81), 0.5);
  machines.add_floor();
  for (int k = 0; k < 6; ++k) {
    Index last = -1;
    for (int i = 0; i < 4; ++i) {
      const Vec3 place(0.22 * i, k, 0.1 + 0.02 * k);
      const Index link = machines.add_box(Vec3(0.1, 0.03, 0.02), place);
      if (last >= 0) machines.add_joint(model::ball_joint(), last, link, place - Vec3(0.11, 0, 0));
      last = link;
    }
  }
  const test::World& world = machines;
  const std::uint64_t alone = hash_after(world, 150, 1e-6, 1);
  EXPECT_NE(hash_after(world, 149, 1e-6, 1), alone);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(hash_after(world, 150, 1e-6, threads), alone);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
