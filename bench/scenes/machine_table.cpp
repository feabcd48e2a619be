// Whole steps of machines in space, each with what its certificate says: ./talus bench machines
// [STEPS [WORDS OF A MACHINE'S NAME [THREADS]]].
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <talus/math/rotation.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "support/classic_machines.hpp"
#include "support/clock.hpp"
#include "support/random_spatial_machine.hpp"
#include "support/steps.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

using test::SpatialMachineWorld;

constexpr Real kStep = 2e-3;

const Quat kLying = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
const Vec3 kAxes[] = {{0, 0.6, 0.8}, {0, 1, 0}};

/// Links of 0.2 m along x on hinges about two axes by turns, hung up at their left end.
/// @param tip mass of the last one over that of the others.
SpatialMachineWorld hanging_chain(Index links, Real tip = 1) {
  SpatialMachineWorld world;
  const Mat3 inertia = Vec3(0.000215, 0.00148, 0.00148).asDiagonal();
  Index last = model::kWorld;
  for (Index i = 0; i < links; ++i) {
    const Real x = 0.2 * static_cast<Real>(i);
    const Real mass = i + 1 == links ? tip : Real(1);
    const Index link = world.add_body(0.5 * mass, mass * inertia, Vec3(x + 0.1, 0, 0));
    world.add_joint(model::revolute_joint(), last, link, Vec3(x, 0, 0), kAxes[i % 2]);
    last = link;
  }
  return world;
}

/// The same of capsules, falling askew on a floor.
SpatialMachineWorld falling_chain(Index links) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.5);
  world.add_floor();
  Index last = model::kWorld;
  for (Index i = 0; i < links; ++i) {
    const Real x = 0.2 * static_cast<Real>(i), z = 0.2 + 0.02 * static_cast<Real>(i % 10);
    const Index link = world.add(geometry::Capsule{0.03, 0.07}, model::BodyKind::dynamic,
                                 Vec3(x + 0.1, 0, z), kLying);
    if (i > 0) world.add_joint(model::revolute_joint(), last, link, Vec3(x, 0, z), kAxes[i % 2]);
    last = link;
  }
  return world;
}

/// A trunk, a head and four limbs of five links on hinges with limits, friction and armatures: 22
/// bodies.
void add_figure(SpatialMachineWorld& world, const Vec3& at) {
  const Index trunk = world.add_box(Vec3(0.12, 0.06, 0.2), at);
  const auto add_link = [&](Index parent, const Vec3& place, const Vec3& pivot, const Vec3& axis,
                            const Quat& turn) {
    const Index link =
        world.add(geometry::Capsule{0.03, 0.04}, model::BodyKind::dynamic, place, turn);
    const Index joint = world.add_joint(model::revolute_joint(), parent, link, pivot, axis);
    model::AxisLaw law;
    law.lower = -1;
    law.upper = 1;
    law.damping = 0.1;
    law.friction = 0.2;
    law.armature = 0.01;
    world.machine->joints[static_cast<std::size_t>(joint)].axes.push_back(law);
    return link;
  };
  const Vec3 neck = at + Vec3(0, 0, 0.22);
  add_link(trunk, neck + Vec3(0, 0, 0.08), neck, Vec3::UnitX(), Quat::Identity());
  for (const Real side : {-1.0, 1.0})
    for (const bool is_leg : {false, true}) {
      const Vec3 way = is_leg ? Vec3(0, 0, -1) : Vec3(side, 0, 0);
      Vec3 pivot = at + (is_leg ? Vec3(0.08 * side, 0, -0.22) : Vec3(0.14 * side, 0, 0.15));
      Index last = trunk;
      for (int i = 0; i < 5; ++i) {
        const Vec3 axis = i % 2 == 0 ? Vec3(0, 1, 0) : Vec3(is_leg ? 1 : 0, 0, is_leg ? 0 : 1);
        last = add_link(last, pivot + 0.08 * way, pivot, axis, is_leg ? Quat::Identity() : kLying);
        pivot += 0.16 * way;
      }
    }
}

/// Balls on a string of ball joints, just above the floor.
SpatialMachineWorld beads(Index count) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.5);
  world.add_floor();
  Index last = model::kWorld;
  for (Index i = 0; i < count; ++i) {
    const Real x = 0.07 * static_cast<Real>(i), z = 0.05 + 0.01 * std::sin(0.3 * x);
    const Index bead = world.add(geometry::Sphere{0.03}, model::BodyKind::dynamic, Vec3(x, 0, z));
    if (i > 0) world.add_joint(model::ball_joint(), last, bead, Vec3(x - 0.035, 0, z));
    last = bead;
  }
  return world;
}

SpatialMachineWorld quadrupeds(Index count) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.8);
  world.add_floor();
  for (Index i = 0; i < count; ++i)
    test::add_quadruped(
        world, Vec3(1.5 * static_cast<Real>(i % 10), 1 * static_cast<Real>(i / 10), 0.405));
  return world;
}

