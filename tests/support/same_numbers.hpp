#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include <talus/base/types.hpp>

namespace talus::test {

/// Whether two lists hold the same numbers; NaN is the same as NaN.
inline bool same_numbers(std::span<const Real> a, std::span<const Real> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](Real x, Real y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

}  // namespace talus::test
