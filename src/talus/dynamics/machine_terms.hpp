#pragma once

#include <span>
#include <vector>

#include <talus/dynamics/axis_terms.hpp>
#include <talus/dynamics/force_elements.hpp>
#include <talus/dynamics/joint_contacts.hpp>
#include <talus/dynamics/joint_coordinates.hpp>
#include <talus/dynamics/multibody_row.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/time_law.hpp>

namespace talus::dynamics {

/// The motion of a machine's bodies, and the angles that its whole turns are counted from.
struct MachineMotion {
  std::span<const BodyMotion> bodies;  ///< one per body of the model
  /// The last values of the counted angles [rad] (MachineTerms::count_angles); empty: all in
  /// [−π, π].
  std::span<const Real> angles;
  /// One per body: 1 of those whose joints, couplings, drives and elements are left out; empty:
  /// none. What touches one such body touches no moving body that is none (contract).
  std::span<const unsigned char> left_out = {};
  /// What the armature of each axis turns faster than the axis [rad/s, m/s]; empty: nothing.
  std::span<const Real> leads = {};

  /// Whether what acts between two bodies is left out; −1: the world.
  [[nodiscard]] bool leaves_out(Index body_a, Index body_b) const {
    const auto is_out = [&](Index i) {
      return i >= 0 && left_out[static_cast<std::size_t>(i)] != 0;
    };
    return !left_out.empty() && (is_out(body_a) || is_out(body_b));
  }
};

/// The bilateral constraints Φ(q, t) = 0 of a machine in space; arrays keep their capacity.
struct MachineConstraints {
  std::vector<JacobianRow> rows;        ///< Φ_q of joints and drives, width 6
  std::vector<MultibodyRow> couplings;  ///< Φ_q of the constraints after those, one per coupling
  VecX value;  ///< Φ of rows, then of couplings [m, rad]; of a driven angle in [−π, π]
  VecX rate;   ///< Φ̇ = Φ_q v + Φ_t
  VecX drift;  ///< Φ̈ = Φ_q v̇ + drift, where it is asked for
};

/// The motion that a drive prescribes at a time [m, rad].
[[nodiscard]] model::TimeValue prescribed(const model::SpatialDrive& drive, Real time);

/// A law along an axis: which joint, which of its axes.
struct AxisName {
  Index joint = 0;
  Index law = 0;  ///< into SpatialJoint::axes
};

/// Joints, couplings, drives and force elements of a machine in space as terms over the velocities
/// (v, ω) of all bodies.
///
/// Constraints are ordered: joints, drives, couplings. Angles with whole turns are counted where
/// those matter: of coordinates (joint_coordinates) and of torsion elements; of a screw and of a
/// drive the whole turns are those nearest to what they prescribe. No function allocates after its
/// first call; all are const, so that many threads can call them.
class MachineTerms {
 public:
  /// @param machine must outlive this. @param body_count of the model: bodies and joints are in
  /// range, axes of laws, drives and couplings are free (contract).
  MachineTerms(const model::SpatialMachine& machine, Index body_count);

  [[nodiscard]] const model::SpatialMachine& machine() const { return machine_; }

  // ---- bilateral constraints
  [[nodiscard]] Index constraint_count() const { return constraint_count_; }
  /// O(joints + drives + couplings). The terms of what is left out stay as they are.
  void constraints(Real time, const MachineMotion& at, MachineConstraints& terms) const;
  /// The same without drifts, which stay as they are.
  void constraint_rates(Real time, const MachineMotion& at, MachineConstraints& terms) const;
  /// Their values Φ alone, at a fraction of the cost.
  void violations(Real time, const MachineMotion& at, VecX& value) const;
  [[nodiscard]] RowRange rows_of_joint(Index joint) const {
    return joint_rows_[static_cast<std::size_t>(joint)];
  }
  [[nodiscard]] RowRange rows_of_drive(Index drive) const { return {first_drive_ + drive, 1}; }
  [[nodiscard]] RowRange rows_of_coupling(Index coupling) const {
    return {first_coupling_ + coupling, 1};
  }

