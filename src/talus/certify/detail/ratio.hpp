#pragma once

#include <talus/base/types.hpp>

namespace talus::certify::detail {

/// A residual over its scale; 0 where the residual is 0, whatever the scale.
[[nodiscard]] inline Real ratio(Real residual, Real scale) {
  return residual == 0 ? Real(0) : residual / scale;
}

}  // namespace talus::certify::detail
