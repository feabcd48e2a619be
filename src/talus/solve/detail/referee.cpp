#include <talus/solve/detail/referee.hpp>

#include <algorithm>
#include <cmath>

namespace talus::solve::detail {

using problem::SolveStatus;

namespace {
constexpr Index kLongestSilence = 100;  // iterations between two questions to the judge
constexpr Real kRoundOff = 1e-16;       // a residual of the scaled problem that cannot fall further
constexpr Index kPatience = 5000;  // iterations without progress, beside three times those before
}  // namespace

Referee::Referee(const ScaledCones& problem, Real first, Index max_iterations, bool keep_history,
                 const Judge& judge, const StopRequest& should_stop, VecX& answer)
    : problem_(problem),
      max_iterations_(max_iterations),
      judge_(judge),
      should_stop_(should_stop),
      history_(keep_history, max_iterations),
      answer_(answer),
      candidate_(answer),
      best_(first) {}

void Referee::ask(const VecX& x) {
  problem_.to_original(x, candidate_);
  const Real merit = judge_(candidate_);
  if (merit < best_) {
    best_ = merit;
    answer_ = candidate_;
  }
  last_asked_ = iterations_;
  gate_ = residual_ * std::clamp(0.8 / merit, 0.1, 0.8);
}

bool Referee::wants_more(const VecX& x, Real residual, Real energy) {
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
      iterations_ - last_asked_ >= kLongestSilence)
    ask(x);
  if (best_ <= 1) status_ = SolveStatus::converged;
  if (status_ != SolveStatus::not_run) return false;
  ++iterations_;
  return true;
}

void Referee::stop(const VecX& x, SolveStatus status) {
  ask(x);
  if (history_.size() == iterations_) history_.add(residual_);  // the iteration moved nothing
  status_ = best_ <= 1 ? SolveStatus::converged : status;
}

problem::SolveReport Referee::report() const {
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
