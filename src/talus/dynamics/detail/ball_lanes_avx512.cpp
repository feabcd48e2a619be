#include <talus/dynamics/detail/ball_lanes.inl>

namespace talus::dynamics::detail {

extern const RefreshBalls kRefreshBalls_avx512;
const RefreshBalls kRefreshBalls_avx512 = refresh_balls;

}  // namespace talus::dynamics::detail
