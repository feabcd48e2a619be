#pragma once

#include <talus/base/random.hpp>
#include <talus/math/vector.hpp>

namespace talus::problem::detail {

/// A right-hand side that shows a singular matrix by the size of its answer: the same numbers in
/// [−1, 1] each time, without a pattern that rows of a matrix could share.
[[nodiscard]] inline VecX probe(Index size) {
  Random random(1);
  VecX result(size);
  for (Index i = 0; i < size; ++i) result[i] = random.uniform(-1, 1);
  return result;
}

}  // namespace talus::problem::detail
