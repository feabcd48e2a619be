#include <talus/math/detail/turn_lanes.inl>

namespace talus::detail {

extern const TurnLanes kTurnLanes_avx512;
const TurnLanes kTurnLanes_avx512 = turn;

}  // namespace talus::detail
