// Steps and sweeps of a bed on several ranks: mpirun -n 2 ranks_table [bed.csv …]
// (bench/README.md). One line per bed; the ratio to one rank is that of two runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <talus/distribute/mpi/mpi_ranks.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "ratios/measured.hpp"
#include "support/beds.hpp"
#include "support/clock.hpp"
#include "support/exit_code.hpp"
#include "support/host.hpp"
#include "support/per_sweep.hpp"
#include "support/step_problem.hpp"

namespace talus::bench {
namespace {

struct Arguments {
  std::vector<Index> sizes;
  std::vector<std::string> files;
  Index before = 20, steps = 100;
  Real tolerance = 1e-4;
};

/// What a rank has needed for a step or a sweep [ms].
struct Times {
  double wall = 0;
  double processor = 0;
  double computing = 0;  // of the wall time, outside messages

  void take_least(const Times& other) {
    wall = std::min(wall, other.wall);
    processor = std::min(processor, other.processor);
    computing = std::min(computing, other.computing);
  }
  Times operator-(const Times& other) const {
    return {wall - other.wall, processor - other.processor, computing - other.computing};
  }
  Times operator/(double count) const {
    return {wall / count, processor / count, computing / count};
  }
};

/// Without MPI's launcher: this process alone.
distribute::Ranks* world() {
  static const std::unique_ptr<distribute::MpiRanks> joined = distribute::MpiRanks::join();
  return joined.get();
}

template <class Run>
Times times_of(const Run& run) {
  const auto waiting = [] { return world() == nullptr ? 0 : world()->work().waiting_seconds; };
  const double wall = wall_seconds(), processor = cpu_seconds(), waited = waiting();
  run();
  const double passed = wall_seconds() - wall;
  return {1e3 * passed, 1e3 * (cpu_seconds() - processor), 1e3 * (passed - waiting() + waited)};
}

/// The largest of all ranks, each by itself.
Times largest(const Times& own) {
  Real numbers[] = {own.wall, own.processor, own.computing};
  if (world() != nullptr) world()->take_largest(numbers);
  return {numbers[0], numbers[1], numbers[2]};
}

stepping::SchemeOptions scheme_options(const Arguments& arguments) {
  stepping::SchemeOptions options;
  options.solver.tolerance = arguments.tolerance;
  options.solver.max_iterations = 5000;
  return options;
}

/// A sweep of the next step's problem, the least of several.
Times times_of_sweep(const Bed& bed, const model::State& state, const Arguments& arguments) {
  StepProblem step(bed.world.model);
  step.build(state, 1e-3, scheme_options(arguments));
  return per_sweep([&](Index sweeps) {
    Times shortest{1e9, 1e9, 1e9};
    for (int repeat = 0; repeat < 9; ++repeat) {
      solve::RigidNsgs nsgs;
      nsgs.start(step.problem(), {});
      shortest.take_least(times_of([&] { (void)nsgs.run(0, sweeps, {}, {}); }));
    }
    return shortest;
  });
}

std::string as_text(const Times& of_rank) {
  const Times times = largest(of_rank);
  return fmt::format("wall {:.3f} processor {:.3f} computing {:.3f} ms", times.wall,
                     times.processor, times.computing);
}

void run_bed(const std::string& name, const Bed& bed, const Arguments& arguments) {
  const auto scheme = stepping::make_scheme(bed.world.model, scheme_options(arguments));
  model::State state = bed.world.state;
  if (bed.memory.step_size > 0) scheme->recall(bed.memory);
  scheme->allow_parts(true);
  for (Index k = 0; k < arguments.before; ++k) (void)scheme->step(state, 1e-3);
  Times least{1e9, 1e9, 1e9}, mean;
  Index sweeps = 0;
  const auto count = static_cast<double>(arguments.steps);
  measured([&] {
    for (Index k = 0; k < arguments.steps; ++k) {
      const Times step = times_of([&] { sweeps += scheme->step(state, 1e-3).iterations; });
      least.take_least(step);
      mean.wall += step.wall / count;
      mean.processor += step.processor / count;
      mean.computing += step.computing / count;
    }
  });
  state.complete();
  const std::string of_least = as_text(least), of_mean = as_text(mean),
                    of_sweep = as_text(times_of_sweep(bed, state, arguments));
  if (world() != nullptr && !world()->is_first()) return;
  fmt::print("{}: {} bodies, {} rank(s), {:.1f} sweeps a step, state {:016x}\n", name,
             bed.world.model.body_count() - 5, world() == nullptr ? 1 : world()->count(),
             static_cast<double>(sweeps) / count, state.hash());
  fmt::print("  step, least  {}\n  step, mean   {}\n  sweep, least {}\n", of_least, of_mean,
             of_sweep);
  std::fflush(stdout);
}

int run(const Arguments& arguments) {
  std::optional<distribute::Sharing> sharing;
  if (world() != nullptr && world()->count() > 1) sharing.emplace(*world());
  parallel::set_thread_count(1);
  for (const Index size : arguments.sizes)
    run_bed(fmt::format("lattice_{}", size), lattice_bed(size), arguments);
  for (const std::string& file : arguments.files)
    run_bed(std::filesystem::path(file).stem().string(), read_bed(file), arguments);
  return 0;
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  talus::bench::Arguments arguments;
  CLI::App app("Times steps and sweeps of beds on the ranks that mpirun starts (bench/README.md).");
  app.add_option("--sizes", arguments.sizes, "Spheres of generated beds that fall")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("files", arguments.files, "Beds from CSV files, as bed_table --save writes them")
      ->check(CLI::ExistingFile);
  app.add_option("--before", arguments.before, "Steps before those that are timed");
  app.add_option("--steps", arguments.steps, "Steps that are timed")->check(CLI::PositiveNumber);
  app.add_option("--tolerance", arguments.tolerance, "Of the certificate");
  CLI11_PARSE(app, argc, argv);
  return talus::bench::exit_code("ranks_table", [&] { return talus::bench::run(arguments); });
}