  // ---- laws along axes, for schemes that take them implicitly
  [[nodiscard]] Index axis_count() const { return static_cast<Index>(axes_.size()); }
  [[nodiscard]] AxisName axis_name(Index axis) const { return axes_[to_size(axis)].name; }
  [[nodiscard]] const model::AxisLaw& axis_law(Index axis) const;
  /// Coordinate with whole turns, row, rate and drift.
  [[nodiscard]] RowTerms axis(Index axis, const MachineMotion& at) const;

  /// The coordinate alone, with whole turns.
  [[nodiscard]] Real axis_value(Index axis, const MachineMotion& at) const;

  // ---- coordinates that are followed through a run
  [[nodiscard]] std::span<const JointCoordinate> coordinates() const { return coordinates_; }
  /// The axis with the law of a coordinate; −1: it has none.
  [[nodiscard]] Index axis_of_coordinate(Index coordinate) const {
    return axis_of_coordinate_[to_size(coordinate)];
  }
  /// Its value with whole turns, row, rate and drift.
  [[nodiscard]] RowTerms coordinate(Index coordinate, const MachineMotion& at) const;

  // ---- ropes and joints with play
  [[nodiscard]] Index contact_count() const { return static_cast<Index>(contacts_.size()); }
  [[nodiscard]] Index joint_of_contact(Index contact) const {
    return contacts_[to_size(contact)].joint;
  }
  [[nodiscard]] bool is_rope(Index contact) const {
    return std::holds_alternative<model::Rope>(joint(joint_of_contact(contact)).kind);
  }
  [[nodiscard]] Real gap(Index contact, const MachineMotion& at) const;
  void contact(Index contact, const MachineMotion& at, JointContactTerms& terms) const;

  // ---- forces
  /// Q: force elements, and of laws along axes springs, dampers and motors with a position or an
  /// effort as target (axis_effort).
  /// @param Q out: 6 per body, force and moment about the centre of mass, world axes [N, N m].
  void force(const model::TimeSpan& time, const MachineMotion& at, VecX& Q) const;
  /// Q += what laws of time of force elements exert, on average over a span: their part without
  /// springs and dampers.
  /// @param Q 6 per body.
  void add_given_forces(const model::TimeSpan& time, const MachineMotion& at, VecX& Q) const;
  [[nodiscard]] Index element_count() const { return static_cast<Index>(machine_.forces.size()); }
  /// The springs and dampers of a force element, for schemes that take them implicitly.
  [[nodiscard]] ElasticTerms elastic(Index element, const MachineMotion& at) const;
  /// Of the spring of a force element, and of an axis; ½ I β² of the armature of an axis, β = q̇ +
  /// lead [J].
  [[nodiscard]] Real energy_of_element(Index element, const MachineMotion& at) const;
  [[nodiscard]] Real energy_of_spring(Index axis, const MachineMotion& at) const;
  [[nodiscard]] Real energy_of_armature(Index axis, const MachineMotion& at) const;
  /// Of the springs of force elements and axes [J].
  [[nodiscard]] Real potential_energy(const MachineMotion& at) const;
  /// Of the armatures of axes [J]; that of the bodies is not in it.
  [[nodiscard]] Real kinetic_energy(const MachineMotion& at) const;

  // ---- whole turns
  [[nodiscard]] Index angle_count() const { return static_cast<Index>(angles_.size()); }
  /// Brings the counted angles up to date: each becomes the value nearest to its last one, which a
  /// motion of less than half a turn since then does not miss.
  /// @param angles in, out: angle_count() of them [rad], at first 0, or what the start says, or
  /// where they are about.
  /// @param left_out as in MachineMotion: their angles stay as they are.
  void count_angles(std::span<const BodyMotion> bodies, std::span<Real> angles,
                    std::span<const unsigned char> left_out = {}) const;

