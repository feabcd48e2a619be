#include <talus/dynamics/detail/move_lanes.inl>

namespace talus::dynamics::detail {

extern const MoveBalls kMoveBalls_baseline;
const MoveBalls kMoveBalls_baseline = move_balls;

}  // namespace talus::dynamics::detail
