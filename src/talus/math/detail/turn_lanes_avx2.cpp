#include <talus/math/detail/turn_lanes.inl>

namespace talus::detail {

extern const TurnLanes kTurnLanes_avx2;
const TurnLanes kTurnLanes_avx2 = turn;

}  // namespace talus::detail
