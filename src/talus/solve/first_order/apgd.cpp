#include <talus/solve/first_order/apgd.hpp>

#include <algorithm>
#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/referee.hpp>

namespace talus::solve {

problem::SolveReport apgd(const problem::ConeProblem& problem, const ApgdOptions& options,
                          const Judge& judge, const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(judge != nullptr && r.size() == problem.size());
  const Real first = judge(r);
  if (first <= 1) return detail::solved_at_start(options.keep_history);
  const detail::ScaledCones scaled(problem);
  detail::Referee referee(scaled, first, options.max_iterations, options.keep_history, judge,
                          should_stop, r);
  problem::SolveCounts& count = referee.count();

  // u = W x + b, v = W y + b; next and next_u belong to x⁺
  const Index n = scaled.size();
  VecX x(n), u(n), y(n), v(n), next(n), next_u(n), work(n);
  scaled.to_scaled(r, x);
  scaled.project(x);
  scaled.velocity(x, u);
  ++count.products;
  y = x;
  v = u;
  const Real largest = scaled.row_sum_norm();  // no L above it is needed
  Real L = std::min(Real(1), largest), theta = 1;
  bool is_plain = true;  // y = x: a step of projected gradient, which cannot go uphill
  while (referee.wants_more(x, scaled.natural_map(x, u, work), x.dot(u + scaled.b) / 2)) {
    while (true) {
      next = y - v / L;
      scaled.project(next);
      scaled.velocity(next, next_u);
      ++count.products;
      count.projections += 2;
      work = next - y;
      if (L >= largest || work.dot(next_u - v) <= L * work.squaredNorm()) break;
      L = std::min(2 * L, largest);
    }
    work = next - x;
    const Real rise = work.dot(u + next_u) / 2;  // of the energy, x to x⁺
    if (rise > 0 && !is_plain) {
      y = x;
      v = u;
      theta = 1;
      is_plain = true;
      continue;
    }
    const Real next_theta = theta * (std::sqrt(theta * theta + 4) - theta) / 2;
    is_plain = v.dot(work) > 0;
    const Real beta = is_plain ? 0 : theta * (1 - theta) / (theta * theta + next_theta);
    theta = is_plain ? 1 : next_theta;
    y = next + beta * work;
    v = next_u + beta * (next_u - u);
    x.swap(next);
    u.swap(next_u);
    L *= 0.9;
  }
  return referee.report();
}

}  // namespace talus::solve
