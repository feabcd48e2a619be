// The same scene in every engine that was found, one row each: see bench/peers/README.md.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/parallel/executor.hpp>

#include "peers/judge.hpp"
#include "support/bed.hpp"
#include "support/beds.hpp"
#include "support/clock.hpp"
#include "support/exit_code.hpp"
#include "support/host.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

struct Arguments {
  std::string scene = "bed";
  Index size = 1000;
  std::string file, csv;
  std::vector<std::string> engines;
  std::vector<Index> iterations = {10, 50};
  std::vector<Real> tolerances = {1e-4, 1e-3};
  Index settle = 1500, steps = 300, window = 100;
  EngineOptions engine;
};

/// Means over the window at the end of a run; worst where that is said.
struct Figures {
  double ms = 0, fastest_ms = std::numeric_limits<double>::infinity(), contacts = 0;
  Verdict worst;            // of the judged steps
  Real penetration = 0;     // worst, over the size of the smallest body
  Real kinetic_energy = 0;  // at the end [J]
  Real support = 0;         // vertical impulse of fixed bodies over the weight's
};

/// Radius of the smallest sphere, or half the shortest edge of the smallest box.
Real smallest_size(const model::Model& model) {
  Real size = std::numeric_limits<Real>::infinity();
  for (const model::Body& body : model.bodies) {
    if (const auto* sphere = std::get_if<geometry::Sphere>(&body.shape))
      size = std::min(size, sphere->radius);
    if (const auto* box = std::get_if<geometry::Box>(&body.shape))
      size = std::min(size, box->half_size.minCoeff());
  }
  return size;
}

Real support_of(const model::Model& model, std::span<const stepping::StepContact> contacts,
                Real h) {
  Real weight = 0, support = 0;
  for (const model::Body& body : model.bodies) weight += body.mass * h * model.gravity.norm();
  for (const stepping::StepContact& contact : contacts) {
    if (model.bodies[contact.body_a].kind != model::BodyKind::dynamic)
      support += contact.impulse.z();
    if (model.bodies[contact.body_b].kind != model::BodyKind::dynamic)
      support -= contact.impulse.z();
  }
  return support / weight;
}

Figures run_engine(const EngineEntry& entry, const test::World& world, const Arguments& arguments,
                   const EngineOptions& options) {
  constexpr Index kJudgeEvery = 10;
  const auto engine = entry.make(world.model, world.state, options);
  Judge judge(world.model);
  const Real size = smallest_size(world.model);
  model::State before = world.state, after = world.state;
  std::vector<stepping::StepContact> contacts;
  Figures figures;
  const Index first = arguments.steps - std::min(arguments.window, arguments.steps);
  double judged = 0;
  for (Index k = 0; k < arguments.steps; ++k) {
    const bool is_judged = k >= first && k % kJudgeEvery == 0;
    if (is_judged) engine->read(before);
    const double start = cpu_seconds();
    engine->step();
    const double ms = 1e3 * (cpu_seconds() - start);
    if (k < first) continue;
    figures.ms += ms / static_cast<double>(arguments.steps - first);
    figures.fastest_ms = std::min(figures.fastest_ms, ms);
    if (!is_judged) continue;
    engine->read(after);
    engine->read(contacts);
    const Verdict verdict =
        judge.judge(before, after, contacts, engine->correction(), options.step_size);
    figures.worst.natural_map = std::max(figures.worst.natural_map, verdict.natural_map);
    figures.worst.worst_velocity = std::max(figures.worst.worst_velocity, verdict.worst_velocity);
    figures.worst.equation_of_motion =
        std::max(figures.worst.equation_of_motion, verdict.equation_of_motion);
    figures.penetration = std::max(figures.penetration, judge.penetration(after) / size);
    figures.support += support_of(world.model, contacts, options.step_size);
    figures.contacts += static_cast<double>(contacts.size());
    judged += 1;
  }
  figures.support /= judged;
  figures.contacts /= judged;
  engine->read(after);
  figures.kinetic_energy = dynamics::energy(world.model, after).kinetic;
  return figures;
}

