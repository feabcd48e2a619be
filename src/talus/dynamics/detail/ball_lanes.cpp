#include <talus/dynamics/detail/ball_lanes.hpp>

namespace talus::dynamics::detail {

extern const RefreshBalls kRefreshBalls_baseline, kRefreshBalls_avx2, kRefreshBalls_avx512;

RefreshBalls refresh_balls([[maybe_unused]] Simd simd) {
#if defined(TALUS_X86)
  if (simd == Simd::avx512) return kRefreshBalls_avx512;
  if (simd == Simd::avx2) return kRefreshBalls_avx2;
#endif
  return kRefreshBalls_baseline;
}

}  // namespace talus::dynamics::detail
