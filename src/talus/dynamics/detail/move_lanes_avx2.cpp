#include <talus/dynamics/detail/move_lanes.inl>

namespace talus::dynamics::detail {

extern const MoveBalls kMoveBalls_avx2;
const MoveBalls kMoveBalls_avx2 = move_balls;

}  // namespace talus::dynamics::detail
