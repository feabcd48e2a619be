#include <talus/driver/contact_cascade.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/driver/detail/stopwatch.hpp>
#include <talus/solve/gauss_seidel/nsgs.hpp>
#include <talus/solve/interior_point/ipm.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver {
namespace {

using detail::Stopwatch;
using problem::FrictionContact;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kFirstSweeps = 8;      // before the rate is believed
constexpr Real kPatience = 10;         // sweeps, about one step of Newton
constexpr Index kSweepsBetween = 100;  // before the first restart from swept impulses

/// The cascade: the best answer so far and what it took.
class ContactCascade {
 public:
  ContactCascade(const FrictionContact& problem, const Options& options,
                 const solve::ExternalResidual& external_residual, VecX& r)
      : problem_(problem), options_(options), external_residual_(external_residual), best_(r) {
    residual_ratio_ = external_residual(best_);
    swept_ = r;
  }

  [[nodiscard]] bool is_solved() const { return residual_ratio_ <= 1; }
  [[nodiscard]] bool is_over() const {
    return is_solved() || is_interrupted_ || iterations_left() < 1;
  }
  /// Whether any answer has had a certificate that is not infinite.
  [[nodiscard]] bool is_finite() const { return std::isfinite(residual_ratio_); }
  [[nodiscard]] const VecX& best() const { return best_; }
  [[nodiscard]] const VecX& swept() const { return swept_; }
  [[nodiscard]] VecX uniform_pressure() {
    start_newton();
    return newton_.uniform_pressure();
  }

  /// Sweeps that are looked at after 1, 2, 4, 8 and then every four; left when the rate of the
  /// last two residuals promises no answer within the patience. The sweeps' own residual is a
  /// good guide from afar, the external one is evaluated near the end.
  void sweep_while_promising() {
    const Stopwatch watch;
    const Index most = std::min<Index>(40, iterations_left());
    start_sweeps(swept_, most);
    SolveReport report;
    Index done = 0;
    Real last = 0;
    for (Index next = 1; next <= most;) {
      report = nsgs_.run(0, next, 1, options_.should_stop);
      const Index since = report.iterations - done;
      done = report.iterations;
      is_interrupted_ = report.status == SolveStatus::interrupted;
      const bool is_near = done == 1 || report.residual <= 100 * options_.tolerance;
      const Real residual_ratio =
          is_near ? consider(nsgs_.impulse()) : report.residual / options_.tolerance;
      if (is_over() || report.status == SolveStatus::stalled ||
          report.status == SolveStatus::numerical_error)
        break;
      const Real rate = last > 0 ? std::log(last / residual_ratio) / static_cast<Real>(since) : 0;
      if (done >= kFirstSweeps && !(rate > 0 && std::log(residual_ratio) / rate <= kPatience))
        break;
      last = residual_ratio;
      next = done < kFirstSweeps ? 2 * done : done + 4;
    }
    swept_ = nsgs_.impulse();
    finish_stage("nsgs", watch, std::move(report),
                 is_solved() ? residual_ratio_ : consider(swept_));
  }

  /// A given number of sweeps from where the last ones ended, one evaluation.
  void sweep(Index count) {
    const Stopwatch watch;
    const Index most = std::min(count, iterations_left());
    start_sweeps(swept_, most);
    SolveReport report = nsgs_.run(0, most, 1, options_.should_stop);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    swept_ = nsgs_.impulse();
    finish_stage("nsgs", watch, std::move(report), consider(swept_));
  }

  void newton(VecX r, const solve::ProximalNewtonOptions& wanted) {
    const Stopwatch watch;
    start_newton();
    solve::ProximalNewtonOptions newton_options = wanted;
    newton_options.keep_history = options_.keep_history;
    newton_options.max_factorisations = std::min(wanted.max_factorisations, iterations_left());
    SolveReport report = newton_.run(newton_options, external_residual_, options_.should_stop, r);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    finish_stage("proximal_newton", watch, std::move(report), consider(r));
  }

  /// The best of the interior point's own iterates is kept apart, as a start for others.
  void interior_point(bool is_associated, Index most) {
    const Stopwatch watch;
    solve::IpmOptions ipm_options;
    ipm_options.damping = 0.1;
    ipm_options.is_associated = is_associated;
    ipm_options.keep_history = options_.keep_history;
    ipm_options.max_factorisations = std::min(most, iterations_left());
    inner_ = VecX::Zero(best_.size());
    SolveReport report =
        solve::ipm(problem_, ipm_options, external_residual_, options_.should_stop, inner_);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    finish_stage("ipm", watch, std::move(report), consider(inner_));
  }
  [[nodiscard]] const VecX& inner() const { return inner_; }

