#pragma once

#include <span>

namespace talus {

/// Instruction sets that kernels are compiled for, in rising order.
enum class Simd : unsigned char { baseline, avx2, avx512 };

/// Those that this machine has, the best one last; baseline is always there.
[[nodiscard]] std::span<const Simd> simd_levels();

/// The best one of this machine.
[[nodiscard]] inline Simd best_simd() { return simd_levels().back(); }

[[nodiscard]] const char* name(Simd simd);

}  // namespace talus
