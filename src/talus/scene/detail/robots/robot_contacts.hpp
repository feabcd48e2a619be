#pragma once

#include <functional>
#include <set>
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

  /// @param body_of of every link
  RobotContacts(const Robot& robot, const std::vector<RobotBody>& bodies,
                const std::vector<int>& body_of, bool is_whole_scene, RobotReport& report);

  /// Whether two bodies touch under a law of their own.
  [[nodiscard]] bool is_pair(std::size_t body, int other) const;
  /// Adds the material of a body to its node.
  void put_material(NodeMaker& make, Node& node, std::size_t body, const Name& full) const;
  /// Adds materials and contacts to a scene.
  /// @param names of every body, those that it has in the scene; none: it is not there
  void write(NodeMaker& make, Node& scene, const Name& full,
             const std::vector<std::vector<std::string>>& names) const;

 private:
  struct BodyPair {
    std::size_t a, b;
    RobotSurface law;
    XmlPlace place;
    std::set<std::string> geoms;  ///< that the file names for it
    [[nodiscard]] bool is_of(std::size_t one, std::size_t other) const {
      return (a == one && b == other) || (a == other && b == one);
    }
  };
  /// Pairs of geoms as pairs of bodies.
  void read_pairs(const std::vector<int>& body_of, RobotReport& report);
  [[nodiscard]] std::vector<RobotSurface>::iterator find_shared(const RobotSurface& surface);
  [[nodiscard]] bool is_paired(std::size_t body) const;
  [[nodiscard]] bool has_pair(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool has_others(std::size_t body, const BodyPair& pair) const;
  [[nodiscard]] std::string material(std::size_t surface) const;
  void read_surface(const RobotBody& body, RobotReport& report);
  /// The law of two surfaces, by their numbers.
  [[nodiscard]] RobotSurface law(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool touches(std::size_t a, std::size_t b) const;
  [[nodiscard]] bool is_apart(std::size_t a, std::size_t b) const;
  /// Whether all shapes of one body are excluded from touching those of another.
  [[nodiscard]] bool is_excluded(std::size_t a, std::size_t b) const;
  void note_exclusions(RobotReport& report) const;
  /// @param otherwise what holds of what the law does not say
  void put_law(NodeMaker& make, Node& node, const RobotSurface& surface,
               const RobotSurface& otherwise) const;
  [[nodiscard]] Node& apart(NodeMaker& make,
                            const std::vector<std::vector<std::string>>& names) const;

  const Robot& robot_;
  const std::vector<RobotBody>& bodies_;
  bool is_whole_scene_;
  std::vector<RobotSurface> surfaces_;
  std::vector<int> surface_of_;  // of every body, −1: nothing of it collides
  std::vector<unsigned> type_, affinity_;
  std::vector<std::vector<int>> links_;  // of every body, with something to touch with; kNoParent:
                                         // the world's
  std::vector<BodyPair> pairs_;
  std::vector<bool> is_shared_;  // of every surface, whether bodies alike have it, too
};

}  // namespace talus::scene::detail