  SolveReport finish(VecX& r) {
    r = best_;
    report_.status = is_solved()       ? SolveStatus::converged
                     : is_interrupted_ ? SolveStatus::interrupted
                                       : SolveStatus::max_iterations;
    report_.residual = residual_ratio_ * options_.tolerance;
    report_.detail = describe(report_.stages);
    return report_;
  }

 private:
  [[nodiscard]] Index iterations_left() const {
    return options_.max_iterations - report_.iterations;
  }

  void start_sweeps(const VecX& r, Index most) {
    nsgs_.start(problem_, r, options_.keep_history ? most : 0);
  }

  void start_newton() {
    if (has_newton_) return;
    newton_.start(problem_);
    has_newton_ = true;
  }

  Real consider(const VecX& r) {
    const Real residual_ratio = external_residual_(r);
    if (residual_ratio < residual_ratio_) {
      residual_ratio_ = residual_ratio;
      best_ = r;
    }
    return residual_ratio;
  }

  void finish_stage(std::string_view solver, const Stopwatch& watch, SolveReport&& run,
                    Real residual_ratio) {
    report_.add({std::string(solver), run.iterations, residual_ratio * options_.tolerance,
                 watch.seconds(), run.counts, std::move(run.history)});
  }

  const FrictionContact& problem_;
  const Options& options_;
  const solve::ExternalResidual& external_residual_;
  VecX best_, swept_, inner_;
  Real residual_ratio_ = std::numeric_limits<Real>::infinity();
  bool is_interrupted_ = false, has_newton_ = false;
  SolveReport report_;
  solve::Nsgs nsgs_;
  solve::ProximalNewton newton_;
};

}  // namespace

SolveReport run_contact_cascade(const FrictionContact& problem, const Options& options,
                                const solve::ExternalResidual& external_residual, VecX& r) {
  ContactCascade cascade(problem, options, external_residual, r);
  cascade.sweep_while_promising();
  // Measured on 82 problems: where a Newton run starts matters more than any of its parameters, and
  // the first two starts are worth large budgets. Budget, first α, its factor, its limit:
  using solve::ProximalNewtonOptions;
  constexpr auto kLagged = solve::ContactEquation::lagged_desaxce;
  const ProximalNewtonOptions near{200, 1e-3, 1e-2, 0.8}, pressed{150, 1e-6, 0.3, 0.8},
      lagged{300, 1, 0.5, 0.9, kLagged}, firm{150, 1, 0.5, 0.9}, polish{600, 1e-4, 0.1, 0.8};
  const auto solve_in_stages = [&cascade](auto&& start, const ProximalNewtonOptions& newton) {
    if (!cascade.is_over()) cascade.newton(start(), newton);
  };
  const auto swept = [&] { return cascade.swept(); };
  const auto inner = [&] { return cascade.inner(); };
  const auto best = [&] { return cascade.best(); };
  const auto pressure = [&cascade](Real size) {
    return [&cascade, size]() -> VecX { return size * cascade.uniform_pressure(); };
  };
  solve_in_stages(swept, near);
  if (!cascade.is_over()) cascade.interior_point(false, 60);
  solve_in_stages(inner, polish);
  if (!cascade.is_over()) cascade.interior_point(true, 60);
  solve_in_stages(inner, lagged);
  solve_in_stages(pressure(1), pressed);
  solve_in_stages(swept, lagged);
  solve_in_stages(swept, firm);
  solve_in_stages(pressure(25), pressed);
  Real size = 1;
  for (Index round = 1; !cascade.is_over() && cascade.is_finite(); ++round, size *= 5) {
    const Index budget = 500 * round;
    solve_in_stages(pressure(size), {budget, 1e-6, 0.3, 0.8});
    solve_in_stages(best, {budget, 1e-1, 0.7, 0.95});
    solve_in_stages(best, {budget, 1e-1, 0.7, 0.95, kLagged});
    if (!cascade.is_over()) cascade.sweep(kSweepsBetween * round);
    solve_in_stages(swept, {budget, 1e-1, 0.3, 0.9});
    solve_in_stages(pressure(size), {budget, 1e-2, 0.3, 0.9, kLagged});
  }
  return cascade.finish(r);
}

}  // namespace talus::driver
