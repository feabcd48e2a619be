#include <talus/model/spatial_machine.hpp>

namespace talus::model {

const InterfaceLaw* play_law(const SpatialJointKind& kind) {
  if (const auto* ball = std::get_if<BallClearance>(&kind)) return &ball->law;
  if (const auto* bearing = std::get_if<BearingClearance>(&kind)) return &bearing->law;
  return nullptr;
}

const TimeLaw* law_of(const SpatialForceKind& kind) {
  return std::visit(
      [](const auto& element) -> const TimeLaw* {
        if constexpr (requires { element.force; })
          return &element.force;
        else if constexpr (requires { element.moment; })
          return &element.moment;
        else
          return nullptr;
      },
      kind);
}

}  // namespace talus::model
