#pragma once

#include <cstring>

#include <talus/linalg/detail/wide_clone.hpp>
#include <talus/math/vector.hpp>

namespace talus::linalg::detail {

/// Four numbers, in wide clones one register.
using Four = double __attribute__((vector_size(32)));

/// Chooses numbers, each by its own: 0 or −1.
using FourMask = long long __attribute__((vector_size(32)));

/// One of four numbers.
inline constexpr FourMask kOneOfFour[] = {
    {-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}};

/// Takes them from anywhere.
TALUS_INLINE void get(const Real* x, Four& four) { std::memcpy(&four, x, sizeof(Four)); }
TALUS_INLINE void put(const Four& four, Real* x) { std::memcpy(x, &four, sizeof(Four)); }

}  // namespace talus::linalg::detail
