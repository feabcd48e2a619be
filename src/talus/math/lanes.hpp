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
#define TALUS_LANE_BYTES 64
#elif defined(__AVX2__)
#define TALUS_LANE_BYTES 32
#else
#define TALUS_LANE_BYTES 16
#endif

/// W numbers of a precision, the mask that a comparison of such gives, and a part of a row of eight
/// numbers: W of them, or all.
using Lanes = double __attribute__((vector_size(TALUS_LANE_BYTES), may_alias));
using Bits = std::int64_t __attribute__((vector_size(TALUS_LANE_BYTES)));
using Singles = float __attribute__((vector_size(TALUS_LANE_BYTES), may_alias));
using SingleBits = std::int32_t __attribute__((vector_size(TALUS_LANE_BYTES)));
#if defined(__AVX512F__)
using SinglePart = float __attribute__((vector_size(32), may_alias));
#else
using SinglePart = Singles;
#endif

#undef TALUS_LANE_BYTES

template <class T>
struct LaneTypes;
template <>
struct LaneTypes<double> {
  using Wide = Lanes;
  using Part = Lanes;
  using Mask = Bits;
};
template <>
struct LaneTypes<float> {
  using Wide = Singles;
  using Part = SinglePart;
  using Mask = SingleBits;
};
template <class T>
using LanesOf = typename LaneTypes<T>::Wide;
template <class T>
using PartOf = typename LaneTypes<T>::Part;
template <class T>
using MaskOf = typename LaneTypes<T>::Mask;

constexpr int kRow = 8;  ///< numbers in a row: a body, or the lanes of a batch
template <class T>
constexpr int kWidthOf = sizeof(LanesOf<T>) / sizeof(T);
template <class T>
constexpr int kPartOf = sizeof(PartOf<T>) / sizeof(T);  ///< numbers in a part of a row
constexpr int kWidth = kWidthOf<double>;
constexpr int kChunks = kRow / kWidth;  ///< vectors in a row

template <class T>
struct Vec3LanesOf {
  LanesOf<T> x, y, z;
};
using Vec3Lanes = Vec3LanesOf<double>;

inline Lanes load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline Singles load(const float* p) { return *reinterpret_cast<const Singles*>(p); }
template <class T>
inline PartOf<T> load_part(const T* p) {
  return *reinterpret_cast<const PartOf<T>*>(p);
}
/// W numbers that are aligned as numbers are.
inline Lanes load_anywhere(const double* p) {
  Lanes x;
  __builtin_memcpy(&x, p, sizeof(x));
  return x;
}
inline void store_anywhere(double* p, Lanes x) { __builtin_memcpy(p, &x, sizeof(x)); }
/// W numbers of single precision.
inline Lanes load_single(const float* p) {
  typedef float Halves __attribute__((vector_size(sizeof(Lanes) / 2), aligned(4), may_alias));
  return __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Lanes);
}
inline void store(double* p, Lanes x) { *reinterpret_cast<Lanes*>(p) = x; }
inline void store(float* p, Singles x) { *reinterpret_cast<Singles*>(p) = x; }
template <class T>
inline void store_part(T* p, PartOf<T> x) {
  *reinterpret_cast<PartOf<T>*>(p) = x;
}
inline Lanes all(double x) { return x - Lanes{}; }
inline Lanes all(int x) { return all(static_cast<double>(x)); }
inline Singles all(float x) { return x - Singles{}; }

inline Lanes root(Lanes x) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
  return (Lanes)_mm256_sqrt_pd((__m256d)x);
#else
  return Lanes{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])};
#endif
}

inline Singles root(Singles x) {
#if defined(__AVX512F__)
  return (Singles)_mm512_sqrt_ps((__m512)x);
#elif defined(__AVX2__)
  return (Singles)_mm256_sqrt_ps((__m256)x);
#else
  return Singles{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]),
                 __builtin_sqrtf(x[3])};
#endif
}

/// Whether some lane of a mask is set. @tparam Mask of numbers of 8 or 4 bytes: which integers a
/// comparison gives differs between compilers.
template <class Mask>
inline bool any(Mask bits) {
  constexpr bool is_double = sizeof(bits[0]) == sizeof(double);
#if defined(__AVX512F__)
  if constexpr (is_double) return _mm512_test_epi64_mask((__m512i)bits, (__m512i)bits) != 0;
  return _mm512_test_epi32_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX2__)
  if constexpr (is_double) return _mm256_movemask_pd((__m256d)bits) != 0;
  return _mm256_movemask_ps((__m256)bits) != 0;
