#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <talus/scene/detail/robots/robot_file.hpp>

// MJCF (mujoco.readthedocs.io/en/stable/XMLreference.html). Angles are degrees unless the file says
// otherwise; sizes are halves of lengths.

namespace talus::scene::detail {

/// A class of defaults: attributes by tag; what it does not say its parent says.
struct MjcfClass {
  std::string name;
  const MjcfClass* parent = nullptr;
  std::map<std::string, std::vector<const XmlElement*>> elements;  ///< later ones go first; all
                                                                   ///< actuators are one
};

/// An element with its defaults.
class MjcfView {
 public:
  MjcfView(const XmlElement& element, std::string_view tag, const MjcfClass* defaults)
      : element_(&element), tag_(tag), defaults_(defaults) {}
  /// The element's attribute, or that of its class, or null.
  [[nodiscard]] const XmlAttribute* find(std::string_view name) const {
    return find_any({&name, 1});
  }
  /// The first of some attributes that say the same in other words: the element's, or else those
  /// of its class.
  [[nodiscard]] const XmlAttribute* find_any(std::span<const std::string_view> names) const;
  /// The same of the element alone.
  [[nodiscard]] const XmlAttribute* own(std::string_view name) const {
    return element_->find(name);
  }
  /// The value as a word, or a default.
  [[nodiscard]] std::string word(std::string_view name, std::string_view otherwise = "") const;
  /// Whether an actuator has gains by default that are said in the words of another kind.
  [[nodiscard]] bool has_gains_of_another_kind() const;
  [[nodiscard]] const XmlElement& element() const { return *element_; }
  [[nodiscard]] const XmlPlace& place() const { return element_->place; }

 private:
  /// Those of its class and of the classes around it, the nearest first.
  template <class Visit>
  void each_default(Visit visit) const;

  const XmlElement* element_;
  std::string tag_;
  const MjcfClass* defaults_;
};

/// Forms of an orientation.
inline constexpr std::array<std::string_view, 5> kOrientations = {"quat", "axisangle", "euler",
                                                                  "xyaxes", "zaxis"};

/// What <compiler> says.
struct MjcfCompiler {
  bool has_degrees = true;
  bool limits_itself = true;  ///< autolimits
  std::string euler_sequence = "xyz";
  std::string mesh_folder;
  std::string inertia_from_geoms = "auto";
  int first_group = 0, last_group = 5;
  Real total_mass = -1;
  Real least_mass = 0, least_inertia = 0;
  bool balances_inertia = false;
  bool strips_path = false;
};

struct MjcfMesh {
  std::string file;  ///< relative to the main file
  Vec3 scale = Vec3::Ones();
  std::vector<Vec3> points;
  XmlPlace place;
};

/// Heights over a grid.
struct MjcfField {
  Vec2 size = Vec2::Zero();  ///< lengths along x and y [m]
  std::vector<std::vector<Real>> heights;
};

/// A model of another file, to be attached.
struct MjcfModel {
  std::string file;  ///< relative to the main file
  XmlPlace place;
};

/// A frame of a link with a name.
struct MjcfSite {
  int link = kNoParent;
  Pose X_LF;                               ///< in the link, or in the world
  Vec3 half_size = Vec3::Constant(0.005);  ///< of the box about it [m]
  bool is_box = false;
};

/// A spring and damper of a joint that are made for a time constant and a damping ratio.
struct MjcfOscillator {
  int link = 0;
  std::size_t joint = 0;
  Real time_constant = 0, damping_ratio = 0;  ///< > 0; [s], 1
};

/// What the parts of the reader share.
class MjcfContext {
 public:
  explicit MjcfContext(RobotFile& robot_file) : file(robot_file) {}

  RobotFile& file;
  Robot robot;
  MjcfCompiler compiler;
  std::map<std::string, MjcfMesh> meshes;
  std::map<std::string, MjcfField> fields;
  std::map<std::string, MjcfModel> models;
  std::map<std::string, std::string> colours;  ///< of materials
  std::map<std::string, MjcfSite> sites;
  std::map<std::string, int> link_of_body;
  std::vector<std::pair<int, std::size_t>> joints;  ///< link and number, in the order of qpos
  bool starts_at_keyframe = false;  ///< that is asked for: of this model, or of an attached one
  std::vector<MjcfOscillator> oscillators;
  std::vector<Pose> given;       ///< of the links, before a keyframe
  std::vector<Pose> at_springs;  ///< the same where joints are at their springref
  std::unordered_map<std::string, std::pair<int, std::size_t>> joint_of_name;
  std::map<std::string, std::size_t> tendon_of_name;  ///< into Robot::tendons
  std::set<int> disabled_groups;                      ///< of actuators
  std::set<std::string> paired_geoms;                 ///< that <pair> makes touch
  std::set<std::string> actuators;                    ///< their names
  std::size_t actuator_count = 0;                     ///< of the model itself
  std::map<std::string, std::string> copies;  ///< the first copy of a name within <replicate>
  std::map<std::string, int> link_of_geom;

