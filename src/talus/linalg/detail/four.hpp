#pragma once

#include <cstring>

#include <talus/linalg/detail/wide_clone.hpp>
#include <talus/math/vector.hpp>

namespace talus::linalg::detail {

/// Four numbers, in wide clones one register.
using Four = double __attribute__((vector_size(32)));

/// Takes them from anywhere.
TALUS_INLINE void get(const Real* x, Four& four) { std::memcpy(&four, x, sizeof(Four)); }
TALUS_INLINE void put(const Four& four, Real* x) { std::memcpy(x, &four, sizeof(Four)); }

}  // namespace talus::linalg::detail
