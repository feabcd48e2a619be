#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <talus/math/spatial.hpp>
#include <talus/scene/detail/robots/xml_tree.hpp>
#include <talus/scene/robot_note.hpp>

// What a URDF or MJCF file says, in SI units, before it becomes a scene. A link's frame is that of
// its file; its centre of mass comes with its inertia. Bodies of Talus have their origin in the
// centre of mass: robot_scene.cpp writes it as their mass_centre.

namespace talus::scene::detail {

/// What one surface says about friction and impacts; pair_law combines two.
struct RobotSurface {
  Real friction = 1;
  Real torsional = 0, rolling = 0;  ///< [m]
  Real restitution = 0;
  int dimension = 3;  ///< MJCF's condim: 1 without friction, 4 with torsion, 6 with rolling
  int priority = 0;
  bool operator==(const RobotSurface&) const = default;
};

struct RobotGeom {
  enum class Kind : unsigned char {
    sphere,
    box,
    capsule,
    cylinder,
    ellipsoid,
    hull,
    plane,
    ground
  };
  Kind kind = Kind::sphere;
  std::string name;
  Vec3 size = Vec3::Zero();  ///< radius; full edges; radius and full length; semi-axes [m]
  std::string file;          ///< of a hull: relative to the robot's file
  Vec3 scale = Vec3::Ones();
  std::vector<Vec3> points;                ///< of a hull without a file [m]
  std::vector<std::vector<Real>> heights;  ///< of ground: rows along x, one after another along y
  Pose X_LG;                               ///< in its link
  bool collides = true;
  unsigned type = 1, affinity = 1;  ///< MJCF's contype and conaffinity
  RobotSurface surface;
  XmlPlace place;
};

/// Mass, centre of mass and inertia about it, in the axes of the link.
struct RobotInertia {
  Real mass = 0;                ///< [kg]
  Vec3 centre = Vec3::Zero();   ///< [m]
  Mat3 inertia = Mat3::Zero();  ///< [kg m²]
  XmlPlace place;
};

struct RobotMotor {
  std::string name;
  Real command = 0;  ///< effort = command − stiffness · position − damping · velocity,
  Real stiffness = 0, damping = 0;  ///< of the motor's own coordinate
  std::optional<Vec2> limits;       ///< of the effort, before the gear
  bool has_own_limits = false;      ///< not of the joint
  Real gear = 1;
  XmlPlace place;
};

/// One way to move of a link against its parent.
struct RobotJoint {
  enum class Kind : unsigned char { hinge, slide, ball, universal, planar, screw, free };
  Kind kind = Kind::hinge;
  std::string name;
  Vec3 axis = Vec3::UnitZ();    ///< in the link; of a planar joint the normal
  Vec3 second = Vec3::UnitY();  ///< of a universal joint, in the link
  Vec3 anchor = Vec3::Zero();   ///< in the link [m]
  Real pitch = 0;               ///< of a screw [m]
  Real reference = 0;           ///< the file's coordinate where the link is given
  std::optional<Vec2> limits;   ///< of the file's coordinate
  Real damping = 0, armature = 0, friction = 0;
  Real stiffness = 0, rest = 0;  ///< rest: the file's coordinate
  std::optional<Real> start;     ///< the file's coordinate
  std::optional<Quat> turned;    ///< of a ball: its start, child against parent
  std::optional<Real> cone;      ///< of a ball: the largest angle that it is turned by
  std::optional<RobotMotor> motor;
  std::optional<Vec2> effort;  ///< limits of what motors do to it
  XmlPlace place;