SpatialMachineWorld figures(Index count) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.5);
  world.add_floor();
  for (Index i = 0; i < count; ++i)
    add_figure(world, Vec3(3 * static_cast<Real>(i % 10), 1 * static_cast<Real>(i / 10), 1.2));
  return world;
}

struct Case {
  std::string name;
  std::function<SpatialMachineWorld()> make;
  const char* scheme;
  Real tolerance;
  int most_steps = 5000;
};

/// @param now of one thread its processor time, of several that on the wall [s].
std::vector<std::string> measure(const Case& one, int asked, double (*now)()) {
  const int steps = std::min(asked, one.most_steps);
  SpatialMachineWorld world = one.make();
  std::vector<double> ms;
  Index failed = 0, iterations = 0, most = 0, contacts = 0;
  Real drift = 0;
  const auto scheme = stepping::make_scheme(world.model, test::options(one.scheme, one.tolerance));
  stepping::StepReport last;
  for (int k = 1; k <= steps; ++k) {
    const double start = now();
    last = scheme->step(world.state, kStep);
    ms.push_back(1e3 * (now() - start));
    failed += last.is_certified() ? 0 : 1;
    iterations += last.iterations;
    most = std::max(most, last.iterations);
    contacts = std::max(contacts, last.contact_count);
    drift = std::max(drift, test::drift(world));
  }
  std::sort(ms.begin(), ms.end());
  return {one.name,
          one.scheme,
          fmt::format("{:.0e}", one.tolerance),
          std::to_string(world.model.body_count()),
          fmt::format("{:.3f}", ms[ms.size() / 2]),
          fmt::format("{:.3f}", ms.front()),
          fmt::format("{:.3f}", ms.back()),
          fmt::format("{:.1f}", static_cast<double>(iterations) / steps),
          std::to_string(most),
          std::to_string(contacts),
          fmt::format("{} of {}", failed, steps),
          fmt::format("{:.1e}", drift),
          fmt::format("{:.3g}", last.energy.total())};
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  using namespace talus::bench;
  const int steps = steps_of(argc, argv, 500, "machine_table");
  Table table({"machine", "scheme", "tolerance", "bodies", "ms median", "least", "most", "Newton",
               "most", "contacts", "uncertified", "drift", "energy [J]"});
  const Case cases[] = {
      {"chain of 10, hanging", [] { return hanging_chain(10); }, "moreau_jean", 1e-6},
      {"chain of 100, hanging", [] { return hanging_chain(100); }, "moreau_jean", 1e-6},
      {"chain of 1000, hanging", [] { return hanging_chain(1000); }, "moreau_jean", 1e-6, 200},
      {"chain of 100, hanging", [] { return hanging_chain(100); }, "moreau_midpoint", 1e-6},
      {"chain of 10, falling", [] { return falling_chain(10); }, "moreau_jean", 1e-6},
      {"chain of 30, falling", [] { return falling_chain(30); }, "moreau_jean", 1e-6},
      {"chain of 100, falling", [] { return falling_chain(100); }, "moreau_jean", 1e-6},
      {"figure, falling", [] { return figures(1); }, "moreau_jean", 1e-6},
      {"figure, falling", [] { return figures(1); }, "moreau_jean", 1e-8},
      {"figure, falling", [] { return figures(1); }, "moreau_midpoint", 1e-6},
      {"20 figures, falling", [] { return figures(20); }, "moreau_jean", 1e-6},
      {"quadruped, standing", [] { return quadrupeds(1); }, "moreau_jean", 1e-6},
      {"quadruped, standing", [] { return quadrupeds(1); }, "moreau_jean", 1e-8},
      {"100 quadrupeds, standing", [] { return quadrupeds(100); }, "moreau_jean", 1e-6},
      {"chain of 10, hanging, tip 10⁴", [] { return hanging_chain(10, 1e4); }, "moreau_jean", 1e-6},
      {"chain of 100, hanging, tip 10⁴", [] { return hanging_chain(100, 1e4); }, "moreau_jean",
       1e-6},
      {"chain of 1000, falling", [] { return falling_chain(1000); }, "moreau_jean", 1e-6, 200},
      {"beads, landing", [] { return beads(1000); }, "moreau_jean", 1e-6, 150},
  };
  const std::string_view named = argc > 2 ? argv[2] : "";
  const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
  talus::parallel::set_thread_count(std::max(threads, 1));
  for (const Case& one : cases) {
    if (one.name.find(named) == std::string::npos) continue;
    table.add(measure(one, steps, threads > 1 ? wall_seconds : cpu_seconds));
    fmt::print(stderr, "{}\n", table.last_row_as_text());
  }
  fmt::print("{}", table.as_lines());
}
