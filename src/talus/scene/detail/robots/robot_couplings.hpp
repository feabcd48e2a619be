#pragma once

#include <functional>
#include <string>

#include <talus/scene/detail/robots/node_maker.hpp>
#include <talus/scene/detail/robots/robot_scene.hpp>

// Tendons and couplings of a robot: sums of coordinates.

namespace talus::scene::detail {

/// Where a robot stands in a scene, and what its parts are called there.
struct CouplingPlace {
  using NewName = std::function<std::string(const std::string&)>;
  Pose X_WR;                                    ///< of the file's world
  std::function<std::string(int link)> end_of;  ///< body of a link, or "world"
  std::function<Real(int link)> mass_at;        ///< that a pull at a link moves [kg]
  NewName body, joint, coupling;                ///< a name that is new
};

/// What they are added to.
struct CouplingTarget {
  NodeMaker& make;
  Node &bodies, &joints, &starts, &couplings;
  SceneCoordinates& coordinates;  ///< those of joints are there
  RobotReport& report;
  Problems& problems;
};

/// Adds tendons and couplings of a robot to a scene. A tendon is a light drum on an axis of the
/// world, whose coordinate a coupling holds to the tendon's length.
void put_couplings(const Robot& robot, const CouplingPlace& place, const CouplingTarget& target);

}  // namespace talus::scene::detail
