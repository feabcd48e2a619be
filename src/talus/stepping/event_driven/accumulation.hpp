#pragma once

#include <array>
#include <optional>

#include <talus/base/types.hpp>

namespace talus::stepping::event_driven {

/// The impacts of one contact, watched for a geometric series (Zeno): intervals Δ, rΔ, r²Δ, …
///
/// The series is recognised when its last three ratios agree to 1 % and impacts have become 10⁵
/// times slower than the first of it; its limit is then t + Δ r/(1 − r), whose error is that of r
/// times what is left of the time: for a bouncing ball that starts at 4 m/s some 1e-10 s.
class Accumulation {
 public:
  /// An impact at a time with a speed of approach > 0.
  /// @return the time at which the impacts accumulate, if they do.
  std::optional<Real> add(Real time, Real speed);
  /// The contact stays closed, or something else has happened to it.
  void reset() { *this = {}; }
  /// Whether the impacts so far look like the tail of a series.
  [[nodiscard]] bool is_tail() const;
  /// All that it remembers, to be kept in a state.
  static constexpr Index kSize = 8;
  void write(Real* to) const;
  void read(const Real* from);

 private:
  Real count_ = 0;
  Real last_time_ = 0, last_interval_ = 0, first_speed_ = 0;
  std::array<Real, 3> ratio_{};  // the latest first
  Real speed_ = 0;
};

}  // namespace talus::stepping::event_driven
