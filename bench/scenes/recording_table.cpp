// What recording costs beside the steps of a bed at rest: ./talus bench recording [--tiles N …].
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <talus/parallel/executor.hpp>
#include <talus/record/recorder.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "scenes/bed_run.hpp"
#include "support/clock.hpp"
#include "support/exit_code.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

namespace fs = std::filesystem;
using record::Precision;

/// What a run records.
struct Setting {
  const char* name;
  Index every;           ///< steps from frame to frame
  Precision precision;   ///< of frames
  Index contacts_every;  ///< steps; 0: none
};
constexpr Setting kSettings[] = {
    {"every 1", 1, Precision::single_precision, 10},
    {"every 1, all contacts", 1, Precision::single_precision, 1},
    {"every 1, no contacts", 1, Precision::single_precision, 0},
    {"every 1, double, all", 1, Precision::double_precision, 1},
    {"every 20", 20, Precision::single_precision, 200},
    {"every 20, double, all", 20, Precision::double_precision, 20},
};

struct Arguments {
  Index tile = 4000, settle = 3000, steps = 60;
  int tiles = 5, repeats = 3, threads = 1;
  Real tolerance = 1e-4;
  std::string folder = ".";
};

/// Seconds of some steps, as they passed and as all threads computed; with what was certified.
struct Cost {
  double wall = 0, cpu = 0;
  Real certificate = 0;
  Index uncertified = 0, frames = 0;
  std::uintmax_t bytes = 0;
};

/// The same steps each time, from the start of the bed.
Cost run(const Bed& bed, const Arguments& arguments, const Setting* setting) {
  stepping::SchemeOptions options;
  options.solver.tolerance = arguments.tolerance;
  options.solver.max_iterations = 5000;
  const auto scheme = stepping::make_scheme(bed.world.model, options);
  if (bed.memory.step_size > 0) scheme->recall(bed.memory);
  model::State state = bed.world.state;
  const fs::path path = fs::path(arguments.folder) / "recording_table.h5";
  std::unique_ptr<record::Recorder> recorder;
  if (setting != nullptr) {
    record::RecorderOptions how;
    how.precision = setting->precision;
    how.contacts_every = setting->contacts_every;
    recorder = std::make_unique<record::Recorder>(path, bed.world.model, stepping::Energy{},
                                                  record::Provenance{}, how);
    recorder->record_frame(0, state, scheme->memory());
  }
  (void)scheme->step(state, 1e-3);  // makes what later steps use
  const std::uintmax_t empty = recorder ? fs::file_size(path) : 0;
  Cost cost;
  const double wall = wall_seconds(), cpu = cpu_seconds();
  for (Index k = 2; k < 2 + arguments.steps; ++k) {
    const stepping::StepReport report = scheme->step(state, 1e-3);
    cost.certificate = std::max(cost.certificate, report.certificate.natural_map);
    cost.uncertified += report.is_certified() ? 0 : 1;
    if (!recorder) continue;
    if (k % setting->every == 0) {
      recorder->record_frame(k, state, scheme->memory());
      ++cost.frames;
    }
    recorder->record_step(k, state.time, report, nullptr, 0);
  }
  if (recorder) recorder->finish(record::RunStatus::finished);
  cost.wall = wall_seconds() - wall;
  cost.cpu = cpu_seconds() - cpu;
  if (recorder) cost.bytes = fs::file_size(path) - std::min(empty, fs::file_size(path));
  recorder.reset();
  fs::remove(path);
  return cost;
}

