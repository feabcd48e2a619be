#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <talus/base/types.hpp>

namespace talus::model {

/// What changes in time besides places and velocities, by name: whole turns of angles, and what a
/// scheme keeps from step to step (Dahl's friction forces, which contacts stick).
///
/// The variables keep the order in which they are added; names differ.
class InternalVariables {
 public:
  struct Variable {
    std::string name;
    std::vector<Real> values;
    bool operator==(const Variable&) const = default;
  };

  /// Forgets all, to be written anew by a scheme. @param owner its registry name; "": variables
  /// that every scheme understands.
  void start(std::string_view owner = "");
  /// The scheme whose variables these are; "": none's in particular.
  [[nodiscard]] const std::string& owner() const { return owner_; }
  void set_owner(std::string_view owner) { owner_ = owner; }
  /// Adds a variable behind the others. @param name not there yet (contract).
  void add(std::string_view name, std::vector<Real> values);
  /// Forgets a variable, if there is one of that name.
  void drop(std::string_view name);
  /// nullptr if there is none of that name.
  [[nodiscard]] const std::vector<Real>* find(std::string_view name) const;
  /// Throws InputError, with what is allowed, if these are the variables of another scheme.
  void demand_owner(std::string_view scheme) const;
  /// The values of a variable of a scheme; nullptr if these variables have none of that name.
  /// Throws InputError, with what is allowed, if they are another scheme's or not so many.
  [[nodiscard]] const std::vector<Real>* of_scheme(std::string_view owner, std::string_view name,
                                                   Index count) const;
  /// The same of a variable of any number of values.
  [[nodiscard]] const std::vector<Real>* of_scheme(std::string_view owner,
                                                   std::string_view name) const {
    demand_owner(owner);
    return find(name);
  }

  [[nodiscard]] const std::vector<Variable>& list() const { return variables_; }
  [[nodiscard]] bool is_empty() const { return variables_.empty(); }
  void clear() { start(); }
  bool operator==(const InternalVariables&) const = default;

 private:
  std::string owner_;
  std::vector<Variable> variables_;
};

/// The angles of all bodies of a planar model, whole turns counted [rad]: of every scheme.
inline constexpr std::string_view kAngles = "angle";
/// The angles of joints of a model in space whose whole turns count [rad]: of every scheme.
inline constexpr std::string_view kJointAngles = "joint_angle";
/// The impulses of the laws of axes and of ropes of such a model [N s], from which the next step
/// starts: of every scheme.
inline constexpr std::string_view kAxisImpulses = "axis_impulse";
/// Coordinates and velocities of a system in generalized coordinates: of every scheme.
inline constexpr std::string_view kCoordinates = "coordinate", kRates = "rate";
/// What the armatures of a model in space turn faster than their axes [rad/s, m/s], one per law of
/// an axis: of every scheme.
inline constexpr std::string_view kArmatureLeads = "armature_lead";
/// The impulses of the constraints of such a model [N s, N m s], where its bodies may sleep: what
/// they wake with.
inline constexpr std::string_view kConstraintImpulses = "constraint_impulse";

}  // namespace talus::model
