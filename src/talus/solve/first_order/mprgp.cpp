#include <talus/solve/first_order/mprgp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/solve/detail/cone_method.hpp>

namespace talus::solve {
namespace {

using problem::Cone;
using problem::ConeKind;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
constexpr Index kGradientRefresh = 64;  // iterations after which g = W x + b is computed anew
constexpr int kPowerSteps = 20;
constexpr Index kMostHalvings = 60;   // of an expansion step
constexpr Real kNoCurvature = 1e-14;  // p·Wp/p·p of a direction in the kernel, ‖W‖ ≥ 1

/// Bounds of every row, infinite where there is none.
struct Bounds {
  VecX low, high;

  explicit Bounds(const detail::ScaledCones& problem)
      : low(VecX::Constant(problem.size(), -kInfinity)),
        high(VecX::Constant(problem.size(), kInfinity)) {
    for (const Cone& cone : problem.cones) {
      if (cone.kind == ConeKind::nonnegative) low.segment(cone.first, cone.size).setZero();
      if (cone.kind == ConeKind::box) {
        low.segment(cone.first, cone.size) = problem.lower.segment(cone.first, cone.size);
        high.segment(cone.first, cone.size) = problem.upper.segment(cone.first, cone.size);
      }
    }
  }

  /// Splits g at x into the free and the chopped gradient, and returns φ̃·φ for a step.
  Real split(const VecX& x, const VecX& g, Real step, VecX& free, VecX& chopped) const {
    Real reduced = 0;
    for (Index i = 0; i < x.size(); ++i) {
      const bool at_low = x[i] <= low[i], at_high = x[i] >= high[i];
      free[i] = at_low || at_high ? 0 : g[i];
      chopped[i] = 0;
      if (at_low && !at_high) chopped[i] = std::min(g[i], Real(0));
      if (at_high && !at_low) chopped[i] = std::max(g[i], Real(0));
      const Real room = g[i] > 0 ? x[i] - low[i] : x[i] - high[i];
      if (free[i] != 0)
        reduced += free[i] * (g[i] > 0 ? std::min(room / step, g[i]) : std::max(room / step, g[i]));
    }
    return reduced;
  }

  /// The largest t with x − t p within the bounds.
  Real room(const VecX& x, const VecX& p) const {
    Real t = kInfinity;
    for (Index i = 0; i < x.size(); ++i) {
      if (p[i] > 0) t = std::min(t, (x[i] - low[i]) / p[i]);
      if (p[i] < 0) t = std::min(t, (x[i] - high[i]) / p[i]);
    }
    return std::max(t, Real(0));
  }

  void clamp(VecX& x) const { x = x.cwiseMax(low).cwiseMin(high); }
};

/// An estimate from below of the largest eigenvalue.
Real largest_eigenvalue(const detail::ScaledCones& problem, VecX& v, VecX& Wv) {
  for (Index i = 0; i < v.size(); ++i) v[i] = 1 + 0.1 * static_cast<Real>(i % 7);
  Real value = 0;
  for (int k = 0; k < kPowerSteps && v.norm() > 0; ++k) {
    v /= v.norm();
    problem.multiply(v, Wv);
    value = Wv.norm();
    v.swap(Wv);
  }
  return value;
}

/// d = P(x − ᾱ φ) − x and W d, with ᾱ halved until the energy does not rise. @return products with
/// W.
Index expand(const detail::ScaledCones& problem, const Bounds& bounds, const VecX& x, const VecX& g,
             const VecX& free, Real& step, VecX& d, VecX& Wd) {
  for (Index k = 1;; ++k) {
    d = x - step * free;
    bounds.clamp(d);
    d -= x;
    problem.multiply(d, Wd);
    if (d.dot(g) + d.dot(Wd) / 2 <= 0) return k;
    step /= 2;
    if (k == kMostHalvings) return k;
  }
}

}  // namespace

problem::SolveReport mprgp(const problem::ConeProblem& problem, const MprgpOptions& options,
                           const ExternalResidual& external_residual,
                           const StopRequest& should_stop, VecX& r) {
  TALUS_DEMAND(options.proportion > 0);
  for (const Cone& cone : problem.cones)
    if (cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling)
      return {problem::SolveStatus::unsupported, 0, 0, "mprgp takes free and bounded rows only"};
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    const Bounds bounds(scaled);
    problem::SolveCounts& count = rule.count();

    // Algorithm 5.8 of `dostal_2009` in its letters: g gradient, free φ, chopped β, p the conjugate
    // direction, Wp = A p; its three steps are named below.
    const Index n = scaled.size();
    VecX x, g, free(n), chopped(n), p(n), Wp(n), d(n), Wd(n), work(n);
    Real step = 1.9 / largest_eigenvalue(scaled, d, Wd);
    count.products += kPowerSteps;
    if (!std::isfinite(step)) step = 1;  // W = 0
    detail::start_feasible(scaled, rule, r, x, g);
    Real reduced = bounds.split(x, g, step, free, chopped);
    p = free;
    while (rule.should_continue(x, scaled.natural_map(x, g, work), detail::energy(scaled, x, g))) {
      ++count.projections;
      if (rule.iterations() % kGradientRefresh == 0) {
        scaled.velocity(x, g);
        ++count.products;
      }
      const bool is_proportional =
          chopped.squaredNorm() <= options.proportion * options.proportion * reduced;
      if (!is_proportional) p = chopped;  // proportioning step
      scaled.multiply(p, Wp);
      ++count.products;
      const Real curvature = p.dot(Wp);
      const Real best =
          curvature > kNoCurvature * p.squaredNorm() ? g.dot(p) / curvature : kInfinity;
      const Real room = bounds.room(x, p);
      const Real length = std::min(best, room);
      if (!std::isfinite(length)) {
        rule.stop(x, problem::SolveStatus::unbounded);
        break;
      }
      x -= length * p;
      bounds.clamp(x);
      g -= length * Wp;
      if (!is_proportional || best <= room) {
        reduced = bounds.split(x, g, step, free, chopped);
        if (is_proportional)  // conjugate gradient step: φ made conjugate to p
          p = free - (free.dot(Wp) / curvature) * p;
        else
          p = free;
        continue;
      }
      // Expansion step: a projected gradient step with the free gradient, from where the bound was
      // met.
      bounds.split(x, g, step, free, chopped);
      const Index tries = expand(scaled, bounds, x, g, free, step, d, Wd);
      count.products += tries;
      count.projections += tries;
      x += d;
      bounds.clamp(x);
      g += Wd;
      reduced = bounds.split(x, g, step, free, chopped);
      p = free;
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
