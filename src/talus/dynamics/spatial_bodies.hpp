#pragma once

#include <string>
#include <vector>

#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/model/time_law.hpp>

namespace talus::dynamics {

/// Bodies in space with joints, drives, couplings, force elements and laws along axes, without
/// contacts of shapes: a body has in q the place of its centre of mass and a rotation vector x in
/// its own frame, R = R₀ exp(x), and in v its velocity and Ω in its own frame, where M is constant.
///
/// Constraints are those of joints, drives, couplings of at most two bodies that move, motors that
/// hold a velocity with whatever effort; then other couplings. Unilateral contacts are limits of
/// axes, lower before upper, then ropes and the ends of joints with play. Frictions of joints are
/// dry frictions of axes with given bounds, and motors that hold a velocity within bounds: between
/// lower and upper effort they resist with half the difference about the mean, which is part of Q.
/// Prescribed bodies follow their laws, those without one keep their twist. Not for several threads
/// at a time: places of bodies keep their memory.
class SpatialBodies final : public System {
 public:
  /// The model must outlive the system. @param model dimension 3 (contract).
  explicit SpatialBodies(const model::Model& model);

  [[nodiscard]] const model::Machine& parts() const override;
  [[nodiscard]] Index body_count() const override { return model_.body_count(); }
  [[nodiscard]] const MassMatrix& mass() const override { return mass_; }
  [[nodiscard]] Index constraint_count() const override { return constraint_count_; }
  [[nodiscard]] std::string constraint_name(Index constraint) const override;
  [[nodiscard]] bool holds_place(Index constraint) const override {
    return constraint < first_held_ || constraint >= first_held_ + static_cast<Index>(held_.size());
  }
  [[nodiscard]] Index contact_count() const override {
    return static_cast<Index>(contacts_.size());
  }
  [[nodiscard]] Index shape_contact_count() const override { return 0; }
  [[nodiscard]] Index joint_of(Index contact) const override;
  [[nodiscard]] std::string joint_name(Index joint) const override {
    return machine().joints[to_size(joint)].name;
  }
  [[nodiscard]] bool has_place(Index contact) const override;
  [[nodiscard]] const model::InterfaceLaw& law(Index contact) const override {
    return contacts_[to_size(contact)].law;
  }
  [[nodiscard]] bool can_roll(Index /*contact*/) const override { return false; }
  [[nodiscard]] bool is_sharp(Index /*contact*/) const override { return false; }
  [[nodiscard]] BodyPair bodies_of(Index contact) const override;
  [[nodiscard]] ShapePair shape_pair(Index a, Index b) const override { return {a, b, 0, 0}; }
  void near_pairs(const VecX& q, const VecX& margin, std::vector<ShapePair>& pairs) const override;
  [[nodiscard]] Real overlap(const ShapePair& pair, const VecX& q) const override;

  void prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const override;
  void force(const model::TimeSpan& time, const VecX& q, const VecX& v, VecX& Q) const override;
  void add_armatures(const VecX& q, const VecX& v, const VecX& acceleration,
                     VecX& Q) const override;
  void constraints(Real time, const VecX& q, const VecX& v, ConstraintTerms& terms) const override;
  [[nodiscard]] Real gap(Index contact, const VecX& q) const override;
  [[nodiscard]] Real gap_bound(Index contact, const VecX& q) const override;
  void contact(Index contact, const VecX& q, const VecX& v, ContactTerms& terms) const override;
  [[nodiscard]] Real bounding_radius(Index body) const override {
    return bounding_radius_[to_size(body)];
  }
  [[nodiscard]] Real size(Index body) const override { return size_[to_size(body)]; }
  [[nodiscard]] Real next_kink(Real time) const override;
  [[nodiscard]] Index kink_count() const override { return static_cast<Index>(kinks_.size()); }
  [[nodiscard]] Real kink(Index i, Real time, const VecX& q, const VecX& v) const override;

  void coordinate_rate(const VecX& q, const VecX& v, VecX& rate) const override;
  void displace(const JacobianRow& row, Real s, VecX& q) const override;
  void recount(Real time, VecX& q) override;
  [[nodiscard]] Real longest_step(const VecX& v) const override;
  /// The largest coordinate of a centre of mass, or radius of gyration; 1 where turns of axes have
  /// limits, at least.
  [[nodiscard]] Real length_scale(const VecX& q) const override;

