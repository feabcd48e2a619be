#include <talus/solve/gauss_seidel/pgs.hpp>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/referee.hpp>
#include <talus/solve/gauss_seidel/detail/cone_sweep.hpp>

namespace talus::solve {

problem::SolveReport pgs(const problem::ConeProblem& problem, const PgsOptions& options,
                         const Judge& judge, const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(judge != nullptr && r.size() == problem.size());
  TALUS_DEMAND(options.relaxation > 0 && options.relaxation < 2);
  const Real first = judge(r);
  if (first <= 1) return detail::solved_at_start(options.keep_history);
  const detail::ScaledCones scaled(problem);
  const detail::ConeSweep sweep(scaled);
  detail::Referee referee(scaled, first, options.max_iterations, options.keep_history, judge,
                          should_stop, r);

  VecX x, u(scaled.size()), work(scaled.size());
  scaled.to_scaled(r, x);
  scaled.project(x);
  scaled.velocity(x, u);
  Real residual = scaled.natural_map(x, u, work);
  ++referee.count().products;
  Real energy = x.dot(u + scaled.b) / 2;
  while (referee.wants_more(x, residual, energy)) {
    const detail::ConeSweep::Result result = sweep.run(options.relaxation, x);
    ++referee.count().products;
    ++referee.count().projections;
    energy += result.energy_change;
    residual = result.residual;
    if (!result.has_changed) {
      referee.stop(x, problem::SolveStatus::stalled);
      break;
    }
  }
  return referee.report();
}

}  // namespace talus::solve
