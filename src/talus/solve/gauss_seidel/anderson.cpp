#include <talus/solve/gauss_seidel/anderson.hpp>

#include <algorithm>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/linalg/anderson_memory.hpp>
#include <talus/solve/detail/cone_method.hpp>
#include <talus/solve/gauss_seidel/detail/cone_sweep.hpp>

namespace talus::solve {
namespace {

constexpr Index kAndersonPatience = 200;  // sweeps without progress

}  // namespace

problem::SolveReport anderson(const problem::ConeProblem& problem, const AndersonOptions& options,
                              const ExternalResidual& external_residual,
                              const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(options.memory >= 1 && options.memory <= linalg::AndersonMemory::kMost);
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    const detail::ConeSweep sweep(scaled);

    const Index n = scaled.size();
    VecX x, g(n), f, last_g(n), last_f(n), work(n);
    linalg::AndersonMemory memory;
    memory.reset(n, options.memory);
    detail::start_feasible(scaled, rule, r, x, f);
    Real residual = scaled.natural_map(x, f, work), last_size = 0;
    g = x;
    bool has_last = false, is_extrapolated = false;
    // Extrapolation on a map with kinks may circle: then so many plain sweeps, which do not, in
    // turn.
    Real smallest = std::numeric_limits<Real>::infinity();
    Index since_smallest = 0;
    bool is_plain = false;
    while (rule.should_continue(g, residual)) {
      g = x;
      const detail::ConeSweep::Result result = sweep.run(1, g);
      ++rule.count().products;
      ++rule.count().projections;
      residual = result.residual;
      if (!result.has_changed) {
        rule.stop(g, problem::SolveStatus::stalled);
        break;
      }
      f = g - x;  // f = G(x) − x of `anderson_1965`
      const Real size = f.norm();
      if (size < 0.99 * smallest) {
        smallest = size;
        since_smallest = 0;
      } else if (++since_smallest >= kAndersonPatience) {
        is_plain = !is_plain;
        memory.clear();
        has_last = is_extrapolated = false;
        since_smallest = 0;
      }
      if (is_plain) {
        x = g;
        continue;
      }
      if (is_extrapolated && !(size <= last_size)) {
        x = last_g;
        memory.clear();
        has_last = is_extrapolated = false;
        continue;
      }
      if (has_last) memory.push(f, last_f, g, last_g);
      memory.extrapolate(f, g, x);  // type II of `walker_2011`
      scaled.project(x);
      ++rule.count().projections;
      is_extrapolated = has_last;
      has_last = true;
      last_g = g;
      last_f = f;
      last_size = size;
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
