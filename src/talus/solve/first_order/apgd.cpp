#include <talus/solve/first_order/apgd.hpp>

#include <algorithm>
#include <cmath>

#include <talus/solve/detail/cone_method.hpp>

namespace talus::solve {

problem::SolveReport apgd(const problem::ConeProblem& problem, const ApgdOptions& options,
                          const ExternalResidual& external_residual, const StopRequest& should_stop,
                          VecX& r) {
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    problem::SolveCounts& count = rule.count();

    // u = W x + b, v = W y + b; next and next_u belong to x⁺. Numbers in brackets are the lines of
    // the algorithm of `mazhar_2015`, numbered as in Project Chrono's ChSolverAPGD.
    const Index n = scaled.size();
    VecX x, u, y, v, next(n), next_u(n), work(n);
    detail::start_feasible(scaled, rule, r, x, u);
    y = x;  // (3)
    v = u;
    const Real largest = scaled.row_sum_norm();      // no L above it is needed
    Real L = std::min(Real(1), largest), theta = 1;  // (5), blocks are near the identity; (4)
    bool is_plain = true;  // y = x: a step of projected gradient, which cannot go uphill
    while (rule.should_continue(x, scaled.natural_map(x, u, work), detail::energy(scaled, x, u))) {
      while (true) {
        next = y - v / L;  // (8), (9), (13)
        scaled.project(next);
        scaled.velocity(next, next_u);
        ++count.products;
        count.projections += 2;
        work = next - y;
        // (10): f(x⁺) ≤ f(y) + v·d + ½ L d·d, for a quadratic d·Wd ≤ L d·d, d = x⁺ − y.
        if (L >= largest || work.dot(next_u - v) <= L * work.squaredNorm()) break;
        L = std::min(2 * L, largest);  // (11)
      }
      work = next - x;
      const Real rise = work.dot(u + next_u) / 2;  // of the energy, x to x⁺
      if (rise > 0 && !is_plain) {  // the function scheme of `odonoghue_2015`, x⁺ not taken
        y = x;
        v = u;
        theta = 1;
        is_plain = true;
        continue;
      }
      const Real next_theta = theta * (std::sqrt(theta * theta + 4) - theta) / 2;  // (15)
      is_plain = v.dot(work) > 0;  // (26): the gradient scheme of `odonoghue_2015`
      const Real beta = is_plain ? 0 : theta * (1 - theta) / (theta * theta + next_theta);
      theta = is_plain ? 1 : next_theta;  // (28)
      y = next + beta * work;             // (16), (17), (27)
      v = next_u + beta * (next_u - u);
      x.swap(next);
      u.swap(next_u);
      L *= 0.9;  // (30)
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
