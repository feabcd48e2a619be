#pragma once

#include <talus/math/vector.hpp>

namespace talus::bench {

/// What a sweep takes, from what few and many take, which start alike: (t(40) − t(8))/32.
template <class TimeOf>
[[nodiscard]] auto per_sweep(const TimeOf& time_of) {
  constexpr Index kFew = 8, kMany = 40;
  return (time_of(kMany) - time_of(kFew)) / static_cast<double>(kMany - kFew);
}

}  // namespace talus::bench
