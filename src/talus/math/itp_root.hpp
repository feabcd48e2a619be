#pragma once

#include <algorithm>
#include <cmath>

#include <talus/base/types.hpp>

namespace talus {

/// Where a function changes its sign: f(low) ≥ 0 > f(high) → the first point after the change to
/// within the tolerance, found from both sides, so that f(high) < 0 holds for the answer.
struct Bracket {
  Real low = 0, high = 0;
  Real at_low = 0, at_high = 0;  ///< f there
};

/// Narrows a bracket until high − low ≤ tolerance or f(high) is zero to within its own round-off.
///
/// ITP (interpolate, truncate, project; `oliveira_2020` with κ₁ = 0.2/width, κ₂ = 2, n₀ = 1): never
/// more than one evaluation beyond bisection, and superlinear for smooth functions. f may be the
/// least of several functions: the root is then that of the first one to change its sign.
/// @param f f(x) → Real. @param bracket at_low ≥ 0 > at_high (else it is returned as it is).
template <class Function>
[[nodiscard]] Bracket narrow(Function&& f, Bracket bracket, Real tolerance) {
  if (!(bracket.at_low >= 0 && bracket.at_high < 0)) return bracket;
  const Real width = bracket.high - bracket.low;
  if (!(width > tolerance)) return bracket;
  const int most = static_cast<int>(std::ceil(std::log2(width / tolerance))) + 1;
  const Real truncation = 0.2 / width;
  for (int step = 0; bracket.high - bracket.low > tolerance && step <= most + 1; ++step) {
    Real &a = bracket.low, &b = bracket.high;
    const Real middle = (a + b) / 2, half = (b - a) / 2;
    const Real radius =
        std::max(Real(0), tolerance / 2 * std::exp2(static_cast<Real>(most - step)) - half);
    // Interpolation: regula falsi.
    const Real falsi =
        (bracket.at_high * a - bracket.at_low * b) / (bracket.at_high - bracket.at_low);
    // Truncation: towards the middle by κ₁ (b − a)^κ₂.
    const Real delta = truncation * (b - a) * (b - a);
    const Real sign = middle >= falsi ? 1 : -1;
    const Real truncated = delta <= std::abs(middle - falsi) ? falsi + sign * delta : middle;
    // Projection: into the interval about the middle that keeps the bound of bisection.
    Real x = std::abs(truncated - middle) <= radius ? truncated : middle - sign * radius;
    x = std::clamp(x, a + tolerance / 4, b - tolerance / 4);
    const Real value = f(x);
    if (value < 0) {
      b = x;
      bracket.at_high = value;
    } else {
      a = x;
      bracket.at_low = value;
    }
  }
  return bracket;
}

}  // namespace talus
