// Whole steps of bodies of any shape, each scene with its certificate, and the sweep alone on the
// problem of the next step: ./talus bench grains [STEPS [SCENE]].

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/bed.hpp"
#include "support/beds.hpp"
#include "support/clock.hpp"
#include "support/per_sweep.hpp"
#include "support/step_problem.hpp"
#include "support/steps.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

constexpr Real kStep = 1e-3, kTolerance = 1e-4, kSize = 0.02;  // of half a grain
constexpr int kSide = 7, kLayers = 20;

/// 980 grains at random orientations fall 0.6 m into a box.
test::World heap(const std::vector<geometry::Shape>& shapes) {
  Random random(4);
  test::World world(0.5);
  const Real spacing = 2.1 * kSize;
  test::add_container(world, spacing * kSide + 0.01);
  for (int k = 0; k < kLayers; ++k)
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i) {
        const Vec3 jitter = test::random_vector(random, 1e-3);
        const Quat turn = test::random_rotation(random);
        world.add(shapes[static_cast<std::size_t>(i + j + k) % shapes.size()],
                  model::BodyKind::dynamic,
                  spacing * Vec3(i - (kSide - 1) / 2.0, j - (kSide - 1) / 2.0, k + 0.7) + jitter,
                  turn, 2000);
      }
  return world;
}

test::World boxes() {
  const auto box = [](Real x, Real y, Real z) -> geometry::Shape {
    return geometry::Box{kSize * Vec3(x, y, z)};
  };
  return heap({box(0.7, 0.6, 0.5), box(0.8, 0.5, 0.45), box(0.6, 0.6, 0.6)});
}

test::World capsules() { return heap({geometry::Capsule{0.4 * kSize, 0.6 * kSize}}); }

test::World hulls() {
  Random random(7);
  std::vector<geometry::Shape> shapes;
  for (int k = 0; k < 8; ++k) {
    std::vector<Vec3> points;
    for (int i = 0; i < 12; ++i)
      points.push_back(kSize * test::random_vector(random, 1).normalized());
    shapes.emplace_back(std::make_shared<const geometry::Polytope>(geometry::convex_hull(points)));
  }
  return heap(shapes);
}

test::World spheres() { return heap({geometry::Sphere{0.9 * kSize}, geometry::Sphere{kSize}}); }

test::World rolling_spheres() {
  test::World world = spheres();
  for (model::InterfaceLaw& law : world.model.laws) law.friction.rolling = 0.1 * kSize;
  return world;
}

test::World resisting_spheres() {
  test::World world = rolling_spheres();
  for (model::InterfaceLaw& law : world.model.laws) {
    law.friction.torsion = 0.1 * kSize;
    law.cohesion = 0.02;
  }
  return world;
}

test::World cohesive_spheres() {
  test::World world = spheres();
  for (model::InterfaceLaw& law : world.model.laws) law.cohesion = 0.02;
  return world;
}

test::World soft_spheres() {
  test::World world = spheres();
  for (model::InterfaceLaw& law : world.model.laws) law.normal = model::HertzNormal{1e7, 1.5};
  return world;
}

test::World wall_at_rest() { return toothed_wall(20, 20); }

/// A wall of 390 bricks and a ball of its height that flies into it.
test::World wall_hit() {
  test::World world = toothed_wall(20, 20);
  const Index ball = world.add(geometry::Sphere{0.25}, model::BodyKind::dynamic,
                               Vec3(1.9, -0.32, 0.6), Quat::Identity(), 7800);
  world.state.velocity[ball] = Vec3(0, 6, 0);
  return world;
}

/// What contacts have beside friction; of compliance the factor of n nᵀ [1/kg].
struct Beside {
  Real rolling = 0, torsion = 0, cohesion = 0, compliance = 0;
};

struct Scene {
  const char* name;
  test::World (*make)();
  Beside beside = {};
  bool is_resisting = false;
};

/// The problem with all contacts general ones that resist.
problem::RigidContact with(const Beside& beside, const problem::RigidContact& plain) {
  problem::RigidContact problem = plain;
  problem.central = {};
  problem.general.clear();
  problem.inverse_inertia.clear();
  problem.length.assign(plain.bodies.size(), kSize);
  for (const problem::BodyVelocity& body : plain.bodies)
    problem.inverse_inertia.emplace_back(body.inverse_inertia * Mat3::Identity());
  for (Index c = 0; c < plain.contact_count(); ++c) {
    const problem::ContactView seen = view(plain, c);
    problem.general.push_back({seen.normal, seen.bias, seen.arm_a, seen.arm_b, seen.friction,
                               static_cast<std::uint32_t>(seen.body_a),
                               static_cast<std::uint32_t>(seen.body_b)});
    problem::Resistance resistance;
    resistance.rolling = beside.rolling;
    resistance.torsion = beside.torsion;
    resistance.cohesion = beside.cohesion;
    resistance.compliance = beside.compliance * seen.normal * seen.normal.transpose();
    problem.resistance.push_back(resistance);
  }
  return problem;
}

