#include <talus/math/detail/turn_lanes.inl>

namespace talus::detail {

extern const TurnLanes kTurnLanes_baseline;
const TurnLanes kTurnLanes_baseline = turn;

}  // namespace talus::detail
