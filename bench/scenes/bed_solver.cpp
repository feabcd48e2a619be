#include <algorithm>
#include <cmath>
#include <numbers>

#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "scenes/bed_run.hpp"
#include "support/clock.hpp"
#include "support/per_sweep.hpp"
#include "support/step_problem.hpp"
#include "support/traffic.hpp"
#include "support/triad.hpp"

namespace talus::bench {
namespace {

/// Sweeps to a certified tolerance; −1 where they do not get there.
Index sweeps_to(Real tolerance, const problem::RigidContact& problem,
                const problem::ContactImpulses& guess) {
  driver::Options options;
  options.solver = "nsgs";
  options.tolerance = tolerance;
  options.max_iterations = 20000;
  driver::RigidContactSolution solution;
  const bool is_cold = guess.empty();
  driver::solve(problem, options, is_cold ? problem::ContactImpulses{} : guess, solution);
  const bool is_there = solution.report.status == problem::SolveStatus::converged;
  return is_there ? solution.report.iterations : -1;
}

/// Seconds of a solve that is stopped after so many sweeps, the shortest of several.
double seconds_of(Index sweeps, const problem::RigidContact& problem, double (*seconds)()) {
  driver::Options options;
  options.solver = "nsgs";
  options.tolerance = 1e-15;
  options.max_iterations = sweeps;
  driver::RigidContactSolution solution;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 7; ++run) {
    const double start = seconds();
    driver::solve(problem, options, {}, solution);
    best = std::min(best, seconds() - start);
  }
  return best;
}

/// Seconds of so many sweeps without a certificate, the shortest of several, in single precision
/// from the thirteenth on.
double seconds_of_single(Index sweeps, const problem::RigidContact& problem, double (*seconds)()) {
  solve::RigidNsgsOptions options;
  options.single_gate = 0;
  solve::RigidNsgs nsgs;
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 7; ++run) {
    const double start = seconds();
    nsgs.start(problem, {});
    (void)nsgs.run(0, sweeps, options, {});
    best = std::min(best, seconds() - start);
  }
  return best;
}

/// Everything on the problem of the next step as it is.
void measure_next(const Bed& bed, const RunResult& run, const RunOptions& options,
                  SolverResult& result) {
  const auto seconds = options.use_wall_clock ? wall_seconds : cpu_seconds;
  StepProblem step(bed.world.model);
  step.build(run.state, options.step_size, options.scheme);
  const problem::RigidContact& problem = step.problem();
  const problem::ContactImpulses guess = step.warm_start(run.memory.contacts);
  result.contacts = problem.contact_count();
  result.active = std::count_if(run.memory.contacts.begin(), run.memory.contacts.end(),
                                [](const auto& contact) { return !contact.impulse.isZero(0); });
  result.cold_3 = sweeps_to(1e-3, problem, {});
  result.cold_4 = sweeps_to(1e-4, problem, {});
  result.warm_3 = sweeps_to(1e-3, problem, guess);
  result.warm_4 = sweeps_to(1e-4, problem, guess);

  const Real contacts = static_cast<Real>(result.contacts);
  const double sweep =
      per_sweep([&](Index sweeps) { return seconds_of(sweeps, problem, seconds); });
  result.ns_per_relaxation = 1e9 * sweep / contacts;
  constexpr Index kBefore = 32;  // sweeps, until all of them are of single precision
  result.ns_of_single = 1e9 / contacts * per_sweep([&](Index sweeps) {
                          return seconds_of_single(kBefore + sweeps, problem, seconds);
                        });
  const double bytes = sweep_bytes(problem, true);
  result.bytes_per_relaxation = bytes / contacts;
  result.bandwidth = 1e9 * result.bytes_per_relaxation / result.ns_per_relaxation;
  result.triad = triad_bandwidth(static_cast<std::size_t>(bytes));
}

/// Sweeps after gravity has turned by 2°.
void measure_tilted(const Bed& bed, const RunResult& run, const RunOptions& options,
                    SolverResult& result) {
  model::Model tilted = bed.world.model;
  const Real angle = 2 * std::numbers::pi / 180, g = tilted.gravity.norm();
  tilted.gravity = g * Vec3(std::sin(angle), 0, -std::cos(angle));
  StepProblem tilt(tilted);
  tilt.build(run.state, options.step_size, options.scheme);
  const problem::ContactImpulses guess = tilt.warm_start(run.memory.contacts);
  result.tilt_3 = sweeps_to(1e-3, tilt.problem(), guess);
  result.tilt_4 = sweeps_to(1e-4, tilt.problem(), guess);
}

}  // namespace

SolverResult measure_solver(const Bed& bed, const RunResult& run, const RunOptions& options) {
  SolverResult result;
  measure_next(bed, run, options,
               result);  // one after the other: each needs the bed's memory again
  measure_tilted(bed, run, options, result);
  return result;
}

}  // namespace talus::bench
