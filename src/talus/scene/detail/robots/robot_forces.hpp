#pragma once

#include <functional>
#include <string>

#include <talus/scene/detail/robots/node_maker.hpp>
#include <talus/scene/detail/robots/robot.hpp>

namespace talus::scene::detail {

/// Where a robot stands in a scene, and what its parts are called there.
struct RobotPlace {
  Pose X_WR;                                              ///< of the file's world
  std::function<std::string(int link)> end_of;            ///< body of a link, or "world"
  std::function<std::string(const std::string&)> unique;  ///< name of a force element
};

/// Adds springs, carried weights and thrusts of a robot to the force elements of a scene.
void put_forces(const Robot& robot, const RobotPlace& place, NodeMaker& make, RobotReport& report,
                Node& list);

}  // namespace talus::scene::detail
