#include <talus/solve/first_order/projected_jacobi.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/referee.hpp>

namespace talus::solve {
namespace {
constexpr Index kJacobiRefresh = 64;  // iterations after which u = W x + b is computed anew
}

problem::SolveReport projected_jacobi(const problem::ConeProblem& problem,
                                      const ProjectedJacobiOptions& options, const Judge& judge,
                                      const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(judge != nullptr && r.size() == problem.size());
  const Real first = judge(r);
  if (first <= 1) return detail::solved_at_start(options.keep_history);
  const detail::ScaledCones scaled(problem);
  detail::Referee referee(scaled, first, options.max_iterations, options.keep_history, judge,
                          should_stop, r);
  problem::SolveCounts& count = referee.count();

  const Index n = scaled.size();
  VecX x(n), u(n), work(n), d(n), Wd(n);
  scaled.to_scaled(r, x);
  scaled.project(x);
  scaled.velocity(x, u);
  ++count.products;
  const Real shortest = 1 / scaled.row_sum_norm();  // safe for every symmetric W
  Real step = 1;
  while (referee.wants_more(x, scaled.natural_map(x, u, work), x.dot(u + scaled.b) / 2)) {
    while (true) {
      d = x - step * u;
      scaled.project(d);
      d -= x;
      scaled.multiply(d, Wd);
      ++count.products;
      count.projections += 2;
      if (step <= shortest || d.dot(Wd) <= 1.8 / step * d.squaredNorm()) break;
      step = std::max(shortest, 0.8 * step);
    }
    x += d;
    if (referee.iterations() % kJacobiRefresh == 0) {
      scaled.velocity(x, u);
      ++count.products;
    } else {
      u += Wd;
    }
  }
  return referee.report();
}

}  // namespace talus::solve
