#pragma once

#include <talus/math/spatial.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/scene/detail/machine_context.hpp>

namespace talus::scene::detail {

/// A joint in space as it is written: its frames in the bodies and the laws along its axes. Notes
/// what does not fit the places of the bodies, which are those of the context's state.
[[nodiscard]] model::SpatialJoint joint_in_space(const JointSpec& spec, const BodyPair& bodies,
                                                 MachineContext& context);

/// Of a body, or of the world.
[[nodiscard]] Pose pose_of(const MachineContext& context, Index body);

/// The unit vector along a direction; notes that it is zero.
[[nodiscard]] Vec3 unit_direction(const Vec3& direction, const Place& place, Problems& problems);

/// The world's axis z taken to a direction by the smallest turn.
[[nodiscard]] Quat frame_about(const Vec3& axis);

/// A coordinate of a joint where the bodies are given: angles are 0 there.
[[nodiscard]] Real given_coordinate(const MachineContext& context, const model::SpatialJoint& joint,
                                    model::Freedom axis);

}  // namespace talus::scene::detail
