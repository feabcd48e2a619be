#include <talus/solve/detail/stopping_rule.hpp>

#include <algorithm>
#include <cmath>

namespace talus::solve::detail {

using problem::SolveStatus;

namespace {
constexpr Index kMaxIterationsBetweenChecks = 100;
constexpr Real kRoundOff = 1e-16;  // a residual of the scaled problem that cannot fall further
constexpr Index kPatience = 5000;  // iterations without progress, beside three times those before
}  // namespace

StoppingRule::StoppingRule(const ScaledCones& problem, Real first, Index max_iterations,
                           bool keep_history, const ExternalResidual& external_residual,
                           const StopRequest& should_stop, VecX& answer)
    : problem_(problem),
      max_iterations_(max_iterations),
      external_residual_(external_residual),
      should_stop_(should_stop),
      history_(keep_history, max_iterations),
      answer_(answer),
      candidate_(answer),
      best_(first) {}

void StoppingRule::check(const VecX& x) {
  problem_.to_original(x, candidate_);
  const Real residual_ratio = external_residual_(candidate_);
  if (residual_ratio < best_) {
    best_ = residual_ratio;
    answer_ = candidate_;
  }
  last_checked_ = iterations_;
  gate_ = residual_ * std::clamp(0.8 / residual_ratio, 0.1, 0.8);
}

bool StoppingRule::should_continue(const VecX& x, Real residual, Real energy) {
  residual_ = residual;
  history_.add(residual, energy);
  if (!std::isfinite(residual)) {
    status_ = SolveStatus::numerical_error;
    return false;
  }
  if (residual < 0.99 * smallest_) {
    smallest_ = residual;
    last_progress_ = iterations_;
  }
  if (iterations_ >= max_iterations_)
    status_ = SolveStatus::max_iterations;
  else if (residual <= kRoundOff || iterations_ > 4 * last_progress_ + kPatience)
    status_ = SolveStatus::stalled;
  else if (should_stop_ && should_stop_())
    status_ = SolveStatus::interrupted;
  const bool is_last = status_ != SolveStatus::not_run;
  if (is_last || iterations_ == 0 || residual <= gate_ ||
      iterations_ - last_checked_ >= kMaxIterationsBetweenChecks)
    check(x);
  if (best_ <= 1) status_ = SolveStatus::converged;
  if (status_ != SolveStatus::not_run) return false;
  ++iterations_;
  return true;
}

void StoppingRule::stop(const VecX& x, SolveStatus status) {
  check(x);
  if (history_.size() == iterations_) history_.add(residual_);  // the iteration moved nothing
  status_ = best_ <= 1 ? SolveStatus::converged : status;
}

problem::SolveReport StoppingRule::report() const {
  const auto text = [](Index n, const char* what) { return std::to_string(n) + ' ' + what; };
  problem::SolveReport report{status_, iterations_, residual_, {}};
  report.detail =
      text(counts_.products, "products with W, ") + text(counts_.projections, "projections");
  if (counts_.factorisations > 0)
    report.detail += ", " + text(counts_.factorisations, "factorisations");
  report.counts = counts_;
  report.history = history_.get();
  return report;
}

}  // namespace talus::solve::detail
