#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "support/beds.hpp"

namespace talus::bench {

/// How beds are run. Times are per step, in milliseconds.
struct RunOptions {
  Real step_size = 1e-3;  // h [s]
  Index steps = 1500;
  Index repeats = 1;   // of the whole run; of every step the shortest time counts
  Index window = 200;  // steps: the last ones are the settled window, the slowest the collapse
  bool use_wall_clock = false;
  stepping::SchemeOptions scheme;
};

/// Means over a window of steps.
struct Window {
  double ms = 0;
  double sweeps = 0;
  double contacts = 0;           // within their margins
  double ns_per_relaxation = 0;  // the whole step's time over contacts × sweeps
  Index last_step = 0;
};

/// The steps of a bed from its first state to its last.
struct RunResult {
  Window settled, collapse;
  Real worst_certificate = 0;
  Index uncertified_steps = 0;
  Real penetration = 0;      // largest of any step over the mean radius
  Real penetration_end = 0;  // of the last step
  Real kinetic_energy = 0;   // [J] at the end
  Real support =
      0;  // vertical impulse of floor and walls over the weight's, mean of the settled window
  double heap_per_body = 0;  // bytes that the scheme holds
  std::uint64_t state_hash = 0;
  model::State state;             // the last
  stepping::SchemeMemory memory;  // of the last step
};

[[nodiscard]] RunResult run_bed(const Bed& bed, const RunOptions& options);

/// The solver alone on the next step's problem, frozen: sweeps to a certified tolerance, and time
/// per contact relaxation (from the difference of two fixed numbers of sweeps, so that what is done
/// once does not count).
struct SolverResult {
  Index contacts = 0, active = 0;  // in the list; with an impulse
  Index cold_3 = 0, cold_4 = 0;    // sweeps to 1e-3, 1e-4 from zero impulses; −1: not in 20 000
  Index warm_3 = 0, warm_4 = 0;    // from the impulses of the last step
  Index tilt_3 = 0, tilt_4 = 0;    // the same after gravity has turned by 2°
  double ns_per_relaxation = 0;
  double ns_of_single = 0;          // the same of sweeps of single precision
  double bytes_per_relaxation = 0;  // least traffic of a sweep over its contacts
  double bandwidth = 0;             // bytes_per_relaxation over the time of one [byte/s]
  double triad = 0;                 // of arrays as large as the problem, one thread [byte/s]
};

[[nodiscard]] SolverResult measure_solver(const Bed& bed, const RunResult& run,
                                          const RunOptions& options);

}  // namespace talus::bench