  [[nodiscard]] Real kinetic_energy(const VecX& q, const VecX& v) const override;
  [[nodiscard]] Real armature_energy(const VecX& q, const VecX& v) const override;
  [[nodiscard]] Real potential_energy(Real time, const VecX& q) const override;

  [[nodiscard]] Index joint_friction_count() const override {
    return static_cast<Index>(frictions_.size());
  }
  [[nodiscard]] JointFriction joint_friction(Index i) const override;
  void joint_slip(Index i, Real time, const VecX& q, const VecX& v, JointSlip& slip) const override;
  [[nodiscard]] Real joint_normal_force(Index i, const VecX& multipliers) const override;
  void report(Real time, const VecX& q, const VecX& v, const HoldingForces& forces,
              std::vector<Reaction>& reactions, std::vector<AxisReaction>& axes) const override;
  [[nodiscard]] RowRange rows_of_joint(Index joint) const override {
    return terms_.rows_of_joint(joint);
  }
  [[nodiscard]] RowRange rows_of_drive(Index drive) const override {
    return terms_.rows_of_drive(drive);
  }

  void load(const model::State& state, VecX& q, VecX& v) const override;
  void begin(const model::State& state, VecX& q, VecX& v) override;
  void store(const VecX& q, const VecX& v, model::State& state) const override;

 private:
  enum class Side : unsigned char { lower, upper, joint };
  /// A limit of an axis, or a contact of a joint.
  struct Contact {
    Index index = 0;  ///< axis, or contact of MachineTerms
    Side side = Side::joint;
    model::InterfaceLaw law;
  };
  /// A dry friction of an axis, or its motor.
  struct Friction {
    Index axis = 0;
    bool is_motor = false;
    Real bound = 0;
    model::FrictionModel law;
  };
  /// A bound of the effort of a motor that is a function of place and velocity.
  struct Kink {
    Index axis = 0;
    Real bound = 0;
  };

  [[nodiscard]] static std::size_t to_size(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] const model::SpatialMachine& machine() const { return terms_.machine(); }
  [[nodiscard]] bool moves(Index body) const { return body >= 0 && mass_.moves(body); }
  [[nodiscard]] const model::SpatialJoint& joint_of_axis(Index axis) const {
    return machine().joints[to_size(terms_.axis_name(axis).joint)];
  }
  void sort_constraints();
  void add_axis(Index axis);
  void place(const VecX& q, const VecX& v) const;
  void place(const VecX& q) const;
  [[nodiscard]] MachineMotion here() const { return {motions_, angles_}; }
  [[nodiscard]] JacobianRow in_bodies(JacobianRow row) const;
  [[nodiscard]] MultibodyRow in_bodies(const MultibodyRow& row) const;
  [[nodiscard]] RowTerms axis(Index axis) const;

  const model::Model& model_;
  const model::SpatialMachine none_;
  MachineTerms terms_;
  MassMatrix mass_;  // body axes
  std::vector<Real> bounding_radius_, size_;
  Real least_scale_ = 0;  // of length_scale
  std::vector<Contact> contacts_;
  std::vector<Friction> frictions_;
  std::vector<Kink> kinks_;
  std::vector<Index> held_;         // axes whose motors hold a velocity
  std::vector<Index> two_, other_;  // couplings of two bodies that move, and of more
  Index first_held_ = 0, constraint_count_ = 0;

  Real start_ = 0;               // the time of what coordinates count from
  std::vector<Vec3> position_;   // there
  std::vector<Quat> origin_;     // R₀
  std::vector<Real> angles_;     // counted there
  std::vector<Vec3> drift_, w_;  // of bodies that keep their twist: velocity, Ω in their own frame

  mutable VecX placed_q_, placed_v_;  // what motions_ are of
  mutable std::vector<BodyMotion> motions_;
  mutable VecX world_force_;
  mutable MachineConstraints constraints_;
};

}  // namespace talus::dynamics
