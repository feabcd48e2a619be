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

// The one of name_baseline, name_avx2, name_avx512 for an instruction set, as talus_kernels
// compiles them; where there is no other, the first.
#if defined(TALUS_X86)
#define TALUS_KERNEL_FOR(simd, name)               \
  ((simd) == ::talus::Simd::avx512 ? name##_avx512 \
   : (simd) == ::talus::Simd::avx2 ? name##_avx2   \
                                   : name##_baseline)
#else
#define TALUS_KERNEL_FOR(simd, name) (static_cast<void>(simd), name##_baseline)
#endif