  [[nodiscard]] Problems& problems() const { return file.problems; }
  /// Radians of an angle as the file has it.
  [[nodiscard]] Real angle(Real value) const;
  /// Position and orientation of an element: quat, axisangle, euler, xyaxes or zaxis.
  [[nodiscard]] Pose pose_of(const MjcfView& view) const;
  [[nodiscard]] Quat orientation_of(const MjcfView& view) const;
  /// The class of an element, where one applies to all in a body.
  [[nodiscard]] const MjcfClass* class_of(const XmlElement& element,
                                          const MjcfClass* of_body) const;
  /// An element with its defaults.
  [[nodiscard]] MjcfView view(const XmlElement& element, std::string_view tag,
                              const MjcfClass* of_body = nullptr) const {
    return {element, tag, class_of(element, of_body)};
  }
  void read_defaults(const XmlElement& element, const MjcfClass* parent);
  /// A point of a link, or of the world.
  [[nodiscard]] Vec3 in_world(int link, const Vec3& point) const;
  /// Takes an element that has no effect on the motion, with all in it.
  void note_looks(const XmlElement& element) const;
  /// A name in copies with a suffix.
  [[nodiscard]] std::string copied(const std::string& name, const std::string& suffix);
  /// Says that there is nothing of the name that an attribute has.
  void missing(const XmlAttribute& name, std::string_view what) const;
  /// A joint by its name, or null.
  [[nodiscard]] RobotJoint* find_joint(const std::string& name);
  /// A tendon along joints by its name, which has an effect from then on; or null.
  [[nodiscard]] RobotTendon* find_tendon(const std::string& name);

 private:
  std::map<std::string, std::unique_ptr<MjcfClass>> classes_;
  std::string main_name_ = "main";
};

/// Marks an element and all in it as looked at.
void mark_read(const XmlElement& element);

/// <asset>: meshes and colours.
void read_mjcf_assets(const XmlElement& assets, MjcfContext& context);
/// <hfield>
void read_mjcf_field(const XmlElement& element, MjcfContext& context);
/// A geom of a link, and what it weighs; nothing if it is not used.
struct MjcfGeom {
  RobotGeom geom;
  std::optional<Real> mass;
  Real density = 1000;
  int group = 0;
  std::string colour;
};
/// @param suffix of names, in copies
[[nodiscard]] std::optional<MjcfGeom> read_mjcf_geom(const MjcfView& view,
                                                     const std::string& suffix,
                                                     MjcfContext& context);
/// A frame in the middle of two points, its z towards the first.
[[nodiscard]] Pose pose_between(const Vec3& a, const Vec3& b);
/// The range that an attribute gives, where it holds: as `limited` says, or by autolimits.
[[nodiscard]] std::optional<Vec2> mjcf_range(const MjcfView& view, const char* range,
                                             const char* limited, const MjcfContext& context);
/// A joint of a link.
[[nodiscard]] RobotJoint read_mjcf_joint(const MjcfView& view, MjcfContext& context);
/// The link after a link and all that hangs on it: links are in the order of their elements.
[[nodiscard]] int end_of_tree(const Robot& robot, int link);
/// Moves a free link, and all that hangs on it.
void move_subtree(Robot& robot, int link, const Pose& X_WL);
/// The diagonal of the mass matrix in the coordinates of the file, as they are given, for a
/// coordinate with one axis [kg, kg m²]; its armature is in it.
[[nodiscard]] Real inertia_along(const Robot& robot, int link, std::size_t joint);
/// Springs and dampers of joints that are given by what they make of the robot, whose other
/// coordinates are free: 1 over the diagonal of the inverse of the mass matrix.
void set_oscillators(MjcfContext& context);
/// All that the element `mujoco` of a file says.
/// @param paired_geoms those of its geoms that pairs of another model make touch
[[nodiscard]] MjcfContext read_mjcf_model(const XmlElement& root, RobotFile& file,
                                          std::set<std::string> paired_geoms = {});
/// <attach>: a body of another model with all below it, in a frame of a link or of the world.
/// @param suffix of names, in copies
void attach_mjcf_model(const XmlElement& element, int link, const Pose& X_LF,
                       const std::string& suffix, MjcfContext& context);
/// The bodies of <worldbody>.
void read_mjcf_bodies(const XmlElement& world, MjcfContext& context);
/// <contact>, <equality>, <tendon>; the geoms of pairs before bodies are read.
void find_paired_geoms(const XmlElement& element, MjcfContext& context);
void read_mjcf_contacts(const XmlElement& element, MjcfContext& context);
void read_mjcf_equalities(const XmlElement& element, MjcfContext& context);
void read_mjcf_tendons(const XmlElement& element, MjcfContext& context);
/// The names of actuators, and how many there are, before bodies are read.
void find_actuators(const XmlElement& element, MjcfContext& context);
/// <actuator>; @param controls of the actuators, in order; without one 0
void read_mjcf_actuators(const XmlElement& element, const std::vector<Real>& controls,
                         MjcfContext& context);
/// <sensor>
void read_mjcf_sensors(const XmlElement& element, MjcfContext& context);
/// Puts the robot where a keyframe has it. @return its controls
[[nodiscard]] std::vector<Real> start_at_keyframe(const XmlElement& root, MjcfContext& context);

}  // namespace talus::scene::detail
