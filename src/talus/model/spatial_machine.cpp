#include <talus/model/spatial_machine.hpp>

#include <algorithm>

#include <talus/model/time_law_of.hpp>

namespace talus::model {

const InterfaceLaw* play_law(const SpatialJointKind& kind) {
  if (const auto* ball = std::get_if<BallClearance>(&kind)) return &ball->law;
  if (const auto* bearing = std::get_if<BearingClearance>(&kind)) return &bearing->law;
  return nullptr;
}

const TimeLaw* law_of(const SpatialForceKind& kind) { return time_law_of(kind); }

bool has_restitution(const SpatialJoint& joint) {
  const auto* rope = std::get_if<Rope>(&joint.kind);
  return (rope != nullptr && rope->restitution > 0) ||
         std::any_of(joint.axes.begin(), joint.axes.end(),
                     [](const AxisLaw& axis) { return axis.restitution > 0; });
}

}  // namespace talus::model
