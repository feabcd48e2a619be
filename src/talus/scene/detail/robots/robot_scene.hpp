#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

#include <talus/scene/detail/robots/robot.hpp>

namespace talus::scene::detail {

/// How a robot stands in a scene.
struct RobotPlacement {
  std::string name;             ///< put before every name; empty: the file is a scene of its own
  std::optional<Pose> X_WR;     ///< of the file's world
  Vec3 gravity = Vec3::Zero();  ///< of the scene
};

/// An added body between two joints has this share of the mass and inertia of the body behind it.
inline constexpr Real kShareOfAdded = 1e-6;

/// A coordinate of a joint of the file in the scene.
struct SceneCoordinate {
  std::string joint, name;         ///< as the scene calls them
  bool is_one_of_several = false;  ///< its joint stands for others of the file, too
  Real reference = 0;              ///< the file's coordinate where the scene's is 0
  Real start = 0;                  ///< the scene's
  Real inertia = 0;                ///< of the body that it moves [kg m², or kg]
  std::optional<Vec2> effort;      ///< limits of what motors do to it
  Real given = 0;                  ///< the scene's where the bodies are given: of a line its length
};
using SceneCoordinates = std::unordered_map<std::string, SceneCoordinate>;

/// Writes a robot into its document as the nodes of a scene, or of a part of one.
/// @return the coordinates, by the names of joints of the file
[[nodiscard]] SceneCoordinates write_scene(const Robot& robot, const RobotPlacement& placement,
                                           Document& document, RobotReport& report,
                                           Problems& problems);

}  // namespace talus::scene::detail
