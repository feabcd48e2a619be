#pragma once

#include <talus/linalg/detail/wide_clone.hpp>
#include <talus/math/vector.hpp>

namespace talus::linalg::detail {

/// Calls f with n as a constant: with the one of these numbers that it is, or with the last.
template <Index number, Index... others, class F>
TALUS_INLINE auto with_constant(Index n, const F& f) {
  if constexpr (sizeof...(others) == 0) {
    return f.template operator()<number>();
  } else {
    if (n == number) return f.template operator()<number>();
    return with_constant<others...>(n, f);
  }
}

}  // namespace talus::linalg::detail
