#pragma once

#include <string>
#include <vector>

#include <talus/scene/detail/robots/robot.hpp>

// Links that are welded together become one body; joints in a row become joints that a scene has.

namespace talus::scene::detail {

/// Links that do not move against each other, in the frame of the first.
struct RobotBody {
  std::string name;
  std::vector<int> links;  ///< the first gives the frame
  int parent = kNoParent;  ///< a body before it that its joints connect it to
  bool is_fixed = false;   ///< welded to the world
  Pose X_WL;
  std::vector<RobotGeom> geoms;
  RobotInertia inertia;
  std::vector<RobotJoint> joints;
  bool is_massless = false;
  bool is_scenery = false;
  std::string colour;
  XmlPlace place;

  [[nodiscard]] bool is_free() const {
    return !joints.empty() && joints.front().kind == RobotJoint::Kind::free;
  }
};

/// Merges links; @param body_of filled: the body of every link.
[[nodiscard]] std::vector<RobotBody> merge_links(const Robot& robot, std::vector<int>& body_of,
                                                 RobotReport& report);

/// A joint of a scene that stands for one or more of a robot, in the order of its coordinates.
struct RobotPair {
  enum class Kind : unsigned char {
    revolute,
    prismatic,
    ball,
    universal,
    planar,
    cylindrical,
    screw
  };
  struct Coordinate {
    const RobotJoint* joint = nullptr;
    const char* name = "turn";  ///< as scenes call it
  };
  Kind kind = Kind::revolute;
  std::string name;
  std::vector<Coordinate> coordinates;
};

/// The key of a joint of this kind in scenes.
[[nodiscard]] const char* key_of_pair(RobotPair::Kind kind);

/// The joints of a body, from the parent on: as few as possible. Between each two stands a body
/// that is added.
[[nodiscard]] std::vector<RobotPair> pairs_of(const RobotBody& body, RobotReport& report);

}  // namespace talus::scene::detail