  [[nodiscard]] bool is_slide() const { return kind == Kind::slide; }
  [[nodiscard]] bool has_one_axis() const { return kind == Kind::hinge || kind == Kind::slide; }
  /// The file's coordinate at the start: within the limits.
  [[nodiscard]] Real first() const {
    const Real asked = start.value_or(reference);
    return limits ? std::clamp(asked, limits->x(), limits->y()) : asked;
  }
};

inline constexpr int kNoParent = -1;

struct RobotLink {
  std::string name;
  int parent = kNoParent;  ///< a link before it
  Pose X_WL;               ///< as the file gives it, all coordinates at their reference
  std::vector<RobotGeom> geoms;
  std::optional<RobotInertia> inertia;
  std::vector<RobotJoint> joints;  ///< from the parent on, one after another; none: welded to it
  bool is_massless = false;        ///< has joints, and no inertia: a part of a chain
  bool is_scenery = false;         ///< no part of the robot: a floor
  Real carried = 0;                ///< share of its weight that is taken from it
  std::string colour;              ///< "#rrggbb", or ""
  XmlPlace place;
};

/// What holds two links together besides the tree. Point and axis in the world.
struct RobotLoop {
  enum class Kind : unsigned char { ball, weld, revolute, prismatic, rope };
  Kind kind = Kind::ball;
  std::string name;
  int link_a = kNoParent, link_b = 0;
  Vec3 point = Vec3::Zero(), axis = Vec3::UnitZ();
  Vec3 end = Vec3::Zero();  ///< of a rope, at B
  Real length = 0;
  XmlPlace place;
};

/// Σ factor · coordinate = offset, in the coordinates of the file.
struct RobotCoupling {
  std::string name;
  std::vector<std::pair<std::string, Real>> terms;
  Real offset = 0;
  XmlPlace place;
};

/// A straight part of a tendon, between two points, which are in the world.
struct RobotLine {
  int link_a = kNoParent, link_b = kNoParent;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  ///< on A and on B
  Real factor = 1;                              ///< of its length in that of the tendon
};

/// A tendon: its length is Σ factor · coordinate over joints, in the coordinates of the file, or
/// Σ factor · length over lines. A light drum takes it up: what acts along the tendon acts on the
/// drum's turn, or on its way where all of the joints slide, and of lines.
struct RobotTendon {
  RobotJoint drum;
  std::vector<std::pair<std::string, Real>> terms;
  std::vector<RobotLine> lines;
  bool has_effect = false;  ///< or is it only there to be read
};

/// A spring with a damper between two points, which are in the world.
struct RobotSpring {
  std::string name;
  int link_a = kNoParent, link_b = kNoParent;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  ///< on A and on B
  Real stiffness = 0, damping = 0;
  Real length = 0;  ///< without force [m]
  XmlPlace place;
};

/// A constant force and torque at a frame of a link, which turn with it: of a rotor.
struct RobotThrust {
  std::string name;
  int link = 0;
  Pose X_LF;                                         ///< the frame
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();  ///< along its axes, of a command of 1
  Real command = 0;
  XmlPlace place;
};

/// Two links that touch under a law of their own, whatever keeps others apart.
struct RobotContactPair {
  int link_a = kNoParent, link_b = kNoParent;
  std::string geom_a, geom_b;  ///< that are named for it
  RobotSurface law;
  XmlPlace place;
};

/// Two links whose shapes do not touch; kNoParent: those of the world.
struct RobotExclusion {
  int link_a = kNoParent, link_b = kNoParent;
  XmlPlace place;
};

/// A sensor of a kind that scenes have.
struct RobotSensor {
  std::string kind;  ///< as scenes call it
  std::string name;
  int link = kNoParent;
  Pose X_LF;                  ///< its frame in the link, or in the world
  std::optional<Vec3> box;    ///< edges of a box about it [m]
  std::optional<Real> reach;  ///< of a ray along its z [m]
  XmlPlace place;
};

/// The rules by which two surfaces make one law.
enum class SurfaceRule : unsigned char { largest, product };

struct Robot {
  std::string title;
  XmlPlace place;
  std::vector<RobotLink> links;
  std::vector<RobotLoop> loops;
  std::vector<RobotCoupling> couplings;
  std::vector<RobotTendon> tendons;
  std::vector<RobotSpring> springs;
  std::vector<RobotThrust> thrusts;
  std::vector<RobotSensor> sensors;
  std::vector<RobotContactPair> pairs;
  std::vector<RobotExclusion> excluded;
  SurfaceRule rule = SurfaceRule::largest;
  bool touches_itself = true;        ///< links of the robot can touch one another
  bool parents_touch = false;        ///< links touch their parents
  bool parents_touch_fixed = false;  ///< links touch a parent that does not move
  bool has_contacts = true;
  Vec3 gravity = Vec3(0, 0, -9.81);
  std::optional<XmlPlace> gravity_place;  ///< where the file gives it
  Real step = 1e-3;
};

/// Notes on a robot's file; equal ones are counted.
class RobotReport {
 public:
  void add(RobotNoteKind kind, const XmlPlace& place, const std::string& text);
  [[nodiscard]] const std::vector<RobotNote>& notes() const { return notes_; }

 private:
  std::vector<RobotNote> notes_;
  std::map<std::pair<RobotNoteKind, std::string>, std::size_t> known_;
};

}  // namespace talus::scene::detail
