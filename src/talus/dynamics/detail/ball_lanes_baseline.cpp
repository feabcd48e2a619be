#include <talus/dynamics/detail/ball_lanes.inl>

namespace talus::dynamics::detail {

extern const RefreshBalls kRefreshBalls_baseline;
const RefreshBalls kRefreshBalls_baseline = refresh_balls;

}  // namespace talus::dynamics::detail
