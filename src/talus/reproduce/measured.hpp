#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/types.hpp>

namespace talus::reproduce {

/// A measured number that does not exist.
inline constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

/// The larger of two, where a number that does not exist is the largest.
[[nodiscard]] inline Real worse(Real a, Real b) {
  return std::isnan(a) || std::isnan(b) ? a + b : std::max(a, b);
}

}  // namespace talus::reproduce
