#pragma once

#include <cstdint>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

/// Arithmetic on W numbers at once and the transposition of rows of eight numbers, for kernels that
/// are compiled once per instruction set.
///
/// Everything is in an unnamed namespace and free of the standard library: a file compiled for
/// AVX-512 must not leave functions behind that the linker might take for the whole program. All
/// widths round alike (no fused multiply-add, correctly rounded roots and quotients), so a kernel
/// gives the same bits on every machine.
// NOLINTBEGIN(misc-definitions-in-headers): one copy for each instruction set is what is wanted.
namespace talus {
namespace {

#if defined(__AVX512F__)
using Lanes = double __attribute__((vector_size(64), may_alias));
using Bits = std::int64_t __attribute__((vector_size(64)));
#elif defined(__AVX2__)
using Lanes = double __attribute__((vector_size(32), may_alias));
using Bits = std::int64_t __attribute__((vector_size(32)));
#else
using Lanes = double __attribute__((vector_size(16), may_alias));
using Bits = std::int64_t __attribute__((vector_size(16)));
#endif

constexpr int kWidth = sizeof(Lanes) / sizeof(double);
constexpr int kRow = 8;                 ///< numbers in a row: a body, or the lanes of a batch
constexpr int kChunks = kRow / kWidth;  ///< vectors in a row

struct Vec3Lanes {
  Lanes x, y, z;
};

inline Lanes load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
/// W numbers of single precision.
inline Lanes load_single(const float* p) {
  typedef float Singles __attribute__((vector_size(sizeof(Lanes) / 2), aligned(4), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Singles*>(p), Lanes);
}
inline void store(double* p, Lanes x) { *reinterpret_cast<Lanes*>(p) = x; }
inline Lanes all(double x) { return x - Lanes{}; }

inline Lanes root(Lanes x) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
  return (Lanes)_mm256_sqrt_pd((__m256d)x);
#else
  return Lanes{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#endif
}

/// Whether some lane of a mask is set.
inline bool any(Bits bits) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_pd((__m256d)bits) != 0;
#else
  return bits[0] != 0 || bits[1] != 0;
#endif
}

inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes magnitude(Lanes a) { return (Lanes)((Bits)a & 0x7fffffffffffffffLL); }

inline Vec3Lanes operator+(const Vec3Lanes& a, const Vec3Lanes& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3Lanes operator-(const Vec3Lanes& a, const Vec3Lanes& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3Lanes operator*(Lanes s, const Vec3Lanes& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Lanes dot(const Vec3Lanes& a, const Vec3Lanes& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3Lanes cross(const Vec3Lanes& a, const Vec3Lanes& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Whether all vectors are 0.
inline bool is_zero(const Vec3Lanes& a) {
  const Lanes zero{};
  return !any((a.x != zero) | (a.y != zero) | (a.z != zero));
}

/// The components of W consecutive lanes of a batch {x[8], y[8], z[8]}.
inline Vec3Lanes load3(const double* p) { return {load(p), load(p + kRow), load(p + 2 * kRow)}; }
inline void store3(double* p, const Vec3Lanes& x) {
  store(p, x.x);
  store(p + kRow, x.y);
  store(p + 2 * kRow, x.z);
}

/// Rows become columns, in place: a matrix of W × W.
inline void transpose(Lanes* m) {
#if defined(__AVX512F__)
  Lanes a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[2 * i + 1] = __builtin_shufflevector(m[2 * i], m[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const Lanes p = a[4 * i + j], q = a[4 * i + 2 + j];  // rows 4i, 4i+1 | 4i+2, 4i+3
      b[4 * i + j] =
          __builtin_shufflevector(p, q, 0, 1, 4, 5, 8, 9, 12, 13);  // 128-bit blocks 0, 2 of both
      b[4 * i + 2 + j] = __builtin_shufflevector(p, q, 2, 3, 6, 7, 10, 11, 14, 15);  // 1, 3
    }
  for (int j = 0; j < 2; ++j) {
    m[j] = __builtin_shufflevector(b[j], b[4 + j], 0, 1, 4, 5, 8, 9, 12, 13);        // column j
    m[4 + j] = __builtin_shufflevector(b[j], b[4 + j], 2, 3, 6, 7, 10, 11, 14, 15);  // column 4 + j
    m[2 + j] =
        __builtin_shufflevector(b[2 + j], b[6 + j], 0, 1, 4, 5, 8, 9, 12, 13);  // column 2 + j
    m[6 + j] =
        __builtin_shufflevector(b[2 + j], b[6 + j], 2, 3, 6, 7, 10, 11, 14, 15);  // column 6 + j
  }
#elif defined(__AVX2__)
  const Lanes a = __builtin_shufflevector(m[0], m[1], 0, 4, 2, 6);
  const Lanes b = __builtin_shufflevector(m[0], m[1], 1, 5, 3, 7);
  const Lanes c = __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6);
  const Lanes d = __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7);
  m[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  m[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  m[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  m[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
#else
  const Lanes a = m[0], b = m[1];
  m[0] = __builtin_shufflevector(a, b, 0, 2);
  m[1] = __builtin_shufflevector(a, b, 1, 3);
#endif
}

/// Of a row in two halves that end in a number each (3 and 7): that number all over the half, as
/// chunk k. `chunk` is the row's chunk k.
inline Lanes ends_of_halves([[maybe_unused]] const double* row, [[maybe_unused]] Lanes chunk,
                            [[maybe_unused]] int k) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(chunk, chunk, 3, 3, 3, 3, 7, 7, 7, 7);
#else
  return all(row[kWidth * k < 4 ? 3 : 7]);
#endif
}

constexpr std::int64_t kSignBit = INT64_MIN;

/// Flips the signs of the first `count` numbers of chunk k of a row.
inline Lanes flip_first(Lanes x, int chunk, int count) {
  Bits mask{};
  for (int l = 0; l < kWidth; ++l) mask[l] = kWidth * chunk + l < count ? kSignBit : 0;
  return (Lanes)((Bits)x ^ mask);
}

}  // namespace
}  // namespace talus
// NOLINTEND(misc-definitions-in-headers)
