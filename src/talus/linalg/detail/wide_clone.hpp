#pragma once

// The wide clone is chosen when the program starts; both clones do the same operations in the same
// order (no fused multiply-add), hence the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TALUS_WIDE_CLONE __attribute__((target_clones("avx2", "default")))
#else
#define TALUS_WIDE_CLONE
#endif

// A function that becomes a part of each clone that calls it.
#if defined(__GNUC__)
#define TALUS_INLINE __attribute__((always_inline)) inline
#define TALUS_INLINE_LAMBDA __attribute__((always_inline))
#else
#define TALUS_INLINE inline
#define TALUS_INLINE_LAMBDA
#endif
