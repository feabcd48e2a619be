// Time per contact relaxation of solve::RigidNsgs, and what memory allows. Counters:
// bench/README.md.

#include <benchmark/benchmark.h>

#include <algorithm>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/packing.hpp"
#include "support/triad.hpp"

namespace talus::bench {
namespace {

constexpr Index kWarmUp = 4;  // sweeps before the clock starts
constexpr Index kTimed = 32;  // sweeps per iteration of a benchmark

/// Bytes a sweep reads and writes at least, each line once per pass over it.
double sweep_bytes(const problem::RigidContact& problem, bool momentum) {
  const double impulses = 2.0 * sizeof(Vec3) * (momentum ? 2 : 1);  // read and written
  const double block = 2.0 * sizeof(Mat3);                          // frame and A
  const double bodies = 2.0 * sizeof(problem::BodyVelocity) * (momentum ? 3 : 1);
  return static_cast<double>(problem.central.batches.size()) *
             (sizeof(problem::CentralBatch) + problem::kLanes * impulses) +
         static_cast<double>(problem.general.size()) *
             (sizeof(problem::GeneralContact) + block + impulses) +
         static_cast<double>(problem.bodies.size()) * bodies +
         static_cast<double>(problem.inverse_inertia.size()) * sizeof(Mat3);
}

/// Bytes one relaxation of a central contact touches, its two bodies counted in full.
double touched_bytes(bool momentum) {
  return sizeof(problem::CentralBatch) / 8.0 + sizeof(Vec3) * (momentum ? 2.0 : 1.0) +
         2.0 * sizeof(problem::BodyVelocity);
}

/// The same sweeps of the same problem in every iteration, from zero impulses, gate 0.
void time_sweeps(benchmark::State& state, const problem::RigidContact& problem, bool momentum,
                 Simd simd = best_simd(), int threads = 1) {
  parallel::set_thread_count(threads);
  solve::RigidNsgs solver(simd);
  solve::RigidNsgsOptions options;
  if (!momentum) options.momentum_cap = 0;
  Index sweeps = 0;
  for (auto _ : state) {
    state.PauseTiming();
    solver.start(problem, {});
    const Index before = solver.run(0, kWarmUp, options, {}).iterations;
    state.ResumeTiming();
    sweeps += solver.run(0, kWarmUp + kTimed, options, {}).iterations - before;
    benchmark::DoNotOptimize(solver.velocity().data());
  }
  using benchmark::Counter;
  const double contacts = static_cast<double>(problem.contact_count());
  const double relaxations = static_cast<double>(sweeps) * contacts;
  const double bytes = sweep_bytes(problem, momentum);
  const double bandwidth = triad_bandwidth(static_cast<std::size_t>(bytes));
  state.counters["per_relaxation"] = Counter(relaxations, Counter::kIsRate | Counter::kInvert);
  state.counters["contacts"] = contacts;
  state.counters["sweep_MB"] = bytes / 1e6;
  state.counters["triad_GB/s"] = bandwidth / 1e9;
  state.counters["bound_ns"] = bytes / contacts / bandwidth * 1e9;
}

void sphere_sweeps(benchmark::State& state, Numbering numbering, bool momentum) {
  const auto problem = closed_contacts(sphere_bed(static_cast<int>(state.range(0)), numbering), 0);
  time_sweeps(state, problem, momentum);
  state.counters["bytes_per_contact"] = touched_bytes(momentum);
}
BENCHMARK_CAPTURE(sphere_sweeps, plain, Numbering::lattice, false)->Arg(10)->Arg(40);
BENCHMARK_CAPTURE(sphere_sweeps, momentum, Numbering::lattice, true)->Arg(10)->Arg(40);
BENCHMARK_CAPTURE(sphere_sweeps, plain_shuffled, Numbering::shuffled, false)->Arg(10)->Arg(40);
BENCHMARK_CAPTURE(sphere_sweeps, momentum_shuffled, Numbering::shuffled, true)->Arg(10)->Arg(40);

/// Every instruction set that the machine has; the answers are the same to the last bit.
void simd_sweeps(benchmark::State& state, Simd simd) {
  const auto levels = simd_levels();
  if (std::find(levels.begin(), levels.end(), simd) == levels.end()) {
    state.SkipWithError("this machine does not have the instruction set");
    return;
  }
  const auto problem =
      closed_contacts(sphere_bed(static_cast<int>(state.range(0)), Numbering::lattice), 0);
  time_sweeps(state, problem, false, simd);
}
BENCHMARK_CAPTURE(simd_sweeps, baseline, Simd::baseline)->Arg(10)->Arg(40);
BENCHMARK_CAPTURE(simd_sweeps, avx2, Simd::avx2)->Arg(10)->Arg(40);
BENCHMARK_CAPTURE(simd_sweeps, avx512, Simd::avx512)->Arg(10)->Arg(40);

/// Wall time with so many threads.
void threaded_sweeps(benchmark::State& state, bool momentum) {
  const auto problem =
      closed_contacts(sphere_bed(static_cast<int>(state.range(0)), Numbering::lattice), 0);
  time_sweeps(state, problem, momentum, best_simd(), static_cast<int>(state.range(1)));
  parallel::set_thread_count(1);
}
BENCHMARK_CAPTURE(threaded_sweeps, plain, false)
    ->ArgsProduct({{20, 40}, {1, 2}})
    ->UseRealTime()
    ->ArgNames({"side", "threads"});
BENCHMARK_CAPTURE(threaded_sweeps, momentum, true)
    ->ArgsProduct({{20, 40}, {1, 2}})
    ->UseRealTime()
    ->ArgNames({"side", "threads"});

void brick_sweeps(benchmark::State& state, bool momentum) {
  const int side = static_cast<int>(state.range(0));
  time_sweeps(state, closed_contacts(brick_wall(side, side), 1e-5), momentum);
}
BENCHMARK_CAPTURE(brick_sweeps, plain, false)->Arg(10)->Arg(80);
BENCHMARK_CAPTURE(brick_sweeps, momentum, true)->Arg(10)->Arg(80);

/// A whole solve to a certified 1e-4 from a zero guess.
void sphere_solve(benchmark::State& state, const char* solver) {
  const auto problem =
      closed_contacts(sphere_bed(static_cast<int>(state.range(0)), Numbering::lattice), 0);
  driver::Options options;
  options.solver = solver;
  options.tolerance = 1e-4;
  options.max_iterations = 5000;
  driver::RigidContactSolution solution;
  for (auto _ : state) driver::solve(problem, options, {}, solution);
  state.counters["contacts"] = static_cast<double>(problem.contact_count());
  state.counters["sweeps"] = static_cast<double>(solution.report.iterations);
  state.counters["natural_map"] = solution.certificate.natural_map;
  state.SetLabel(std::string(problem::to_string(solution.report.status)));
}
BENCHMARK_CAPTURE(sphere_solve, nsgs, "nsgs")->Unit(benchmark::kMillisecond)->Arg(10);
BENCHMARK_CAPTURE(sphere_solve, nsgs, "nsgs")
    ->Unit(benchmark::kMillisecond)
    ->Arg(40)
    ->Iterations(1);

/// Memory bandwidth of one thread, at a size [MB] of all arrays together.
void triad(benchmark::State& state) {
  double bandwidth = 0;
  for (auto _ : state)
    bandwidth = triad_bandwidth(static_cast<std::size_t>(state.range(0)) * 1'000'000);
  state.counters["triad_GB/s"] = bandwidth / 1e9;
}
BENCHMARK(triad)->Arg(384)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace talus::bench
