#include <talus/driver/contact_cascade.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

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

constexpr Index kFirstSweeps = 8;     // before the rate is used
constexpr double kFewSteps = 4;       // that Newton's method takes near the answer
constexpr double kManySteps = 16;     // where it has not found one in a few
constexpr Index kShortPatience = 5;   // factorisations without progress that any run may take
constexpr double kOverSpent = 2;      // cost without progress, over what has been spent
constexpr double kLocalProducts = 6;  // block products in the time of a contact's own problem
constexpr double kSweepsPerStep = 4;  // in the time of what a step takes beside its factors
constexpr Index kMostGrowth = 5;      // rounds in which restarts grow

/// The cascade: the best answer so far and what it took.
class ContactCascade {
 public:
  ContactCascade(const FrictionContact& problem, const Options& options,
                 const solve::ExternalResidual& external_residual, VecX& r)
      : problem_(problem), options_(options), external_residual_(external_residual), best_(r) {
    const auto d = static_cast<double>(problem.dimension);
    const auto m = static_cast<double>(problem.contact_count());
    const double blocks = static_cast<double>(problem.W.nonZeros()) / (d * d);
    sweep_cost_ = blocks + kLocalProducts * m;
    const double column = std::max(0.0, blocks - m) / (2 * m);
    // Without fill, `column` blocks below each one of the diagonal:
    least_factor_cost_ = m * column * (column + 1);
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

  /// Sweeps while the rate of the last half of them promises an answer for less than Newton's
  /// method costs. The sweeps' own residual is a good guide from afar, the external one is
  /// evaluated near the end.
  void sweep_while_promising(double newton_steps) {
    if (is_over()) return;
    const Stopwatch watch;
    const Index most = iterations_left();
    start_sweeps(swept_, most);
    SolveReport report;
    Index done = 0;
    std::vector<std::pair<Index, Real>> seen;  // sweeps and the residual after them
    std::size_t half = 0;                      // of `seen`: after half of the sweeps
    for (Index next = 1;;) {
      report = nsgs_.run(0, std::min(next, most), 1, options_.should_stop);
      done = report.iterations;
      is_interrupted_ = report.status == SolveStatus::interrupted;
      const bool is_near = done == 1 || report.residual <= 100 * options_.tolerance;
      const Real residual_ratio =
          is_near ? consider(nsgs_.impulse()) : report.residual / options_.tolerance;
      if (is_over() || done >= most || report.status == SolveStatus::stalled ||
          report.status == SolveStatus::numerical_error)
        break;
      seen.emplace_back(done, residual_ratio);
      while (half + 1 < seen.size() && 2 * seen[half + 1].first <= done) ++half;
      const auto& [before, start] = seen[half];
      const Real more = static_cast<Real>(done - before) * std::log(residual_ratio) /
                        std::log(start / residual_ratio);
      if (done >= kFirstSweeps && !is_promising(done, more, newton_steps)) break;
      next = done < kFirstSweeps ? 2 * done : done + std::max<Index>(4, done / 8);
    }
    swept_ = nsgs_.impulse();
    spent_ += sweep_cost_ * static_cast<double>(done);
    finish_stage("nsgs", watch, std::move(report),
                 is_solved() ? residual_ratio_ : consider(swept_));
  }

  /// As many sweeps as have been paid for, from where the last ones ended; one evaluation.
  void sweep() {
    if (is_over()) return;
    const Stopwatch watch;
    const auto paid = std::min(spent_ / sweep_cost_, static_cast<double>(iterations_left()));
    const auto most = std::max<Index>(1, static_cast<Index>(paid));
    start_sweeps(swept_, most);
    SolveReport report = nsgs_.run(0, most, 1, options_.should_stop);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    swept_ = nsgs_.impulse();
    spent_ += sweep_cost_ * static_cast<double>(report.iterations);
    finish_stage("nsgs", watch, std::move(report), consider(swept_));
  }

  /// @param least factorisations without progress that the run may take whatever they cost.
  void newton(VecX r, const solve::ProximalNewtonOptions& wanted, Index least = kShortPatience) {
    const Stopwatch watch;
    start_newton();
    solve::ProximalNewtonOptions newton_options = wanted;
    newton_options.keep_history = options_.keep_history;
    newton_options.max_factorisations = std::min(wanted.max_factorisations, iterations_left());
    newton_options.patience = patience(least);
    SolveReport report = newton_.run(newton_options, external_residual_, options_.should_stop, r);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    spent_ +=
        newton_.products() + kSweepsPerStep * sweep_cost_ * static_cast<double>(report.iterations);
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
    ipm_options.patience = patience(kShortPatience);
    inner_ = VecX::Zero(best_.size());
    SolveReport report =
        solve::ipm(problem_, ipm_options, external_residual_, options_.should_stop, inner_);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    spent_ += step_cost() * static_cast<double>(report.iterations);
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
    factor_cost_ = newton_.analyse();
    has_newton_ = true;
  }

  /// Of a step of Newton's method or of the interior point.
  double step_cost() {
    start_newton();
    return factor_cost_ + kSweepsPerStep * sweep_cost_;
  }

  /// Whether so many more sweeps, if their rate is right, cost less than Newton's method.
  bool is_promising(Index done, Real more, double newton_steps) {
    if (!(more > 0)) return false;
    const auto affordable = [&](double factor_cost) {
      return newton_steps * (factor_cost / sweep_cost_ + kSweepsPerStep);
    };
    if (more > affordable(least_factor_cost_)) start_newton();
    const double most = affordable(std::max(least_factor_cost_, factor_cost_));
    return more <= most && static_cast<double>(done) <= 2 * most;
  }

  /// Factorisations without progress that are worth their while, so many at least.
  Index patience(Index least) {
    const double paid = std::min(kOverSpent * spent_ / step_cost(), 1e9);
    return std::max(least, static_cast<Index>(paid));
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
  double sweep_cost_ = 0, least_factor_cost_ = 0, factor_cost_ = 0, spent_ = 0;  // block products
  bool is_interrupted_ = false, has_newton_ = false;
  SolveReport report_;
  solve::Nsgs nsgs_;
  solve::ProximalNewton newton_;
};

}  // namespace

SolveReport run_contact_cascade(const FrictionContact& problem, const Options& options,
                                const solve::ExternalResidual& external_residual, VecX& r) {
  const bool has_guess = r.squaredNorm() > 0;
  ContactCascade cascade(problem, options, external_residual, r);
  cascade.sweep_while_promising(has_guess ? 1 : kFewSteps);
  // Measured on 82 problems: where a Newton run starts matters more than any of its parameters.
  // Budget, first α, its factor, its limit:
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
  // What contacts squeeze each other by is not determined where they lie opposite to each other:
  // with a guess it is; the interior point's answer has most of it.
  if (!cascade.is_over())
    cascade.newton(cascade.swept(), near, has_guess ? near.max_factorisations : kShortPatience);
  cascade.sweep_while_promising(kManySteps);
  if (!cascade.is_over()) cascade.interior_point(false, 60);
  solve_in_stages(inner, polish);
  cascade.sweep();
  solve_in_stages(swept, near);
  if (!cascade.is_over()) cascade.interior_point(true, 60);
  solve_in_stages(inner, lagged);
  solve_in_stages(pressure(1), pressed);
  solve_in_stages(swept, lagged);
  solve_in_stages(swept, firm);
  solve_in_stages(pressure(25), pressed);
  for (Index round = 1; !cascade.is_over() && cascade.is_finite(); ++round) {
    const Index budget = 500 * round;
    const Real size = std::pow(Real(5), (round - 1) % kMostGrowth);
    solve_in_stages(pressure(size), {budget, 1e-6, 0.3, 0.8});
    solve_in_stages(best, {budget, 1e-1, 0.7, 0.95});
    solve_in_stages(best, {budget, 1e-1, 0.7, 0.95, kLagged});
    cascade.sweep();
    solve_in_stages(swept, {budget, 1e-1, 0.3, 0.9});
    solve_in_stages(pressure(size), {budget, 1e-2, 0.3, 0.9, kLagged});
  }
  return cascade.finish(r);
}

}  // namespace talus::driver
