#pragma once

#include <variant>
#include <vector>

#include <talus/base/types.hpp>

namespace talus::model {

/// c.
struct ConstantLaw {
  Real value = 0;
};

/// c + s t.
struct RampLaw {
  Real value = 0;  ///< c, at t = 0
  Real slope = 0;  ///< s
};

/// c + a sin(2π f t + φ).
struct HarmonicLaw {
  Real mean = 0;       ///< c
  Real amplitude = 0;  ///< a
  Real frequency = 0;  ///< f [1/s]
  Real phase = 0;      ///< φ [rad]
};

/// A table over time, constant outside: straight between its entries, or a natural cubic spline.
/// Made by make_table.
struct TableLaw {
  std::vector<Real> time;       ///< [s], increasing
  std::vector<Real> value;      ///< one per time
  std::vector<Real> curvature;  ///< second derivative, one per time; all zero where straight
  std::vector<Real> area;       ///< integral since the first time, one per time
  bool is_smooth = false;       ///< spline
};

/// The table of values at times. O(entries).
/// @param time increasing, at least one; @param value one per time (contract).
[[nodiscard]] TableLaw make_table(std::vector<Real> time, std::vector<Real> value, bool is_smooth);

/// A scalar function of time: of an angle [rad], a length [m], a force [N], ….
using TimeLaw = std::variant<ConstantLaw, RampLaw, HarmonicLaw, TableLaw>;

/// Whether a law is 0 at all times: a constant that is.
[[nodiscard]] bool is_zero(const TimeLaw& law);

/// Its value, first and second derivative at a time. At a kink of a table those from the right.
struct TimeValue {
  Real value = 0, rate = 0, acceleration = 0;
};
[[nodiscard]] TimeValue evaluate(const TimeLaw& law, Real time);

/// ∫₀ᵗ law dt with its derivatives, in closed form: the angle that a prescribed speed leads to.
[[nodiscard]] TimeValue evaluate_integral(const TimeLaw& law, Real time);

/// From a time to another; an instant where they are the same.
struct TimeSpan {
  Real begin = 0, end = 0;  ///< [s], begin ≤ end

  TimeSpan(Real instant) : begin(instant), end(instant) {}  // NOLINT(google-explicit-constructor)
  TimeSpan(Real first, Real last) : begin(first), end(last) {}
  [[nodiscard]] Real length() const { return end - begin; }
  [[nodiscard]] Real middle() const { return begin + length() / 2; }
};

/// The mean of a law over a span, in closed form, and the means of its derivatives; evaluate() at
/// an instant. A force of this value throughout a step gives the impulse of the law, whatever the
/// law does within the step.
[[nodiscard]] TimeValue mean(const TimeLaw& law, const TimeSpan& span);

/// The first time after `time` at which the law or its slope jumps; infinity if there is none. An
/// integrator must not step over it.
[[nodiscard]] Real next_kink(const TimeLaw& law, Real time);

}  // namespace talus::model
