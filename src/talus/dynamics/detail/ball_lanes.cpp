#include <talus/dynamics/detail/ball_lanes.hpp>

namespace talus::dynamics::detail {

extern const RefreshBalls kRefreshBalls_baseline, kRefreshBalls_avx2, kRefreshBalls_avx512;

RefreshBalls refresh_balls(Simd simd) { return TALUS_KERNEL_FOR(simd, kRefreshBalls); }

}  // namespace talus::dynamics::detail
