#include <talus/driver/detail/rigid_cascade.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <talus/driver/detail/assembled_contact.hpp>

namespace talus::driver::detail {
namespace {

using problem::SolveReport;
using problem::SolveStatus;
using solve::ProximalNewtonOptions;

// What a Newton run may cost, over what has been spent.
constexpr double kFirstOverSpent = 0.3, kLastOverSpent = 3;

/// The stages after the first sweeps.
class RigidCascade {
 public:
  /// @param patience sweeps that cost about as much as a Newton run, which have been done.
  /// @param watch since the first one. @param best in: their answer; out: the best of all.
  RigidCascade(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
               const Options& options, solve::ContactEquation equation, Index patience,
               const Stopwatch& watch, RigidContactSolution& best)
      : problem_(problem),
        certify_(certify),
        options_(options),
        patience_(patience),
        newton_(make_newton_stage(problem, certify, options.tolerance, equation)),
        best_(best),
        left_(options.max_iterations),
        spent_(sweep_cost(problem) * static_cast<double>(patience)),
        watch_(watch) {
    finish_stage("nsgs", best);
  }

  void run() {
    climb();
    total_.status = status();
    total_.residual = best_.report.residual;
    total_.detail = describe(total_.stages);
    if (const auto worst = best_.certificate.worst(options_.tolerance); worst.excess() > 1)
      total_.detail += fmt::format("; {} {:.3g}, asked {:g}", worst.name, worst.value, worst.limit);
    best_.report = std::move(total_);
  }

 private:
  void climb() {
    for (Index more = patience_;; more *= 4) {
      const bool is_done = newton(short_run());
      if (is_done) return;
      if (!newton_->was_too_dear() || left_ <= more) break;
      if (sweep(more)) return;
    }
    if (sweep(std::min(patience_, left_)) || newton(along_the_path())) return;
    sweep(left_);
  }

  [[nodiscard]] ProximalNewtonOptions short_run() const {
    ProximalNewtonOptions run;
    run.max_factorisations = std::min<Index>(50, left_);
    run.most_products = kFirstOverSpent * spent_;
    return run;
  }

  /// A jammed bed creeps towards its answer along the path of large α.
  [[nodiscard]] ProximalNewtonOptions along_the_path() const {
    ProximalNewtonOptions run{std::min<Index>(450, left_), 1e-1, 0.7, 0.95};
    run.most_products = kLastOverSpent * spent_;
    return run;
  }

  /// Newton's method from the best answer. @return whether the cascade ends.
  [[nodiscard]] bool newton(ProximalNewtonOptions run) {
    run.keep_history = options_.keep_history;
    newton_->run(run, options_.should_stop, best_, other_);
    spent_ += newton_->products();
    finish_stage("proximal_newton", other_);
    return keep_better();
  }

  /// Sweeps from the best answer. @return whether the cascade ends.
  bool sweep(Index most) {
    Options limited = options_;
    limited.max_iterations = most;
    solve_by_sweeps(problem_, certify_, limited, best_.impulse, other_);
    spent_ += sweep_cost(problem_) * static_cast<double>(most);  // also of those that stall before
    finish_stage("nsgs", other_);
    return keep_better();
  }

  void finish_stage(std::string_view name, RigidContactSolution& stage) {
    left_ -= stage.report.iterations;
    total_.add({std::string(name), stage.report.iterations, residual_of(stage), watch_.seconds(),
                stage.report.counts, std::move(stage.report.history)});
    watch_ = {};
  }

  /// The measure that decides, as a natural map.
  [[nodiscard]] Real residual_of(const RigidContactSolution& stage) const {
    return stage.certificate.excess(options_.tolerance) * options_.tolerance;
  }

  bool keep_better() {
    is_interrupted_ = other_.report.status == SolveStatus::interrupted;
    if (is_better(other_.certificate, best_.certificate, options_.tolerance))
      std::swap(best_, other_);
    return is_interrupted_ || best_.certificate.meets(options_.tolerance) || left_ < 1;
  }

  [[nodiscard]] SolveStatus status() const {
    if (best_.certificate.meets(options_.tolerance)) return SolveStatus::converged;
    if (is_interrupted_) return SolveStatus::interrupted;
    return best_.certificate.is_finite ? SolveStatus::max_iterations : SolveStatus::numerical_error;
  }

  const problem::RigidContact& problem_;
  const certify::RigidContactCertifier& certify_;
  const Options& options_;
  Index patience_;
  std::unique_ptr<NewtonStage> newton_;
  RigidContactSolution& best_;
  RigidContactSolution other_;
  SolveReport total_;
  Index left_;    // sweeps and factorisations
  double spent_;  // block products
  Stopwatch watch_;
  bool is_interrupted_ = false;
};

}  // namespace

Options first_sweeps(const problem::RigidContact& problem, Index contacts, const Options& options) {
  Options first = options;
  if (has_newton_stage(problem, contacts))
    first.max_iterations =
        std::min(options.max_iterations, 200 + 10 * std::min<Index>(contacts, 100));
  return first;
}

void solve_by_cascade(const problem::RigidContact& problem,
                      const certify::RigidContactCertifier& certify, const Options& options,
                      solve::ContactEquation equation, Sweeps& sweeps,
                      RigidContactSolution& solution) {
  const Options first = first_sweeps(problem, problem.contact_count(), options);
  end_sweeps(problem, certify, first, sweeps, solution);
  if (first.max_iterations < options.max_iterations && gave_up(solution.report))
    RigidCascade(problem, certify, options, equation, first.max_iterations, sweeps.watch, solution)
        .run();
}

}  // namespace talus::driver::detail
