#include <talus/dynamics/detail/move_lanes.hpp>

namespace talus::dynamics::detail {

extern const MoveBalls kMoveBalls_baseline, kMoveBalls_avx2, kMoveBalls_avx512;

MoveBalls move_balls([[maybe_unused]] Simd simd) {
#if defined(TALUS_X86)
  if (simd == Simd::avx512) return kMoveBalls_avx512;
  if (simd == Simd::avx2) return kMoveBalls_avx2;
#endif
  return kMoveBalls_baseline;
}

}  // namespace talus::dynamics::detail
