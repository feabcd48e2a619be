#pragma once

#include <talus/scene/detail/robots/robot_scene.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Puts what a scene says of a robot's joints, where they start and what their motors do, into the
/// part of a scene that the robot has become.
void command_joints(const RobotSpec& robot, const SceneCoordinates& coordinates,
                    FragmentSpec& fragment, Problems& problems);

}  // namespace talus::scene::detail
