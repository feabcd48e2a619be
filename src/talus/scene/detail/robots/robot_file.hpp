#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <talus/scene/detail/robots/geom_mass.hpp>
#include <talus/scene/detail/robots/robot.hpp>
#include <talus/scene/detail/robots/robot_scene.hpp>

namespace talus::scene::detail {

/// Where the links are with hinges and slides at given coordinates of the file, others as given.
[[nodiscard]] std::vector<Pose> poses_at(const Robot& robot,
                                         const std::function<Real(const RobotJoint&)>& coordinate);

/// What is asked of a robot's file besides what it says.
struct RobotOptions {
  std::map<std::string, std::filesystem::path> packages;  ///< folders of package://NAME
  std::string keyframe;                                   ///< start of this name; "": none
  std::optional<bool> is_fixed;                           ///< whether the base is held
  RobotPlacement placement;
};

/// All that reading a robot's file needs.
struct RobotFile {
  const Document& main;  ///< the file itself; others are relative to its folder
  std::deque<Document>& documents;
  XmlElements& elements;
  const RobotOptions& options;
  RobotReport& report;
  Problems& problems;
  MeshFiles meshes;
  int depth = 0;  ///< of models that are attached to models

  [[nodiscard]] std::filesystem::path folder() const { return main.path.parent_path(); }
  void problem(const XmlPlace& place, std::string message, std::string hint = "") const {
    add_problem(problems, place, std::move(message), std::move(hint));
  }
  void ignored(const XmlPlace& place, const std::string& text) const {
    report.add(RobotNoteKind::ignored, place, text);
  }
  void refused(const XmlPlace& place, const std::string& text) const {
    report.add(RobotNoteKind::refused, place, text);
  }
  /// Notes every element and attribute that no reader has looked at.
  void note_unread(const XmlElement& element) const;
  /// Whether the points of a hull can be read and have a volume; if not, the reason.
  [[nodiscard]] std::string mistake_in_hull(const RobotGeom& geom);
  /// Replaces a hull that has more corners than one may have by its farthest points in so many
  /// directions, and an ellipsoid of equal semi-axes by a sphere. Notes hulls that stand for
  /// something else.
  void simplify(RobotGeom& geom);
};

/// Reads a robot into the nodes of a document.
/// @param documents other files that it includes are added
/// @return the coordinates of its joints; none after a mistake
[[nodiscard]] SceneCoordinates read_robot_file(Document& document, std::deque<Document>& documents,
                                               const RobotOptions& options, RobotReport& report,
                                               Problems& problems);

/// What the element `robot` of a URDF file says.
[[nodiscard]] Robot read_urdf(const XmlElement& root, RobotFile& file);

/// A file as URDF names them: package://NAME/… in the folder of the package or in one above the
/// robot's file, file://…, or beside the robot's file and in the folders above.
[[nodiscard]] std::optional<std::filesystem::path> find_urdf_file(const std::string& name,
                                                                  const RobotFile& file);

/// Puts a free robot on a floor: its lowest point at the start at z = 0. Without shapes that
/// collide nothing.
void add_floor(Robot& robot, RobotFile& file);

/// What the element `mujoco` of an MJCF file says.
[[nodiscard]] Robot read_mjcf(const XmlElement& root, RobotFile& file);

/// Roll, pitch, yaw about the fixed axes x, y, z, as URDF has them.
[[nodiscard]] Quat rotation_of_rpy(const Vec3& rpy);

/// "#rrggbb" of red, green, blue in [0, 1].
[[nodiscard]] std::string colour_text(const Vec3& rgb);

}  // namespace talus::scene::detail
