#include <talus/math/simd.hpp>

#include <array>

namespace talus {
namespace {

constexpr std::array kLevels = {Simd::baseline, Simd::avx2, Simd::avx512};

std::size_t level_count() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return 1;
  return __builtin_cpu_supports("avx512f") ? 3 : 2;
#else
  return 1;
#endif
}

}  // namespace

std::span<const Simd> simd_levels() {
  static const std::size_t count = level_count();
  return std::span(kLevels).first(count);
}

const char* name(Simd simd) {
  switch (simd) {
    case Simd::baseline:
      return "baseline";
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
  }
  return "";
}

}  // namespace talus