/// The scene that all engines start from: a bed that Talus has let settle, or a wall as built.
test::World make_scene(const Arguments& arguments) {
  if (arguments.scene == "wall") {
    const int side = static_cast<int>(arguments.size);
    return toothed_wall(side, side);
  }
  test::World world =
      (arguments.file.empty() ? lattice_bed(arguments.size) : read_bed(arguments.file)).world;
  const EngineOptions options{arguments.engine.step_size, 0, 1e-4};
  const auto talus = talus_engine().make(world.model, world.state, options);
  for (Index k = 0; arguments.file.empty() && k < arguments.settle; ++k) talus->step();
  talus->read(world.state);
  return world;
}

int run(const Arguments& arguments) {
  parallel::set_thread_count(1);
  const test::World world = make_scene(arguments);
  fmt::print("{}; CPU time; {} of {} bodies, h = {} s, {} steps, the last {} count\n",
             describe_host(), arguments.scene, world.model.body_count(), arguments.engine.step_size,
             arguments.steps, arguments.window);
  Table table({"engine", "iterations", "ms/step", "fastest", "ratio", "contacts", "penetration_%",
               "kinetic_J", "support", "natural_map", "worst_m/s", "motion", "settings"});
  double talus_ms = 0;
  for (const EngineEntry& entry : engines()) {
    const auto& wanted = arguments.engines;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), entry.name) == wanted.end())
      continue;
    const bool is_talus = entry.name == "talus";
    const std::size_t runs = is_talus ? arguments.tolerances.size() : arguments.iterations.size();
    for (std::size_t run = 0; run < runs; ++run) {
      EngineOptions options = arguments.engine;
      if (is_talus)
        options.tolerance = arguments.tolerances[run];
      else
        options.iterations = arguments.iterations[run];
      Figures f;
      try {
        f = run_engine(entry, world, arguments, options);
      } catch (const InputError& error) {
        fmt::print("{}: {}\n", entry.name, error.what());
        continue;
      }
      if (is_talus && run == 0) talus_ms = f.ms;
      table.add(
          {entry.name,
           is_talus ? fmt::format("to {}", options.tolerance) : fmt::to_string(options.iterations),
           fmt::format("{:.3g}", f.ms), fmt::format("{:.3g}", f.fastest_ms),
           talus_ms > 0 ? fmt::format("{:.3g}", f.ms / talus_ms) : "-",
           fmt::format("{:.0f}", f.contacts), fmt::format("{:.3g}", 100 * f.penetration),
           fmt::format("{:.2g}", f.kinetic_energy), fmt::format("{:.4f}", f.support),
           fmt::format("{:.2g}", f.worst.natural_map),
           fmt::format("{:.2g}", f.worst.worst_velocity),
           fmt::format("{:.2g}", f.worst.equation_of_motion), entry.version});
      std::fflush(stdout);
    }
  }
  fmt::print("{}", table.as_lines());
  if (!arguments.csv.empty()) table.write_csv(arguments.csv);
  return 0;
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  talus::bench::Arguments arguments;
  CLI::App app(
      "Runs one scene in every engine found and prints one row each (bench/peers/README.md).");
  app.add_option("scene", arguments.scene, "bed of spheres, or wall of bricks")
      ->check(CLI::IsMember({"bed", "wall"}));
  app.add_option("--size", arguments.size, "Spheres of the bed; bricks and courses of the wall")
      ->check(CLI::PositiveNumber);
  app.add_option("--file", arguments.file, "Bed from a CSV file instead")->check(CLI::ExistingFile);
  app.add_option("--engines", arguments.engines, "Only these: talus,bullet,ode,mujoco")
      ->delimiter(',');
  app.add_option("--iterations", arguments.iterations, "Of the other engines: 10,50")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--settle", arguments.settle, "Steps in which Talus lets a generated bed settle");
  app.add_option("--steps", arguments.steps, "Steps of every engine")->check(CLI::PositiveNumber);
  app.add_option("--window", arguments.window, "Steps at the end that count, 10 at least")
      ->check(CLI::Range(10, 1000000));
  app.add_option("--step-size", arguments.engine.step_size, "h [s]")->check(CLI::PositiveNumber);
  app.add_option("--tolerances", arguments.tolerances, "Of Talus; ratios are to the first")
      ->delimiter(',')
      ->check(CLI::Range(1e-12, 0.1));
  app.add_option("--csv", arguments.csv, "Write the table as a CSV file");
  CLI11_PARSE(app, argc, argv);
  return talus::bench::exit_code("peer_table", [&] { return talus::bench::run(arguments); });
}
