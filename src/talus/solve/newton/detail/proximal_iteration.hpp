#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/math/vector.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/external_residual.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::solve::detail {

/// The report of a run that a budget may have ended: the factorisation that was too dear was
/// counted and not begun.
inline void count_begun(bool is_too_dear, problem::SolveReport& report) {
  if (!is_too_dear) return;
  report.status = problem::SolveStatus::max_iterations;
  --report.iterations;
  --report.counts.factorisations;
}

/// The proximal-point iteration of ProximalNewton on a problem without units; r, u always belong
/// together, u the velocity of r.
///
/// Problem has: to_scaled(r, x), to_original(x, r); velocity(r, u), u = W r + b;
/// start_step(equation, u); residual(equation, r, u) = ‖F‖ of the law; inner_residual(r, u, α,
/// centre) = ‖F(r, u + α (r − centre))‖; newton_step(r, u, α, centre, should_stop, dr), false where
/// it fails; sweep(r), a few steps of another method.
template <class Problem>
class ProximalIteration {
 public:
  ProximalIteration(Problem& problem, const ProximalNewtonOptions& options,
                    const ExternalResidual& external_residual, const StopRequest& should_stop,
                    VecX& answer)
      : problem_(problem),
        options_(options),
        external_residual_(external_residual),
        should_stop_(should_stop),
        answer_(answer),
        history_(options.keep_history, options.max_factorisations) {
    problem.to_scaled(answer, r_);
    update_velocity();
    best_ = std::isnan(options.start_residual) ? external_residual(answer) : options.start_residual;
    progress_ = best_;
  }

  problem::SolveReport run() {
    Real alpha = options_.regularisation, decrease = options_.decrease;
    int successes = 0, failures = 0;
    Real residual = law_residual(), residual_ratio = best_;
    history_.add(residual);
    using problem::SolveStatus;
    SolveStatus status = SolveStatus::max_iterations;
    while (best_ > 1 && may_factorise()) {
      // r_{k+1}: the zero of F(r, W r + b + α (r − r_k)), the proximal point step of
      // `rockafellar_1976` about r_k.
      centre_ = r_;
      centre_u_ = u_;
      problem_.start_step(options_.equation, u_);
      const Inner inner = newton(alpha, residual);
      if (best_ <= 1) break;
      if (is_stopped_) {
        status = SolveStatus::interrupted;
        break;
      }
      if (inner.steps == 0) {  // F = 0 to round-off and the external residual is still too large
        status = SolveStatus::stalled;
        break;
      }
      const Real after = inner.is_finite ? law_residual() : std::numeric_limits<Real>::infinity();
      // A diverged r makes relative residuals look small: the absolute one must not have grown.
      const bool is_sane = after <= std::max(10 * residual, Real(1e-3));
      if (is_sane && (inner.is_converged || inner.residual_ratio < 0.9 * residual_ratio)) {
        residual = after;
        residual_ratio = inner.residual_ratio;
        failures = 0;
        if (inner.is_converged) {
          ++successes;
          if (inner.steps <= 5)
            alpha = std::max(alpha * decrease, kSmallestAlpha);
          else if (inner.steps > 10)
            alpha *= 1.5;
          if (successes >= 3) decrease = std::max(options_.decrease, Real(0.7) * decrease);
        } else {
          alpha *= 2;
          decrease = std::min(options_.largest_decrease, Real(1.5) * decrease);
        }
      } else {
        r_ = centre_;
        u_ = centre_u_;
        alpha *= 4;
        decrease = std::min(options_.largest_decrease, std::max(2 * decrease, Real(0.02)));
        successes = 0;
        if (++failures == 3) recover(residual, residual_ratio);
        if (alpha > 1e6) {
          status = SolveStatus::stalled;
          break;
        }
      }
    }
    if (best_ <= 1) status = SolveStatus::converged;
    problem::SolveReport report{status, counts_.factorisations, residual, {}};
    report.counts = counts_;
    report.history = history_.get();
    return report;
  }

