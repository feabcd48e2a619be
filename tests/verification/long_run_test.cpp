#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numbers>

#include "support/bed.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// The lengths that are asked of an engine take minutes: with TALUS_FULL in the environment.
bool is_full() { return std::getenv("TALUS_FULL") != nullptr; }

/// Memory of this process [bytes].
Real resident_memory() {
  std::ifstream file("/proc/self/statm");
  Real pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<Real>(sysconf(_SC_PAGESIZE));
}

Real total_mass(const World& world) {
  Real mass = 0;
  for (const model::Body& body : world.model.bodies) mass += body.mass;
  return mass;
}

/// Steps that are all certified; the sweeps they took.
Index run(World& world, stepping::Scheme& scheme, Real h, int steps) {
  Index sweeps = 0;
  for (int k = 0; k < steps; ++k) {
    const stepping::StepReport report = scheme.step(world.state, h);
    if (!report.is_certified()) {
      ADD_FAILURE() << "step " << k << ' ' << to_string(report.status) << ' '
                    << report.certificate.natural_map;
      break;
    }
    sweeps += report.iterations;
  }
  return sweeps;
}

// A bed at rest keeps still and keeps its weight: in 10 s (2 s in the short run) no ball moves
// farther than a hundredth of its radius, the support is the weight within 1e-3, no energy appears,
// and the memory does not grow. A drag of 5/s stops the balls that Coulomb's law lets roll for
// ever. A bed is at rest when no ball is faster than a thousandth of a radius a second: a ball that
// another one leans on can roll aside for 20 s, at 0.1 mm/s, before it is held.
TEST(LongRun, ABedLiesStillAndKeepsItsWeight) {
  const int edge = is_full() ? 20 : 8;
  World world = test::lattice_bed(edge, edge, edge, 7);
  world.model.linear_damping = world.model.angular_damping = 5;
  const Real h = 1e-3, radius = 0.01;
  auto options = test::options("moreau_jean", 1e-4);
  const auto scheme = make_scheme(world.model, options);
  const auto fastest = [&] {
    Real speed = 0;
    for (const Vec3& v : world.state.velocity) speed = std::max(speed, v.norm());
    return speed;
  };
  run(world, *scheme, h, is_full() ? 8000 : 3000);
  for (int second = 0; second < 30 && fastest() > 1e-3 * radius; ++second)
    run(world, *scheme, h, 1000);
  ASSERT_LE(fastest(), 1e-3 * radius) << "the bed does not come to rest";

  const model::State start = world.state;
  const Real energy = world.energy();
  Real memory = 0;
  const int parts = 10, steps = is_full() ? 10000 : 2000;
  Index sweeps = 0;
  Real farthest = 0;
  for (int part = 0; part < parts; ++part) {
    sweeps += run(world, *scheme, h, steps / parts);
    EXPECT_NEAR(test::support_over_weight(world, *scheme, h), 1, 1e-3) << part;
    if (part == 0) memory = resident_memory();
  }
  for (Index i = 0; i < world.model.body_count(); ++i)
    farthest = std::max(farthest, (world.state.position[i] - start.position[i]).norm());
  const Real growth = resident_memory() - memory;
  std::printf(
      "%d balls for %g s: moved %.1e of a radius at most, %.2f sweeps per step, memory %+g "
      "KiB of %g\n",
      edge * edge * edge, steps * h, farthest / radius, static_cast<Real>(sweeps) / steps,
      growth / 1024, memory / 1024);
  EXPECT_LT(farthest, 0.01 * radius);
  const Real weight = -world.model.gravity.z() * total_mass(world);
  EXPECT_LE(world.energy(), energy + weight * farthest) << "lifted more than it moved";
  EXPECT_LT(growth, 0.01 * memory + 65536);
}

// A drum turns five times (once in the short run): no grain is outside of it, none is lost, every
// step is certified, and in the last third no step leaves memory behind. Inside means that
// the centre keeps a radius from the wall and the ends, to a hundredth of the radius.
TEST(LongRun, ADrumKeepsItsGrains) {
  const Real drum_radius = 0.15, half_length = 0.04, radius = 0.005, speed = 2.1;  // [rad/s]
  World world(0.4);
  const Quat lying(Eigen::AngleAxis<Real>(std::numbers::pi / 2, Vec3::UnitX()));
  const Index drum = world.add(geometry::Pipe{drum_radius, half_length, true},
                               model::BodyKind::kinematic, Vec3::Zero(), lying);
  world.state.angular_velocity[drum] = {0, speed, 0};
  Random random(11);
  const int nx = is_full() ? 16 : 10, ny = 6, nz = is_full() ? 10 : 5;
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        world.add(geometry::Sphere{radius * random.uniform(0.9, 1.1)}, model::BodyKind::dynamic,
                  0.0115 * Vec3(i - (nx - 1) / 2.0, j - (ny - 1) / 2.0, k - 7), Quat::Identity(),
                  2500);
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
  const Real h = 5e-4;
  const int turns = is_full() ? 5 : 1, quarters = 4 * turns;
  const int steps = static_cast<int>(std::numbers::pi / 2 / speed / h);
  Real memory = 0;
  for (int quarter = 0; quarter < quarters; ++quarter) {
    run(world, *scheme, h, steps);
    for (Index i = 1; i < world.model.body_count(); ++i) {
      const Vec3& x = world.state.position[i];
      const Real own = std::get<geometry::Sphere>(world.model.bodies[i].shape).radius;
      EXPECT_LE(std::hypot(x.x(), x.z()), drum_radius - 0.99 * own) << i << " at " << quarter;
      EXPECT_LE(std::abs(x.y()), half_length - 0.99 * own) << i << " at " << quarter;
    }
    if (quarter == quarters - 1 - quarters / 3) memory = resident_memory();
  }
  const Real growth = resident_memory() - memory;
  std::printf("%d grains, %d turns: memory %+g KiB of %g\n", nx * ny * nz, turns, growth / 1024,
              memory / 1024);
  // A buffer may still grow once (Newton's factors); what a step leaves behind (contacts of 64 B
  // and more) adds up to far more.
  const Real steps_since = steps * static_cast<Real>(quarters / 3);
  EXPECT_LT(growth / steps_since, 32.0 * nx * ny * nz);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
