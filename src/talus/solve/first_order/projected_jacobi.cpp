#include <talus/solve/first_order/projected_jacobi.hpp>

#include <algorithm>

#include <talus/solve/detail/cone_method.hpp>

namespace talus::solve {
namespace {
constexpr Index kJacobiRefresh = 64;  // iterations after which u = W x + b is computed anew
}

problem::SolveReport projected_jacobi(const problem::ConeProblem& problem,
                                      const ProjectedJacobiOptions& options,
                                      const ExternalResidual& external_residual,
                                      const StopRequest& should_stop, VecX& r) {
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    problem::SolveCounts& count = rule.count();

    const Index n = scaled.size();
    VecX x, u, work, d(n), Wd(n);
    detail::start_feasible(scaled, rule, r, x, u);
    const Real shortest = 1 / scaled.row_sum_norm();  // safe for every symmetric W
    Real step = 1;
    while (rule.should_continue(x, scaled.natural_map(x, u, work), detail::energy(scaled, x, u))) {
      while (true) {
        // Gradient projection with a fixed metric, d = P_K(x − t u) − x (`bertsekas_1999`,
        // section 2.3).
        d = x - step * u;
        scaled.project(d);
        d -= x;
        scaled.multiply(d, Wd);
        ++count.products;
        count.projections += 2;
        // x⁺ lowers the energy by at least 0.1 d·d/t: the step of the same section, tested.
        if (step <= shortest || d.dot(Wd) <= 1.8 / step * d.squaredNorm()) break;
        step = std::max(shortest, 0.8 * step);
      }
      x += d;
      if (rule.iterations() % kJacobiRefresh == 0) {
        scaled.velocity(x, u);
        ++count.products;
      } else {
        u += Wd;
      }
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
