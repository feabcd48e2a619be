#pragma once

#include <talus/model/spatial_machine.hpp>
#include <talus/scene/detail/machine_context.hpp>

namespace talus::scene::detail {

/// A force element in space as it is written; notes what does not fit.
[[nodiscard]] model::SpatialForce force_in_space(const ForceSpec& spec, const BodyPair& bodies,
                                                 MachineContext& context);

}  // namespace talus::scene::detail
