#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <talus/scene/detail/robots/robot.hpp>

namespace talus::scene::detail {

/// How a robot stands in a scene.
struct RobotPlacement {
  std::string name;          ///< put before every name; empty: the file is a scene of its own
  std::optional<Pose> X_WR;  ///< of the file's world
};

/// Writes a robot into its document as the nodes of a scene, or of a part of one.
void write_scene(const Robot& robot, const RobotPlacement& placement, Document& document,
                 RobotReport& report, Problems& problems);

}  // namespace talus::scene::detail
