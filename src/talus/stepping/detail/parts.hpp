#pragma once

#include <talus/stepping/scheme.hpp>

namespace talus::stepping::detail {

/// Takes a step of a scheme in parts. The time of the state is the caller's to set, as after a
/// whole step, unless the scheme sets it.
class Parts {
 public:
  /// @param h of the whole step. All outlive this.
  Parts(Scheme& scheme, model::State& state, Real h)
      : scheme_(scheme), state_(state), h_(h), start_(state.time) {}

  /// Takes one part, which begins at the time of the state, and judges it in full: its problem is
  /// not kept.
  [[nodiscard]] StepReport take(Real size) {
    const Real time = state_.time;
    StepReport report = scheme_.step(state_, size);
    if (size < h_) scheme_.certify_in_full(report);
    sets_time_ = sets_time_ || state_.time != time;
    if (!sets_time_) state_.time = time + size;
    return report;
  }
  /// @return whether the scheme sets the time.
  bool finish() {
    if (!sets_time_) state_.time = start_;
    return sets_time_;
  }

 private:
  Scheme& scheme_;
  model::State& state_;
  const Real h_, start_;
  bool sets_time_ = false;
};

}  // namespace talus::stepping::detail
