#include <talus/solve/first_order/spg.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/cone_method.hpp>

namespace talus::solve {
namespace {
constexpr Real kSufficientDecrease = 1e-4;  // γ of the source
constexpr Index kRefresh = 8;  // iterations after which u = W x + b is computed anew: with 64
                               // its round-off stalled some runs at 4e-10
constexpr Real kShortest = 1e-10, kLongest = 1e10;  // α
}  // namespace

problem::SolveReport spg(const problem::ConeProblem& problem, const SpgOptions& options,
                         const ExternalResidual& external_residual, const StopRequest& should_stop,
                         VecX& r) {
  TALUS_DEMAND(options.memory >= 1);
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    problem::SolveCounts& count = rule.count();

    const Index n = scaled.size();
    VecX x, u, d(n), Wd(n), work(n);
    detail::start_feasible(scaled, rule, r, x, u);
    Real alpha = 1, energy = detail::energy(scaled, x, u);
    std::vector<Real> recent(static_cast<std::size_t>(options.memory), energy);
    std::array<Real, 3> shorts;  // the last shorter steps
    shorts.fill(kLongest);
    Real switching = 0.5;  // τ of the source
    while (rule.should_continue(x, scaled.natural_map(x, u, work), energy)) {
      d = x - alpha * u;  // SPG2 of `birgin_2000`: the direction P_K(x − α u) − x
      scaled.project(d);
      d -= x;
      scaled.multiply(d, Wd);
      ++count.products;
      count.projections += 2;
      const Real slope = u.dot(d), curvature = d.dot(Wd);
      const Real allowed = *std::max_element(recent.begin(), recent.end()) - energy;  // ≥ 0
      // Its non-monotone line search with safeguarded quadratic interpolation.
      Real lambda = 1, change = slope + curvature / 2;
      while (change > allowed + kSufficientDecrease * lambda * slope && lambda > 1e-10) {
        const Real best = curvature > 0 ? -slope / curvature : 0;  // of the quadratic
        lambda = std::clamp(best, 0.1 * lambda, 0.5 * lambda);
        change = lambda * slope + lambda * lambda * curvature / 2;
      }
      x += lambda * d;
      if (rule.iterations() % kRefresh == 0) {
        scaled.velocity(x, u);
        ++count.products;
      } else {
        u += lambda * Wd;
      }
      energy += change;
      recent[static_cast<std::size_t>(rule.iterations() % options.memory)] = energy;
      if (!(curvature > 0)) {
        alpha = kLongest;
        continue;
      }
      // The two steps of `barzilai_1988`, chosen from as in section 2.2 of `bonettini_2009`.
      const Real longer = std::clamp(d.squaredNorm() / curvature, kShortest, kLongest);
      const Real shorter = std::clamp(curvature / Wd.squaredNorm(), kShortest, kLongest);
      shorts[static_cast<std::size_t>(rule.iterations()) % shorts.size()] = shorter;
      if (shorter < switching * longer) {
        alpha = *std::min_element(shorts.begin(), shorts.end());
        switching *= 0.9;
      } else {
        alpha = longer;
        switching *= 1.1;
      }
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
