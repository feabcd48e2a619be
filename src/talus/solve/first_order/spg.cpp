#include <talus/solve/first_order/spg.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/referee.hpp>

namespace talus::solve {
namespace {
constexpr Real kSufficientDecrease = 1e-4;  // γ of the source
constexpr Index kRefresh = 8;  // iterations after which u = W x + b is computed anew: with 64
                               // its round-off stalled some runs at 4e-10
constexpr Real kShortest = 1e-10, kLongest = 1e10;  // α
}  // namespace

problem::SolveReport spg(const problem::ConeProblem& problem, const SpgOptions& options,
                         const Judge& judge, const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(judge != nullptr && r.size() == problem.size() && options.memory >= 1);
  const Real first = judge(r);
  if (first <= 1) return detail::solved_at_start(options.keep_history);
  const detail::ScaledCones scaled(problem);
  detail::Referee referee(scaled, first, options.max_iterations, options.keep_history, judge,
                          should_stop, r);
  problem::SolveCounts& count = referee.count();

  const Index n = scaled.size();
  VecX x(n), u(n), d(n), Wd(n), work(n);
  scaled.to_scaled(r, x);
  scaled.project(x);
  scaled.velocity(x, u);
  ++count.products;
  Real alpha = 1, energy = x.dot(u + scaled.b) / 2;
  std::vector<Real> recent(static_cast<std::size_t>(options.memory), energy);
  std::array<Real, 3> shorts;  // the last shorter steps
  shorts.fill(kLongest);
  Real switching = 0.5;  // τ of the source
  while (referee.wants_more(x, scaled.natural_map(x, u, work), energy)) {
    d = x - alpha * u;
    scaled.project(d);
    d -= x;
    scaled.multiply(d, Wd);
    ++count.products;
    count.projections += 2;
    const Real slope = u.dot(d), curvature = d.dot(Wd);
    const Real allowed = *std::max_element(recent.begin(), recent.end()) - energy;  // ≥ 0
    Real lambda = 1, change = slope + curvature / 2;
    while (change > allowed + kSufficientDecrease * lambda * slope && lambda > 1e-10) {
      const Real best = curvature > 0 ? -slope / curvature : 0;  // of the quadratic
      lambda = std::clamp(best, 0.1 * lambda, 0.5 * lambda);
      change = lambda * slope + lambda * lambda * curvature / 2;
    }
    x += lambda * d;
    if (referee.iterations() % kRefresh == 0) {
      scaled.velocity(x, u);
      ++count.products;
    } else {
      u += lambda * Wd;
    }
    energy += change;
    recent[static_cast<std::size_t>(referee.iterations() % options.memory)] = energy;
    if (!(curvature > 0)) {
      alpha = kLongest;
      continue;
    }
    const Real longer = std::clamp(d.squaredNorm() / curvature, kShortest, kLongest);
    const Real shorter = std::clamp(curvature / Wd.squaredNorm(), kShortest, kLongest);
    shorts[static_cast<std::size_t>(referee.iterations()) % shorts.size()] = shorter;
    if (shorter < switching * longer) {
      alpha = *std::min_element(shorts.begin(), shorts.end());
      switching *= 0.9;
    } else {
      alpha = longer;
      switching *= 1.1;
    }
  }
  return referee.report();
}

}  // namespace talus::solve
