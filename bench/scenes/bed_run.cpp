#include "scenes/bed_run.hpp"

#include <malloc.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/bed.hpp"
#include "support/clock.hpp"

namespace talus::bench {
namespace {

struct Step {
  double ms = std::numeric_limits<double>::infinity();
  double sweeps = 0, contacts = 0;
};

double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

Window mean_of(const std::vector<Step>& steps, std::size_t first, std::size_t count) {
  Window window;
  double relaxations = 0;
  for (std::size_t k = first; k < first + count; ++k) {
    window.ms += steps[k].ms;
    window.sweeps += steps[k].sweeps;
    window.contacts += steps[k].contacts;
    relaxations += steps[k].sweeps * steps[k].contacts;
  }
  window.ns_per_relaxation = relaxations > 0 ? 1e6 * window.ms / relaxations : 0;
  window.ms /= static_cast<double>(count);
  window.sweeps /= static_cast<double>(count);
  window.contacts /= static_cast<double>(count);
  window.last_step = static_cast<Index>(first + count);
  return window;
}

Real mean_radius(const Bed& bed) {
  Real sum = 0, count = 0;
  for (const model::Body& body : bed.world.model.bodies)
    if (const auto* sphere = std::get_if<geometry::Sphere>(&body.shape)) {
      sum += sphere->radius;
      count += 1;
    }
  return sum / count;
}

}  // namespace

RunResult run_bed(const Bed& bed, const RunOptions& options) {
  const auto seconds = options.use_wall_clock ? wall_seconds : cpu_seconds;
  const std::size_t count = options.steps;
  const std::size_t window = std::min<std::size_t>(options.window, count);
  const Real radius = mean_radius(bed);
  std::vector<Step> steps(count);
  RunResult result;
  for (Index repeat = 0; repeat < options.repeats; ++repeat) {
    const double heap = heap_bytes();
    const auto scheme = stepping::make_scheme(bed.world.model, options.scheme);
    model::State state = bed.world.state;
    if (bed.memory.step_size > 0) scheme->recall(bed.memory);
    result = {};
    for (std::size_t k = 0; k < count; ++k) {
      const double start = seconds();
      const stepping::StepReport report = scheme->step(state, options.step_size);
      steps[k].ms = std::min(steps[k].ms, 1e3 * (seconds() - start));
      steps[k].sweeps = static_cast<double>(report.iterations);
      steps[k].contacts = static_cast<double>(report.contact_count);
      result.worst_certificate = std::max(result.worst_certificate, report.certificate.natural_map);
      result.uncertified_steps += report.is_certified() ? 0 : 1;
      result.penetration_end = report.max_penetration / radius;
      result.penetration = std::max(result.penetration, result.penetration_end);
      result.kinetic_energy = report.energy.kinetic;
      if (k + window >= count)
        result.support += test::support_over_weight(bed.world, *scheme, options.step_size) /
                          static_cast<Real>(window);
    }
    result.heap_per_body =
        (heap_bytes() - heap) / static_cast<double>(bed.world.model.body_count());
    result.memory = scheme->memory();
    result.state_hash = state.hash();
    result.state = std::move(state);
  }
  result.settled = mean_of(steps, count - window, window);
  double sum = 0;
  for (std::size_t k = 0; k < window; ++k) sum += steps[k].ms;
  double slowest = sum;
  std::size_t first = 0;
  for (std::size_t k = window; k < count; ++k) {
    sum += steps[k].ms - steps[k - window].ms;
    if (sum > slowest) {
      slowest = sum;
      first = k + 1 - window;
    }
  }
  result.collapse = mean_of(steps, first, window);
  return result;
}

}  // namespace talus::bench
