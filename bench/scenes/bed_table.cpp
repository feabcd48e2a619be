// Beds of spheres, one row each: see bench/README.md, "Beds of spheres".

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <functional>

#include <talus/parallel/executor.hpp>

#include "scenes/bed_run.hpp"
#include "support/exit_code.hpp"
#include "support/host.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

struct Arguments {
  std::vector<Index> sizes;
  std::vector<std::string> files;
  std::string csv, save;
  int tiles = 1, threads = 1;
  Index settle = 0;
  bool is_shuffled = false;
  Real tolerance = 1e-4;
  RunOptions run;
};

Table table_columns() {
  return Table({"bed",         "bodies",         "contacts",      "active",
                "settled_ms",  "settled_sweeps", "collapse_ms",   "collapse_sweeps",
                "certificate", "uncertified",    "penetration_%", "end_%",
                "kinetic_J",   "support",        "ns_relax",      "ns_single",
                "step_ns",     "cold_3",         "cold_4",        "warm_3",
                "warm_4",      "tilt_3",         "tilt_4",        "B_relax",
                "GB/s",        "triad_GB/s",     "roof_%",        "B_body",
                "hash"});
}

void add_row(Table& table, const std::string& name, const Bed& bed, const RunResult& run,
             const SolverResult& solver) {
  table.add({name,
             fmt::to_string(bed.world.model.body_count() - 5),
             fmt::to_string(solver.contacts),
             fmt::to_string(solver.active),
             fmt::format("{:.3g}", run.settled.ms),
             fmt::format("{:.3g}", run.settled.sweeps),
             fmt::format("{:.3g}", run.collapse.ms),
             fmt::format("{:.4g}", run.collapse.sweeps),
             fmt::format("{:.2g}", run.worst_certificate),
             fmt::to_string(run.uncertified_steps),
             fmt::format("{:.3f}", 100 * run.penetration),
             fmt::format("{:.3f}", 100 * run.penetration_end),
             fmt::format("{:.2g}", run.kinetic_energy),
             fmt::format("{:.4f}", run.support),
             fmt::format("{:.1f}", solver.ns_per_relaxation),
             fmt::format("{:.1f}", solver.ns_of_single),
             fmt::format("{:.1f}", run.collapse.ns_per_relaxation),
             fmt::to_string(solver.cold_3),
             fmt::to_string(solver.cold_4),
             fmt::to_string(solver.warm_3),
             fmt::to_string(solver.warm_4),
             fmt::to_string(solver.tilt_3),
             fmt::to_string(solver.tilt_4),
             fmt::format("{:.0f}", solver.bytes_per_relaxation),
             fmt::format("{:.1f}", solver.bandwidth / 1e9),
             fmt::format("{:.1f}", solver.triad / 1e9),
             fmt::format("{:.0f}", 100 * solver.bandwidth / solver.triad),
             fmt::format("{:.0f}", run.heap_per_body),
             fmt::format("{:016x}", run.state_hash)});
}

void run_one(Table& table, const std::string& name, Bed bed, const Arguments& arguments) {
  if (arguments.settle > 0) {
    smooth_walls(bed);
    RunOptions options = arguments.run;
    options.steps = arguments.settle;
    const RunResult run = run_bed(bed, options);
    bed = mirror_settled(bed, run.state, run.memory, arguments.tiles);
  } else if (arguments.tiles > 1) {
    bed = mirror_tiles(bed, bed.world.state, arguments.tiles);
  }
  if (arguments.is_shuffled) shuffle(bed);
  const RunResult run = run_bed(bed, arguments.run);
  add_row(table, name, bed, run, measure_solver(bed, run, arguments.run));
  if (!arguments.save.empty()) write_bed(arguments.save, bed, run.state, run.memory);
  fmt::print("{}\n", table.last_row_as_text());
  std::fflush(stdout);
}

int run(Arguments arguments) {
  arguments.run.scheme.solver.tolerance = arguments.tolerance;
  arguments.run.scheme.solver.max_iterations = 5000;
  if (arguments.sizes.empty() && arguments.files.empty()) arguments.sizes = {1000};
  fmt::print(
      "{}; {} time; h = {} s, {} steps, certified at {}, windows of {} steps, {} thread(s)\n",
      describe_host(), arguments.run.use_wall_clock ? "wall" : "CPU", arguments.run.step_size,
      arguments.run.steps, arguments.tolerance, arguments.run.window, arguments.threads);
  parallel::set_thread_count(arguments.threads);
  Table table = table_columns();
  for (const Index size : arguments.sizes)
    run_one(table, fmt::format("lattice_{}", size), lattice_bed(size), arguments);
  for (const std::string& file : arguments.files)
    run_one(table, std::filesystem::path(file).stem().string(), read_bed(file), arguments);
  fmt::print("\n{}", table.as_text());
  if (!arguments.csv.empty()) table.write_csv(arguments.csv);
  return 0;
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  talus::bench::Arguments arguments;
  CLI::App app("Runs beds of spheres and prints one row of figures for each (bench/README.md).");
  app.add_option("--sizes", arguments.sizes, "Spheres of generated beds that fall: 1000,4000,8000")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("files", arguments.files, "Beds from CSV files: id,x,y,z,r[,vx,vy,vz,wx,wy,wz]")
      ->check(CLI::ExistingFile);
  app.add_option(
         "--tiles", arguments.tiles,
         "Make every bed larger: N × N mirrored copies, e.g. 4 of a settled 4000 for 64 000")
      ->check(CLI::Range(1, 64));
  app.add_option("--settle", arguments.settle,
                 "Let the tile, its walls smooth, fall for so many steps first; the copies start "
                 "with its impulses, at rest if it is")
      ->check(CLI::PositiveNumber);
  app.add_flag("--shuffle", arguments.is_shuffled, "Number the spheres at random");
  app.add_option("--steps", arguments.run.steps, "Steps of 1 ms")->check(CLI::PositiveNumber);
  app.add_option("--window", arguments.run.window, "Steps of the two windows")
      ->check(CLI::PositiveNumber);
  app.add_option("--repeats", arguments.run.repeats, "Runs; of each step the shortest counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--tolerance", arguments.tolerance, "Of the certificate")
      ->check(CLI::Range(1e-12, 0.1));
  app.add_option("--error-reduction", arguments.run.scheme.error_reduction,
                 "Share of a penetration below the slop that one step removes")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--solver", arguments.run.scheme.solver.solver, "Registry name");
  app.add_option("--threads", arguments.threads, "Threads; more than one need --wall to be seen")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--wall", arguments.run.use_wall_clock, "Time that passed instead of CPU time");
  app.add_option("--save", arguments.save,
                 "Write the last bed's end as a CSV file, with its impulses");
  app.add_option("--csv", arguments.csv, "Write the table as a CSV file");
  CLI11_PARSE(app, argc, argv);
  return talus::bench::exit_code("bed_table",
                                 [&] { return talus::bench::run(std::move(arguments)); });
}
