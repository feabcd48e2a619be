#pragma once

#include <functional>
#include <string>
#include <vector>

#include <talus/scene/detail/robots/node_maker.hpp>
#include <talus/scene/detail/robots/robot.hpp>
#include <talus/scene/detail/robots/robot_bodies.hpp>

namespace talus::scene::detail {

/// Surfaces as materials with a law for each pair, and filters as lists of bodies that are kept
/// apart.
class RobotContacts {
 public:
  using Name = std::function<std::string(const std::string&)>;

  RobotContacts(const Robot& robot, const std::vector<RobotBody>& bodies, bool is_whole_scene);

  /// Adds the material of a body to its node.
  void put_material(NodeMaker& make, Node& node, std::size_t body, const Name& full) const;
  /// Adds materials and contacts to a scene.
  /// @param names of every body, those that it has in the scene; none: it is not there
  void write(NodeMaker& make, Node& scene, const Name& full,
             const std::vector<std::vector<std::string>>& names) const;

 private:
  [[nodiscard]] std::string material(std::size_t surface) const;
  [[nodiscard]] RobotSurface law(const RobotSurface& a, const RobotSurface& b) const;
  [[nodiscard]] bool touches(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool is_apart(std::size_t a, std::size_t b) const;
  void put_law(NodeMaker& make, Node& node, const RobotSurface& surface) const;
  [[nodiscard]] Node& apart(NodeMaker& make,
                            const std::vector<std::vector<std::string>>& names) const;

  const Robot& robot_;
  const std::vector<RobotBody>& bodies_;
  bool is_whole_scene_;
  std::vector<RobotSurface> surfaces_;
  std::vector<int> surface_of_;  // of every body, −1: nothing of it collides
  std::vector<unsigned> type_, affinity_;
};

}  // namespace talus::scene::detail