  /// Rates of the counted angles [rad/s]. @param rates out: angle_count() of them.
  void angle_rates(std::span<const BodyMotion> bodies, std::span<Real> rates) const;
  /// The counted angle that a drive turns; −1: none, as where it displaces.
  [[nodiscard]] Index angle_of_drive(Index drive) const { return drive_angles_[to_size(drive)]; }
  /// What a counted angle is of: "joint hinge", "force element spring".
  [[nodiscard]] std::string angle_name(Index angle) const;
  /// Whether an angle about an axis that its joint's two bodies share: any motion of these turns it
  /// as their relative rate says.
  [[nodiscard]] bool has_fixed_axis(Index angle) const;

  /// The first time after `time` at which the rate of a drive may jump.
  [[nodiscard]] Real next_jump(Real time) const;

 private:
  /// An angle of a joint's axis, or of a torsion element (joint < 0).
  struct CountedAngle {
    Index joint = -1;
    model::Freedom axis = model::Freedom::turn_z;
    Index element = -1;
  };
  struct Axis {
    AxisName name;
    Index angle = -1;  // into angles_; −1: a displacement
  };
  struct Contact {
    Index joint = 0;
    int which = 0;
  };

  [[nodiscard]] static std::size_t to_size(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] const model::SpatialJoint& joint(Index i) const {
    return machine_.joints[to_size(i)];
  }
  [[nodiscard]] static const BodyMotion& motion(std::span<const BodyMotion> bodies, Index body);
  [[nodiscard]] static Real last(const MachineMotion& at, Index angle) {
    return angle < 0 || at.angles.empty() ? 0 : at.angles[to_size(angle)];
  }
  /// Visits the constraints of joints and drives: of a joint (first index, joint, motions of A and
  /// B), of a drive (index, terms of its axis, what its law of time prescribes).
  template <class OfJoint, class OfDrive>
  void visit_constraints(Real time, const MachineMotion& at, const OfJoint& of_joint,
                         const OfDrive& of_drive) const;
  template <bool has_drift>
  void write_constraints(Real time, const MachineMotion& at, MachineConstraints& terms) const;
  /// Value, rate and drift of a coupling. @param add of the rows of its axes with their factors.
  template <class Add>
  [[nodiscard]] RowTerms sum_of_coupling(Index coupling, const MachineMotion& at,
                                         const Add& add) const;
  [[nodiscard]] bool leaves_out_coupling(Index coupling, const MachineMotion& at) const;
  /// Q += exert(element, motion of A, motion of B, last angle) of all force elements.
  template <class Exert>
  void add_elements(const MachineMotion& at, VecX& Q, const Exert& exert) const;
  [[nodiscard]] std::pair<Index, Index> bodies_of(const CountedAngle& angle) const;
  [[nodiscard]] RowTerms angle_terms(const CountedAngle& angle, std::span<const BodyMotion> bodies,
                                     Real near) const;
  [[nodiscard]] RowTerms axis_of_joint(Index joint, model::Freedom axis,
                                       std::span<const BodyMotion> bodies, Real near) const;

  const model::SpatialMachine& machine_;
  std::vector<JointGeometry> geometry_;  // of every joint
  std::vector<RowRange> joint_rows_;
  Index first_drive_ = 0, first_coupling_ = 0, constraint_count_ = 0;
  std::vector<CountedAngle> angles_;
  std::vector<Axis> axes_;
  std::vector<Contact> contacts_;
  std::vector<JointCoordinate> coordinates_;
  std::vector<Index> axis_of_coordinate_, coordinate_angles_;  // into angles_; −1: a displacement
  std::vector<Index> drive_angles_;     // into angles_, one per drive; −1: none
  std::vector<Index> coupling_angles_;  // into angles_, kMaxCouplingTerms per coupling
  std::vector<Index> torsion_angles_;   // into angles_, one per force element
};

/// The motion of a machine's bodies in a state, with what the state has of angles and leads.
class MotionOfState {
 public:
  MotionOfState(const MachineTerms& terms, const model::State& state);
  /// Valid as long as this and the state.
  [[nodiscard]] MachineMotion motion() const { return {bodies_, angles_, {}, leads_}; }

 private:
  std::vector<BodyMotion> bodies_;
  std::span<const Real> angles_, leads_;  // of the state, where they are those of the machine
  std::vector<Real> no_angles_;
};

}  // namespace talus::dynamics
