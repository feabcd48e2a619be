#pragma once

#include <talus/scene/detail/robots/node_maker.hpp>
#include <talus/scene/detail/robots/robot.hpp>

namespace talus::scene::detail {

/// What acts along a coordinate of a robot's joint as a scene writes it: limits, spring, damping,
/// armature, dry friction and motor, counted from where the file gives the links. Along those of a
/// ball nothing acts: what its file gives has no axis.
[[nodiscard]] Node& law_of(const RobotJoint& joint, NodeMaker& make);

/// What acts against the rotation of a ball, about whatever axis: its cone, and a spring.
[[nodiscard]] Node& rotation_law_of(const RobotJoint& ball, NodeMaker& make);

}  // namespace talus::scene::detail