struct Measured {
  double seconds = 0, relaxations = 0, sweeps = 0, contacts = 0;
  Index failed = 0, most_sweeps = 0, median_sweeps = 0;
  Real certificate = 0, penetration = 0, kinetic = 0;
};

Measured run(test::World& world, stepping::Scheme& scheme, int steps) {
  Measured sum;
  std::vector<Index> all_sweeps;
  for (int k = 0; k < steps; ++k) {
    const double start = cpu_seconds();
    const stepping::StepReport report = scheme.step(world.state, kStep);
    sum.seconds += cpu_seconds() - start;
    const auto sweeps = static_cast<double>(report.iterations);
    const auto contacts = static_cast<double>(report.contact_count);
    sum.sweeps += sweeps / steps;
    sum.contacts += contacts / steps;
    sum.relaxations += sweeps * contacts;
    sum.most_sweeps = std::max(sum.most_sweeps, report.iterations);
    all_sweeps.push_back(report.iterations);
    sum.failed += report.is_certified() ? 0 : 1;
    sum.certificate = std::max(sum.certificate, report.certificate.natural_map);
    sum.penetration = std::max(sum.penetration, report.max_penetration);
    sum.kinetic = report.energy.kinetic;
  }
  std::sort(all_sweeps.begin(), all_sweeps.end());
  sum.median_sweeps = all_sweeps[all_sweeps.size() / 2];
  return sum;
}

/// ns per contact and sweep of sweeps alone, from a guess.
/// @param is_single those that may be of single precision are.
double sweep_ns(const problem::RigidContact& problem, const problem::ContactImpulses& guess,
                bool is_single = false) {
  constexpr Index kBefore = 24;  // sweeps, the first ones of which are of double precision
  solve::RigidNsgs nsgs;
  solve::RigidNsgsOptions options;
  options.single_gate = is_single ? 0 : std::numeric_limits<Real>::infinity();
  const auto seconds = [&](Index sweeps) {
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < 25; ++repeat) {
      const double start = cpu_seconds();
      nsgs.start(problem, guess);
      (void)nsgs.run(0, kBefore + sweeps, options, {});
      best = std::min(best, cpu_seconds() - start);
    }
    return best;
  };
  return 1e9 * per_sweep(seconds) / static_cast<double>(problem.contact_count());
}

std::vector<std::string> measure(const Scene& scene, int steps) {
  test::World world = scene.make();
  const auto scheme = stepping::make_scheme(world.model, test::options("moreau_jean", kTolerance));
  const Measured all = run(world, *scheme, steps);
  StepProblem next(world.model);
  next.build(world.state, kStep, test::options("moreau_jean", kTolerance));
  problem::RigidContact problem = next.problem();
  problem::ContactImpulses guess = next.warm_start(scheme->memory().contacts);
  if (scene.is_resisting) {
    const std::vector<Vec3> forces = listed(problem, guess);
    problem = with(scene.beside, problem);
    guess = batched(problem, forces);
  }
  return {scene.name,
          fmt::format("{:.2f}", 1e3 * all.seconds / steps),
          fmt::format("{:.0f}", all.sweeps),
          std::to_string(all.median_sweeps),
          std::to_string(all.most_sweeps),
          fmt::format("{:.0f}", all.contacts),
          fmt::format("{:.1f}", 1e9 * all.seconds / all.relaxations),
          fmt::format("{:.1f}", sweep_ns(problem, guess)),
          fmt::format("{:.1f}", sweep_ns(problem, {})),
          fmt::format("{:.1f}", sweep_ns(problem, guess, true)),
          fmt::format("{:.1e}", all.certificate),
          fmt::format("{} of {}", all.failed, steps),
          fmt::format("{:.3f}", 1e3 * all.penetration),
          fmt::format("{:.2e}", all.kinetic)};
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  using namespace talus::bench;
  const int steps = steps_of(argc, argv, 300, "grain_table");
  talus::parallel::set_thread_count(1);
  Table table({"scene", "ms a step", "sweeps", "median", "most", "contacts", "ns of the step",
               "ns of a sweep", "from zero", "in single", "certificate", "uncertified",
               "penetration [mm]", "kinetic [J]"});
  const Scene scenes[] = {{"boxes", boxes},
                          {"capsules", capsules},
                          {"hulls", hulls},
                          {"wall at rest", wall_at_rest},
                          {"wall hit", wall_hit},
                          {"spheres", spheres},
                          {"rolling spheres", rolling_spheres, {.rolling = 0.1 * kSize}, true},
                          {"cohesive spheres", cohesive_spheres, {.cohesion = 2e-5}, true},
                          {"soft spheres", soft_spheres, {.compliance = 5}, true},
                          {"resisting spheres",
                           resisting_spheres,
                           {.rolling = 0.1 * kSize, .torsion = 0.1 * kSize, .cohesion = 2e-5},
                           true}};
  for (const Scene& scene : scenes) {
    if (argc > 2 && std::string(argv[2]) != scene.name) continue;
    table.add(measure(scene, steps));
    fmt::print(stderr, "{}\n", table.last_row_as_text());
  }
  fmt::print("{}", table.as_lines());
}
