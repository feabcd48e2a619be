#include <talus/model/spatial_machine.hpp>

namespace talus::model {

const InterfaceLaw* play_law(const SpatialJointKind& kind) {
  if (const auto* ball = std::get_if<BallClearance>(&kind)) return &ball->law;
  if (const auto* bearing = std::get_if<BearingClearance>(&kind)) return &bearing->law;
  return nullptr;
}

}  // namespace talus::model
