// Two threads beside one, on a quiet machine and beside a process that keeps one core busy:
// ./talus bench threads [--size N …].
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <talus/parallel/executor.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "support/beds.hpp"
#include "support/clock.hpp"
#include "support/table.hpp"

namespace talus::bench {
namespace {

/// Keeps processor 0 busy while it lives.
class BusyProcess {
 public:
  explicit BusyProcess(bool is_wanted) {
    if (!is_wanted) return;
    child_ = fork();
    if (child_ != 0) return;
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    sched_setaffinity(0, sizeof processors, &processors);
    for (volatile unsigned long turns = 0;;) turns = turns + 1;
  }
  ~BusyProcess() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  BusyProcess(const BusyProcess&) = delete;
  BusyProcess& operator=(const BusyProcess&) = delete;

 private:
  pid_t child_ = -1;
};

struct Arguments {
  Index size = 8000, settle = 1500, fall = 220, steps = 20;
  int repeats = 9, threads = 2;
  Real tolerance = 1e-4;
};

stepping::SchemeOptions scheme_options(const Arguments& arguments) {
  stepping::SchemeOptions options;
  options.solver.tolerance = arguments.tolerance;
  options.solver.max_iterations = 5000;
  return options;
}

/// A bed after some steps, to be continued from.
struct Moment {
  std::string name;
  model::State state;
  stepping::SchemeMemory memory;
};

Moment moment_after(const char* name, const Bed& bed, Index steps, const Arguments& arguments) {
  const auto scheme = stepping::make_scheme(bed.world.model, scheme_options(arguments));
  Moment moment{name, bed.world.state, {}};
  for (Index k = 0; k < steps; ++k) (void)scheme->step(moment.state, 1e-3);
  moment.memory = scheme->memory();
  return moment;
}

struct Timing {
  double ms = 0;  ///< per step, wall time
  Real certificate = 0;
  std::uint64_t hash = 0;
};

Timing time_steps(const Bed& bed, const Moment& moment, const Arguments& arguments, int threads) {
  parallel::set_thread_count(threads);
  const auto scheme = stepping::make_scheme(bed.world.model, scheme_options(arguments));
  scheme->recall(moment.memory);
  model::State state = moment.state;
  (void)scheme->step(state, 1e-3);  // makes what later steps use
  Timing timing;
  const double start = wall_seconds();
  for (Index k = 0; k < arguments.steps; ++k)
    timing.certificate =
        std::max(timing.certificate, scheme->step(state, 1e-3).certificate.natural_map);
  timing.ms = 1e3 * (wall_seconds() - start) / static_cast<double>(arguments.steps);
  timing.hash = state.hash();
  return timing;
}

double median(std::vector<double> numbers) {
  std::nth_element(numbers.begin(),
                   numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2),
                   numbers.end());
  return numbers[numbers.size() / 2];
}

void add_row(Table& table, const Bed& bed, const Moment& moment, const Arguments& arguments,
             bool is_busy) {
  const BusyProcess busy(is_busy);
  std::vector<double> one, many, ratio;
  Timing last;
  bool are_equal = true;
  for (int repeat = 0; repeat < arguments.repeats; ++repeat) {
    const Timing single = time_steps(bed, moment, arguments, 1);
    last = time_steps(bed, moment, arguments, arguments.threads);
    are_equal = are_equal && last.hash == single.hash;
    one.push_back(single.ms);
    many.push_back(last.ms);
    ratio.push_back(last.ms / single.ms);
  }
  const auto shortest = [](const std::vector<double>& times) {
    return *std::min_element(times.begin(), times.end());
  };
  table.add({moment.name, is_busy ? "a core busy" : "quiet", fmt::format("{:.2f}", median(one)),
             fmt::format("{:.2f}", median(many)), fmt::format("{:.2f}", median(ratio)),
             fmt::format("{:.2f}", shortest(many) / shortest(one)),
             fmt::format("{:.2g}", last.certificate), are_equal ? "yes" : "NO"});
}

int run(const Arguments& arguments) {
  const Bed bed = lattice_bed(arguments.size);
  parallel::set_thread_count(1);
  std::vector<Moment> moments;
  moments.push_back(moment_after("settled", bed, arguments.settle, arguments));
  moments.push_back(moment_after("collapse", bed, arguments.fall, arguments));
  double load = 0;
  (void)getloadavg(&load, 1);
  fmt::print(
      "{} spheres, {} steps, {} repeats in turn, wall time, load average at the start {:.1f}\n",
      arguments.size, arguments.steps, arguments.repeats, load);
  Table table({"bed", "machine", "one_ms", fmt::format("{}_ms", arguments.threads), "ratio",
               "shortest", "certificate", "equal_bits"});
  for (const Moment& moment : moments)
    for (const bool is_busy : {false, true}) add_row(table, bed, moment, arguments, is_busy);
  fmt::print("{}ratio: median over the repeats of the time of {} threads over that of one\n",
             table.as_lines(), arguments.threads);
  return 0;
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  talus::bench::Arguments arguments;
  CLI::App app("Times steps of a bed with threads beside one thread (bench/README.md).");
  app.add_option("--size", arguments.size, "Spheres")->check(CLI::PositiveNumber);
  app.add_option("--settle", arguments.settle, "Steps until it is settled")
      ->check(CLI::PositiveNumber);
  app.add_option("--fall", arguments.fall, "Steps until it collapses")->check(CLI::PositiveNumber);
  app.add_option("--steps", arguments.steps, "Steps that are timed")->check(CLI::PositiveNumber);
  app.add_option("--repeats", arguments.repeats, "Repeats, in turn")->check(CLI::PositiveNumber);
  app.add_option("--threads", arguments.threads, "Threads beside one")->check(CLI::Range(2, 1024));
  CLI11_PARSE(app, argc, argv);
  return talus::bench::run(arguments);
}