void add_row(Table& table, const char* name, const Cost& cost, const Cost& plain, double bodies,
             Index steps) {
  const double frames = static_cast<double>(cost.frames);
  const auto per_frame = [&](double seconds) { return 1e6 * seconds / (frames * bodies); };
  const auto in_steps = [&](double seconds, double all) {
    return seconds / frames / (all / static_cast<double>(steps));
  };
  table.add({name, fmt::format("{:.2f}", 1e3 * cost.wall / static_cast<double>(steps)),
             fmt::format("{:.2f}", per_frame(cost.wall - plain.wall)),
             fmt::format("{:.2f}", per_frame(cost.cpu - plain.cpu)),
             fmt::format("{:.2f}", in_steps(cost.wall - plain.wall, plain.wall)),
             fmt::format("{:.2f}", in_steps(cost.cpu - plain.cpu, plain.cpu)),
             fmt::format("{:.1f}", static_cast<double>(cost.bytes) / (frames * bodies)),
             fmt::format("{:.2g}", cost.certificate), fmt::to_string(cost.uncertified)});
}

int run(const Arguments& arguments) {
  parallel::set_thread_count(arguments.threads);
  Bed tile = lattice_bed(arguments.tile);
  smooth_walls(tile);
  RunOptions settle;
  settle.steps = arguments.settle;
  settle.scheme.solver.tolerance = arguments.tolerance;
  settle.scheme.solver.max_iterations = 5000;
  const RunResult settled = run_bed(tile, settle);
  const Bed bed = mirror_settled(tile, settled.state, settled.memory, arguments.tiles);
  const auto bodies = static_cast<double>(bed.world.model.body_count());
  const auto keep_best = [](Cost& best, const Cost& cost) {
    best.wall = best.frames == 0 && best.wall == 0 ? cost.wall : std::min(best.wall, cost.wall);
    best.cpu = best.cpu == 0 ? cost.cpu : std::min(best.cpu, cost.cpu);
    best.certificate = cost.certificate;
    best.uncertified = cost.uncertified;
    best.frames = cost.frames;
    best.bytes = cost.bytes;
  };
  Cost plain;
  std::vector<Cost> costs(std::size(kSettings));
  for (int repeat = 0; repeat < arguments.repeats; ++repeat) {
    keep_best(plain, run(bed, arguments, nullptr));
    for (std::size_t i = 0; i < costs.size(); ++i)
      keep_best(costs[i], run(bed, arguments, &kSettings[i]));
  }
  const double step = static_cast<double>(arguments.steps);
  fmt::print(
      "{} bodies at rest, {} steps, {} thread(s), the shortest of {}: a step takes {:.2f} ms "
      "(processor {:.2f}), natural map {:.2g}, {} uncertified\n",
      bed.world.model.body_count(), arguments.steps, arguments.threads, arguments.repeats,
      1e3 * plain.wall / step, 1e3 * plain.cpu / step, plain.certificate, plain.uncertified);
  Table table({"recorded", "step_ms", "us_wall", "us_cpu", "steps_wall", "steps_cpu", "B",
               "certificate", "uncertified"});
  for (std::size_t i = 0; i < costs.size(); ++i)
    add_row(table, kSettings[i].name, costs[i], plain, bodies, arguments.steps);
  fmt::print("{}us, B: per body and frame; steps: of a frame, in steps at rest without record\n",
             table.as_lines());
  return 0;
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  talus::bench::Arguments arguments;
  CLI::App app("Records a bed at rest and prints what a frame costs (bench/README.md).");
  app.add_option("--tile", arguments.tile, "Spheres of a tile")->check(CLI::PositiveNumber);
  app.add_option("--tiles", arguments.tiles, "N × N mirrored tiles")->check(CLI::Range(1, 64));
  app.add_option("--settle", arguments.settle, "Steps in which the tile falls first")
      ->check(CLI::PositiveNumber);
  app.add_option("--steps", arguments.steps, "Steps that are timed")->check(CLI::PositiveNumber);
  app.add_option("--repeats", arguments.repeats, "Runs; the shortest counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "Threads of the steps")
      ->check(CLI::Range(1, 1024));
  app.add_option("--folder", arguments.folder, "Where the records are written and removed")
      ->check(CLI::ExistingDirectory);
  CLI11_PARSE(app, argc, argv);
  return talus::bench::exit_code("recording_table", [&] { return talus::bench::run(arguments); });
}
