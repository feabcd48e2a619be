#include <talus/model/spatial_machine.hpp>

#include <talus/model/time_law_of.hpp>

namespace talus::model {

const InterfaceLaw* play_law(const SpatialJointKind& kind) {
  if (const auto* ball = std::get_if<BallClearance>(&kind)) return &ball->law;
  if (const auto* bearing = std::get_if<BearingClearance>(&kind)) return &bearing->law;
  return nullptr;
}

const TimeLaw* law_of(const SpatialForceKind& kind) { return time_law_of(kind); }

}  // namespace talus::model