#else
  if constexpr (is_double)
    return bits[0] != 0 || bits[1] != 0;
  else
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
#endif
}

inline Lanes larger(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes magnitude(Lanes a) { return (Lanes)((Bits)a & 0x7fffffffffffffffLL); }
inline Singles magnitude(Singles a) { return (Singles)((SingleBits)a & 0x7fffffff); }

template <class T>
inline Vec3LanesOf<T> operator+(const Vec3LanesOf<T>& a, const Vec3LanesOf<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
inline Vec3LanesOf<T> operator-(const Vec3LanesOf<T>& a, const Vec3LanesOf<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
inline Vec3LanesOf<T> operator*(LanesOf<T> s, const Vec3LanesOf<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
inline LanesOf<T> dot(const Vec3LanesOf<T>& a, const Vec3LanesOf<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
inline Vec3LanesOf<T> cross(const Vec3LanesOf<T>& a, const Vec3LanesOf<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Whether all vectors are 0.
inline bool is_zero(const Vec3Lanes& a) {
  const Lanes zero{};
  return !any((a.x != zero) | (a.y != zero) | (a.z != zero));
}

/// The components of W consecutive lanes of a batch {x[n], y[n], z[n]}: a cache line each, if n is
/// not given.
template <int n, class T>
inline Vec3LanesOf<T> load3(const T* p) {
  return {load(p), load(p + n), load(p + 2 * n)};
}
template <class T>
inline Vec3LanesOf<T> load3(const T* p) {
  return load3<64 / sizeof(T)>(p);
}
template <int n, class T>
inline void store3(T* p, const Vec3LanesOf<T>& x) {
  store(p, x.x);
  store(p + n, x.y);
  store(p + 2 * n, x.z);
}
template <class T>
inline void store3(T* p, const Vec3LanesOf<T>& x) {
  store3<64 / sizeof(T)>(p, x);
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

/// The parts of W rows as columns, and back: of double precision W × W.
inline void columns_of(const Lanes* part, Lanes* column) {
  for (int l = 0; l < kWidth; ++l) column[l] = part[l];
  transpose(column);
}
inline void parts_of(const Lanes* column, Lanes* part) { columns_of(column, part); }

/// In each quarter of 16 bytes: rows of four numbers become columns.
inline void transpose_quarters(const Singles* m, Singles* to) {
#if defined(__AVX2__)
#if defined(__AVX512F__)
#define TALUS_PS(name) _mm512_##name##_ps
  using Register = __m512;
#else
#define TALUS_PS(name) _mm256_##name##_ps
  using Register = __m256;
#endif
  const Register a = TALUS_PS(unpacklo)((Register)m[0], (Register)m[1]);
  const Register b = TALUS_PS(unpacklo)((Register)m[2], (Register)m[3]);
  const Register c = TALUS_PS(unpackhi)((Register)m[0], (Register)m[1]);
  const Register d = TALUS_PS(unpackhi)((Register)m[2], (Register)m[3]);
  to[0] = (Singles)TALUS_PS(shuffle)(a, b, 0x44);
  to[1] = (Singles)TALUS_PS(shuffle)(a, b, 0xee);
  to[2] = (Singles)TALUS_PS(shuffle)(c, d, 0x44);
  to[3] = (Singles)TALUS_PS(shuffle)(c, d, 0xee);
#undef TALUS_PS
#else
  const Singles a = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5);
  const Singles b = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5);
  const Singles c = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
  const Singles d = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
  to[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  to[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  to[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  to[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
#endif
}

/// Of single precision: whole rows by AVX2 and more, which become eight columns, else halves.
inline void columns_of(const SinglePart* part, Singles* column) {
#if defined(__AVX512F__)
  Singles low[4], high[4];  // quarter q of low[j]: the first half of row 4q + j
  const auto both = [](SinglePart a, SinglePart b) {
    return _mm512_castpd_ps(_mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)a), (__m256d)b, 1));
  };
  for (int j = 0; j < 4; ++j) {
    const __m512 a = both(part[j], part[4 + j]), b = both(part[8 + j], part[12 + j]);
    low[j] = (Singles)_mm512_shuffle_f32x4(a, b, 0x88);
    high[j] = (Singles)_mm512_shuffle_f32x4(a, b, 0xdd);
  }
  transpose_quarters(low, column);
  transpose_quarters(high, column + 4);
#elif defined(__AVX2__)
  Singles low[4], high[4];
  for (int j = 0; j < 4; ++j) {
    const __m256 a = (__m256)part[j], b = (__m256)part[4 + j];
    low[j] = (Singles)_mm256_permute2f128_ps(a, b, 0x20);
    high[j] = (Singles)_mm256_permute2f128_ps(a, b, 0x31);
  }
  transpose_quarters(low, column);
  transpose_quarters(high, column + 4);
#else
  transpose_quarters(part, column);
#endif
}
inline void parts_of(const Singles* column, SinglePart* part) {
#if defined(__AVX512F__)
  Singles low[4], high[4];
  transpose_quarters(column, low);
  transpose_quarters(column + 4, high);
  const auto split = [](__m512 rows, SinglePart& a, SinglePart& b) {
    a = (SinglePart)_mm512_castps512_ps256(rows);
    b = (SinglePart)_mm512_extractf64x4_pd(_mm512_castps_pd(rows), 1);
  };
  for (int j = 0; j < 4; ++j) {
    const __m512 a = _mm512_shuffle_f32x4((__m512)low[j], (__m512)high[j], 0x44);
    const __m512 b = _mm512_shuffle_f32x4((__m512)low[j], (__m512)high[j], 0xee);
    split(_mm512_shuffle_f32x4(a, a, 0xd8), part[j], part[4 + j]);
    split(_mm512_shuffle_f32x4(b, b, 0xd8), part[8 + j], part[12 + j]);
  }
#elif defined(__AVX2__)
  Singles low[4], high[4];
  transpose_quarters(column, low);
  transpose_quarters(column + 4, high);
  for (int j = 0; j < 4; ++j) {
    const __m256 a = (__m256)low[j], b = (__m256)high[j];
    part[j] = (SinglePart)_mm256_permute2f128_ps(a, b, 0x20);
    part[4 + j] = (SinglePart)_mm256_permute2f128_ps(a, b, 0x31);
  }
#else
  transpose_quarters(column, part);
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
inline SinglePart ends_of_halves(const float* /*row*/, SinglePart chunk, int /*k*/) {
#if defined(__AVX2__)
  return __builtin_shufflevector(chunk, chunk, 3, 3, 3, 3, 7, 7, 7, 7);
#else
  return __builtin_shufflevector(chunk, chunk, 3, 3, 3, 3);
#endif
}

constexpr std::int64_t kSignBit = INT64_MIN;

/// Flips the signs of the first `count` numbers of chunk k of a row.
inline Lanes flip_first(Lanes x, int chunk, int count) {
  Bits mask{};
  for (int l = 0; l < kWidth; ++l) mask[l] = kWidth * chunk + l < count ? kSignBit : 0;
  return (Lanes)((Bits)x ^ mask);
}
inline SinglePart flip_first(SinglePart x, int chunk, int count) {
  using Mask = std::int32_t __attribute__((vector_size(sizeof(SinglePart))));
  Mask mask{};
  for (int l = 0; l < kPartOf<float>; ++l)
    mask[l] = kPartOf<float> * chunk + l < count ? INT32_MIN : 0;
  return (SinglePart)((Mask)x ^ mask);
}

/// Part h of W numbers of single precision, in double precision: h is 0 or 1.
inline Lanes half_of(Singles x, int h) {
  typedef float Halves __attribute__((vector_size(sizeof(Lanes) / 2), may_alias));
#if defined(__AVX512F__)
  const Halves half = h == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7)
                             : __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
#elif defined(__AVX2__)
  const Halves half = h == 0 ? __builtin_shufflevector(x, x, 0, 1, 2, 3)
                             : __builtin_shufflevector(x, x, 4, 5, 6, 7);
#else
  const Halves half =
      h == 0 ? __builtin_shufflevector(x, x, 0, 1) : __builtin_shufflevector(x, x, 2, 3);
#endif
  return __builtin_convertvector(half, Lanes);
}

}  // namespace
}  // namespace talus
// NOLINTEND(misc-definitions-in-headers)
