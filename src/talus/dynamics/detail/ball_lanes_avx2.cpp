#include <talus/dynamics/detail/ball_lanes.inl>

namespace talus::dynamics::detail {

extern const RefreshBalls kRefreshBalls_avx2;
const RefreshBalls kRefreshBalls_avx2 = refresh_balls;

}  // namespace talus::dynamics::detail
