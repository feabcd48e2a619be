#include <talus/dynamics/detail/move_lanes.inl>

namespace talus::dynamics::detail {

extern const MoveBalls kMoveBalls_avx512;
const MoveBalls kMoveBalls_avx512 = move_balls;

}  // namespace talus::dynamics::detail