 private:
  static constexpr int kInnerSteps = 15;  // of one outer step
  static constexpr Real kSmallestAlpha = 1e-10;

  struct Inner {
    bool is_converged = false, is_finite = true;
    int steps = 0;
    Real residual_ratio = std::numeric_limits<Real>::infinity();  // of the last point
  };

  /// Undamped Newton on F(r, W r + b + α(r − r_k)) from r = r_k; stops early when it grows or
  /// stagnates.
  Inner newton(Real alpha, Real first) {
    Inner inner;
    const Real tolerance = std::max(Real(1e-15), Real(0.1) * std::min(first, Real(1)));
    Real residual = first, best = first;
    int since_decrease = 0;
    while (residual > tolerance && inner.steps < kInnerSteps && may_factorise() && !should_stop()) {
      ++counts_.factorisations;
      ++counts_.projections;
      ++inner.steps;
      if (!problem_.newton_step(r_, u_, alpha, centre_, stop_request_, dr_)) {
        if (history_.is_kept()) history_.add(problem_.residual(options_.equation, r_, u_));
        inner.is_finite = false;
        return inner;
      }
      // P dv + Q dr = s with a generalised Jacobian of F (`alart_1991`), undamped.
      r_ += dr_;
      update_velocity();
      residual = problem_.inner_residual(r_, u_, alpha, centre_);
      ++counts_.projections;
      if (history_.is_kept()) history_.add(problem_.residual(options_.equation, r_, u_));
      if (!std::isfinite(residual)) {
        inner.is_finite = false;
        return inner;
      }
      if (check(inner) <= 1) return inner;
      since_decrease = residual < 0.9 * best ? 0 : since_decrease + 1;
      best = std::min(best, residual);
      if ((inner.steps >= 4 && residual > 100 * best) || since_decrease >= 6) break;
    }
    inner.is_converged = residual <= 10 * tolerance || residual <= 0.1 * first;
    return inner;
  }

  [[nodiscard]] bool may_factorise() const {
    return counts_.factorisations < options_.max_factorisations &&
           counts_.factorisations - last_progress_ < options_.patience;
  }

  bool should_stop() { return is_stopped_ = is_stopped_ || (should_stop_ && should_stop_()); }

  void update_velocity() {
    problem_.velocity(r_, u_);
    ++counts_.products;
  }
  Real law_residual() {
    ++counts_.projections;
    return problem_.residual(options_.equation, r_, u_);
  }

  /// The external residual of the present point, which becomes the answer if it is the best so far.
  Real check(Inner& inner) {
    problem_.to_original(r_, candidate_);
    inner.residual_ratio = external_residual_(candidate_);
    if (inner.residual_ratio < best_) {
      best_ = inner.residual_ratio;
      answer_ = candidate_;
    }
    if (best_ <= progress_ / 2) {
      progress_ = best_;
      last_progress_ = counts_.factorisations;
    }
    return inner.residual_ratio;
  }

  /// Sweeps, kept where they reduce ‖F‖, for they can spoil a good Newton iterate.
  void recover(Real& residual, Real& residual_ratio) {
    counts_ += problem_.sweep(r_);
    update_velocity();
    const Real after = law_residual();
    if (after < residual) {
      residual = after;
      Inner inner;
      residual_ratio = check(inner);
    } else {
      r_ = centre_;
      u_ = centre_u_;
    }
  }

  Problem& problem_;
  const ProximalNewtonOptions& options_;
  const ExternalResidual& external_residual_;
  const StopRequest& should_stop_;
  const StopRequest stop_request_ = [this] { return should_stop(); };
  bool is_stopped_ = false;
  VecX& answer_;
  VecX r_, u_, dr_, centre_, centre_u_, candidate_;
  Real best_ = std::numeric_limits<Real>::infinity();
  Real progress_ = best_;    // the best when it had last been halved
  Index last_progress_ = 0;  // factorisations until then
  problem::SolveCounts counts_;
  History history_;
};

}  // namespace talus::solve::detail
