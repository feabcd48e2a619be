#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <talus/geometry/shape.hpp>
#include <talus/math/periodic_cell.hpp>
#include <talus/model/interface_law.hpp>
#include <talus/model/motion.hpp>
#include <talus/model/population.hpp>
#include <talus/model/sensor.hpp>
#include <talus/model/spatial_machine.hpp>

namespace talus::model {

class LagrangianSystem;
struct Machine;
struct SpatialMachine;

/// How a body moves: by forces, not at all, or as it is prescribed.
enum class BodyKind : unsigned char { dynamic, fixed, kinematic };

/// What a body is; nothing here changes in time. Its frame has its origin at the centre of mass.
struct Body {
  BodyKind kind = BodyKind::dynamic;
  MaterialIndex material = 0;
  Real mass = 0;  ///< [kg] > 0 for dynamic bodies, ignored for others
  Mat3 inertia =
      Mat3::Zero();  ///< about the centre of mass, body frame [kg m²], SPD for dynamic bodies
  geometry::Shape shape;
  Pose X_BS;  ///< pose of the shape in the body's frame
};

/// How something is painted in pictures: red, green, blue as 0xRRGGBB.
using Colour = std::uint32_t;
inline constexpr Colour kNoColour = 0x1000000;  ///< as the page likes

/// A named run of bodies: one body of its own name, or a set whose members are called name[0],
/// name[1], ….
struct BodyGroup {
  std::string name;
  Index first = 0;
  Index count = 1;
  bool is_set = false;
  Colour colour = kNoColour;
};

struct Material {
  std::string name;
  Real density = 0;  ///< [kg/m³]
  Colour colour = kNoColour;
};

/// Where pictures are taken from, at first.
struct Camera {
  Vec3 position = Vec3::Zero();  ///< [m], world frame
  Vec3 target = Vec3::Zero();    ///< what is in the middle of the picture [m]
};

/// Everything that exists and does not change in time. No state, no solver.
class Model {
 public:
  std::vector<Body> bodies;
  std::vector<BodyGroup> groups;  ///< in order of first; together they cover all bodies
  std::vector<Material> materials;
  std::vector<Motion> motions;     ///< of kinematic bodies; one without keeps its twist
  std::vector<InterfaceLaw> laws;  ///< symmetric table, materials² entries: law(a, b)
  int dimension = 3;  ///< 2: bodies move in the plane z = 0 and turn about z only; of a shape
                      ///< counts its shadow on that plane (geometry/planar.hpp)
  std::shared_ptr<const Machine> machine;  ///< joints, drives, forces (model/machine.hpp) of a
                                           ///< planar model; may be null
  std::shared_ptr<const SpatialMachine> spatial_machine;  ///< the same of a model in space
                                                          ///< (model/spatial_machine.hpp)
  std::shared_ptr<const LagrangianSystem> own_system;  ///< what moves, in generalized coordinates
                                                       ///< (model/own_model.hpp); may be null
  std::vector<Source> sources;                         ///< of bodies that come in
  std::vector<Sink> sinks;                             ///< of bodies that go out
  std::vector<Sensor> sensors;                         ///< of a model in space
  std::optional<Camera> camera;
  Vec3 gravity = Vec3(0, 0, -9.81);  ///< [m/s²], world frame
  PeriodicCell cell;                 ///< joins faces of space; none unless said
  Real linear_damping = 0;           ///< c ≥ 0 [1/s]: a drag −c m v on every dynamic body
  Real angular_damping = 0;  ///< c ≥ 0 [1/s]: a drag torque −c I ω on every dynamic body

  [[nodiscard]] const InterfaceLaw& law(MaterialIndex a, MaterialIndex b) const {
    return laws[a * materials.size() + b];
  }
  /// The laws of pairs of materials and, in space, of joints with play.
  template <class F>
  [[nodiscard]] bool any_law(F&& is_such) const {
    const auto is_such_joint = [&](const SpatialJoint& joint) {
      const InterfaceLaw* law = play_law(joint.kind);
      return law != nullptr && is_such(*law);
    };
    return std::any_of(laws.begin(), laws.end(), is_such) ||
           (spatial_machine && std::any_of(spatial_machine->joints.begin(),
                                           spatial_machine->joints.end(), is_such_joint));
  }
  /// Whether some of them has restitution; and whether anything has: limits and ropes in space too.
  [[nodiscard]] bool has_restitution_of_contacts() const;
  [[nodiscard]] bool has_restitution() const;
  /// Whether some of them resists more than friction (InterfaceLaw::resists_more).
  [[nodiscard]] bool resists_more() const;
  /// Whether some of them is a function of place and velocity (InterfaceLaw::is_function).
  [[nodiscard]] bool has_functions() const;
  /// Whether there are times at which not all bodies are there.
  [[nodiscard]] bool has_changing_population() const { return !sources.empty() || !sinks.empty(); }
  [[nodiscard]] Index body_count() const { return static_cast<Index>(bodies.size()); }
  /// "crate", or "grains[12]" for a member of a set. O(log groups).
  [[nodiscard]] std::string body_name(Index body) const;
  /// Index of a body by the name body_name gives it; −1 if there is none.
  [[nodiscard]] Index find_body(const std::string& name) const;
};

/// Which bodies joints, drives or force elements hold (1), one per body; empty: there are none of
/// them. O(bodies + elements).
[[nodiscard]] std::vector<unsigned char> held_bodies(const Model& model);

}  // namespace talus::model
