#include <talus/solve/gauss_seidel/pgs.hpp>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/cone_method.hpp>
#include <talus/solve/gauss_seidel/detail/cone_sweep.hpp>

namespace talus::solve {

problem::SolveReport pgs(const problem::ConeProblem& problem, const PgsOptions& options,
                         const ExternalResidual& external_residual, const StopRequest& should_stop,
                         VecX& r) {
  TALUS_DEMAND(options.relaxation > 0 && options.relaxation < 2);
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    const detail::ConeSweep sweep(scaled);
    VecX x, u, work;
    detail::start_feasible(scaled, rule, r, x, u);
    Real residual = scaled.natural_map(x, u, work);
    Real energy = detail::energy(scaled, x, u);
    while (rule.should_continue(x, residual, energy)) {
      // xᵢ ← P(xᵢ − ω uᵢ/W_ii), i in order: the projected relaxation of `cryer_1971`.
      const detail::ConeSweep::Result result = sweep.run(options.relaxation, x);
      ++rule.count().products;
      ++rule.count().projections;
      energy += result.energy_change;
      residual = result.residual;
      if (!result.has_changed) {
        rule.stop(x, problem::SolveStatus::stalled);
        break;
      }
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
