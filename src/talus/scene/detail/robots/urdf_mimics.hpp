#pragma once

#include <functional>
#include <string>
#include <vector>

#include <talus/scene/detail/robots/robot_file.hpp>

namespace talus::scene::detail {

/// A joint of a URDF file, between two links by name.
struct UrdfJoint {
  std::string name, type;
  std::string parent, child;
  Pose origin;
  RobotJoint joint;
  Real held = 0;  ///< the coordinate of one whose limits are equal
  const XmlElement* mimic = nullptr;
  XmlPlace place;
};

/// Couples joints to those that they follow, q = multiplier · q_other + offset. Leaders first, a
/// joint that follows starts where the other one says, if its limits have that.
/// @param way_of a joint in the robot; null: it has not one axis there
void read_mimics(const std::vector<UrdfJoint>& joints,
                 const std::function<RobotJoint*(const UrdfJoint&)>& way_of, Robot& robot,
                 RobotFile& file);

}  // namespace talus::scene::detail
