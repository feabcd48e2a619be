#include <talus/driver/contact_ladder.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <talus/solve/gauss_seidel/nsgs.hpp>
#include <talus/solve/interior_point/ipm.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver {
namespace {

using problem::FrictionContact;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kFewContacts = 30;     // below, sweeps cost next to nothing
constexpr Index kSweepsBetween = 100;  // before the first restart from swept impulses

/// The climb: the best answer so far and what it took.
class Ladder {
 public:
  Ladder(const FrictionContact& problem, const Options& options, const solve::Judge& judge, VecX& r)
      : problem_(problem), options_(options), judge_(judge), best_(r) {
    merit_ = judge(best_);
    swept_ = r;
  }

  [[nodiscard]] bool is_solved() const { return merit_ <= 1; }
  [[nodiscard]] bool is_over() const {
    return is_solved() || is_interrupted_ || iterations_left() < 1;
  }
  [[nodiscard]] const VecX& best() const { return best_; }
  [[nodiscard]] const VecX& swept() const { return swept_; }
  [[nodiscard]] VecX uniform_pressure() {
    start_newton();
    return newton_.uniform_pressure();
  }

  /// Sweeps that are judged at 1, 2, 4, 8, 16, 20 and then every ten; left when the rate of the
  /// last two verdicts promises no answer within the patience.
  void sweep_while_promising() {
    const auto start = Clock::now();
    const bool has_few = problem_.contact_count() < kFewContacts;
    const Index most = std::min<Index>(has_few ? 60 : 35, iterations_left()),
                patience = has_few ? 60 : 15;
    start_sweeps(swept_);
    Index done = 0;
    Real last = merit_;
    for (Index next = 1; next <= most && !is_over();) {
      const SolveReport report = nsgs_.run(0, next, 1, options_.should_stop);
      const Index since = report.iterations - done;
      done = report.iterations;
      const Real merit = consider(nsgs_.impulse());
      is_interrupted_ = report.status == SolveStatus::interrupted;
      if (merit <= 1 || report.status == SolveStatus::stalled ||
          report.status == SolveStatus::numerical_error)
        break;
      const Real rate = std::log(last / merit) / static_cast<Real>(since);
      const bool is_promising = rate > 0 && std::log(merit) / rate <= static_cast<Real>(patience);
      if (done >= 20 && !is_promising) break;
      last = merit;
      next = done < 16 ? 2 * done : done == 16 ? 20 : done + 10;
    }
    swept_ = nsgs_.impulse();
    finish_stage("nsgs", start, done, merit_);
  }

  /// A given number of sweeps from where the last ones ended, one judgement.
  void sweep(Index count) {
    const auto start = Clock::now();
    start_sweeps(swept_);
    const SolveReport report =
        nsgs_.run(0, std::min(count, iterations_left()), 1, options_.should_stop);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    swept_ = nsgs_.impulse();
    finish_stage("nsgs", start, report.iterations, consider(swept_));
  }

  void newton(VecX r, Real regularisation, Real decrease, Real largest_decrease, Index most) {
    const auto start = Clock::now();
    start_newton();
    solve::ProximalNewtonOptions newton_options;
    newton_options.regularisation = regularisation;
    newton_options.decrease = decrease;
    newton_options.largest_decrease = largest_decrease;
    newton_options.max_factorisations = std::min(most, iterations_left());
    const SolveReport report = newton_.run(newton_options, judge_, options_.should_stop, r);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    finish_stage("proximal_newton", start, report.iterations, consider(r));
  }

  /// The interior point's own last iterate is kept apart, as a start for others.
  void interior_point(Real damping, Index most) {
    const auto start = Clock::now();
    solve::IpmOptions ipm_options;
    ipm_options.damping = damping;
    ipm_options.max_factorisations = std::min(most, iterations_left());
    inner_ = VecX::Zero(best_.size());
    const SolveReport report =
        solve::ipm(problem_, ipm_options, judge_, options_.should_stop, inner_);
    is_interrupted_ = report.status == SolveStatus::interrupted;
    finish_stage("ipm", start, report.iterations, consider(inner_));
  }
  [[nodiscard]] const VecX& inner() const { return inner_; }

  SolveReport finish(VecX& r) {
    r = best_;
    report_.status = is_solved()       ? SolveStatus::converged
                     : is_interrupted_ ? SolveStatus::interrupted
                                       : SolveStatus::max_iterations;
    report_.residual = merit_ * options_.tolerance;
    report_.detail = describe(report_.stages);
    return report_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Index iterations_left() const {
    return options_.max_iterations - report_.iterations;
  }

  void start_sweeps(const VecX& r) { nsgs_.start(problem_, r); }

  void start_newton() {
    if (has_newton_) return;
    newton_.start(problem_);
    has_newton_ = true;
  }

  Real consider(const VecX& r) {
    const Real merit = judge_(r);
    if (merit < merit_) {
      merit_ = merit;
      best_ = r;
    }
    return merit;
  }

  void finish_stage(std::string_view solver, Clock::time_point start, Index iterations,
                    Real merit) {
    report_.iterations += iterations;
    report_.stages.push_back({std::string(solver), iterations, merit * options_.tolerance,
                              std::chrono::duration<double>(Clock::now() - start).count()});
  }

  const FrictionContact& problem_;
  const Options& options_;
  const solve::Judge& judge_;
  VecX best_, swept_, inner_;
  Real merit_ = std::numeric_limits<Real>::infinity();
  bool is_interrupted_ = false, has_newton_ = false;
  SolveReport report_;
  solve::Nsgs nsgs_;
  solve::ProximalNewton newton_;
};

}  // namespace

SolveReport climb_contact_ladder(const FrictionContact& problem, const Options& options,
                                 const solve::Judge& judge, VecX& r) {
  Ladder ladder(problem, options, judge, r);
  ladder.sweep_while_promising();
  // Measured on many problems: where a Newton run starts matters more than any of its parameters,
  // hence a small budget for the near start and then other starts.
  if (!ladder.is_over()) ladder.newton(ladder.swept(), 1e-3, 1e-2, 0.8, 50);
  // Jammed beds creep towards their answer along the path of large α;
  const auto creep = [&](Index most) { ladder.newton(ladder.best(), 1e-1, 0.7, 0.95, most); };
  if (!ladder.is_over()) ladder.newton(ladder.uniform_pressure(), 1e-6, 0.3, 0.8, 450);
  if (!ladder.is_over()) {  // a second opinion, polished
    ladder.interior_point(0.1, 40);
    if (!ladder.is_over()) ladder.newton(ladder.inner(), 1e-6, 0.1, 0.8, 300);
  }
  for (Index round = 1; !ladder.is_over(); ++round) {
    if (round % 2 == 1) {
      creep(1500);
    } else {
      ladder.sweep(kSweepsBetween * round);
      if (!ladder.is_over()) ladder.newton(ladder.swept(), 1e-1, 0.3, 0.9, 1500);
    }
  }
  return ladder.finish(r);
}

}  // namespace talus::driver
