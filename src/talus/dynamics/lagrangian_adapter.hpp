#pragma once

#include <string>
#include <vector>

#include <talus/dynamics/system.hpp>
#include <talus/model/lagrangian.hpp>
#include <talus/model/time_law.hpp>

namespace talus::dynamics {

/// A system in generalized coordinates, as a user writes it down, as a multibody system: one body
/// whose velocities are q̇, with rows of all its coordinates.
///
///   M(q) v̇ = k(q, v, t) + Φ_qᵀ λ + W_N F_N + W_T F_T,
/// Φ the bilateral constraints, W_N the normals of contacts and W_T their one tangent; frictions of
/// joints have bounds that are given. mass() is M at the last place that it was taken at
/// (System::take_mass). Drifts, (d/dt of rows) v, are what the system gives. Contacts have the
/// place 0, the normal e_y and the direction of slip e_x.
///
/// Throws InputError, with what is allowed, where the system gives wrong shapes, more than one
/// tangent, a coefficient or a bound that changes from place to place, or an M that is not positive
/// definite.
class LagrangianAdapter final : public System {
 public:
  /// The system must outlive the adapter. @param state model::make_own_state: where its laws are
  /// read.
  LagrangianAdapter(const model::LagrangianSystem& system, const model::State& state);

  [[nodiscard]] const model::Machine& parts() const override;
  [[nodiscard]] Index body_count() const override { return 1; }
  [[nodiscard]] const MassMatrix& mass() const override { return mass_; }
  void take_mass(const VecX& q) const override;
  [[nodiscard]] bool has_varying_mass() const override { return true; }
  [[nodiscard]] Index constraint_count() const override { return constraint_count_; }
  [[nodiscard]] std::string constraint_name(Index constraint) const override;
  [[nodiscard]] Index contact_count() const override { return std::ssize(laws_); }
  [[nodiscard]] Index shape_contact_count() const override { return 0; }
  [[nodiscard]] Index joint_of(Index /*contact*/) const override { return -1; }
  [[nodiscard]] std::string joint_name(Index joint) const override;
  [[nodiscard]] const model::InterfaceLaw& law(Index contact) const override {
    return laws_[static_cast<std::size_t>(contact)];
  }
  [[nodiscard]] bool can_roll(Index /*contact*/) const override { return false; }
  [[nodiscard]] bool is_sharp(Index /*contact*/) const override { return false; }
  [[nodiscard]] BodyPair bodies_of(Index /*contact*/) const override { return {0, 0}; }
  [[nodiscard]] ShapePair shape_pair(Index a, Index b) const override { return {a, b, 0, 0}; }
  void near_pairs(const VecX& q, const VecX& margin, std::vector<ShapePair>& pairs) const override;
  [[nodiscard]] Real overlap(const ShapePair& pair, const VecX& q) const override;

  void prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const override;
  void force(const model::TimeSpan& time, const VecX& q, const VecX& v, VecX& Q) const override;
  void elastic_rows(const VecX& q, std::vector<ElasticRow>& rows) const override;
  void given_force(const model::TimeSpan& time, const VecX& q, const VecX& v,
                   VecX& Q) const override;
  void constraints(Real time, const VecX& q, const VecX& v, ConstraintTerms& terms) const override;
  [[nodiscard]] Real gap(Index contact, const VecX& q) const override;
  [[nodiscard]] Real gap_bound(Index contact, const VecX& q) const override;
  void contact(Index contact, const VecX& q, const VecX& v, ContactTerms& terms) const override;
  [[nodiscard]] Real bounding_radius(Index /*body*/) const override { return system_.length(); }
  [[nodiscard]] Real size(Index /*body*/) const override { return system_.length(); }
  [[nodiscard]] Real length_scale(const VecX& q) const override;
  void coordinate_scale(const VecX& q, VecX& scale) const override;
  [[nodiscard]] Real next_kink(Real time) const override { return system_.next_kink(time); }

  [[nodiscard]] Real kinetic_energy(const VecX& q, const VecX& v) const override;
  [[nodiscard]] Real potential_energy(Real /*time*/, const VecX& q) const override {
    return system_.potential(q);
  }

  [[nodiscard]] Index joint_friction_count() const override { return std::ssize(joint_laws_); }
  [[nodiscard]] JointFriction joint_friction(Index i) const override;
  void joint_slip(Index i, Real time, const VecX& q, const VecX& v, JointSlip& slip) const override;
  [[nodiscard]] Real joint_normal_force(Index i, const VecX& multipliers) const override;
  void report(Real time, const VecX& q, const VecX& v, const HoldingForces& forces,
              std::vector<Reaction>& reactions, std::vector<AxisReaction>& axes) const override;
  [[nodiscard]] RowRange rows_of_joint(Index /*joint*/) const override { return {}; }
  [[nodiscard]] RowRange rows_of_drive(Index /*drive*/) const override { return {}; }

  void load(const model::State& state, VecX& q, VecX& v) const override;
  void store(const VecX& q, const VecX& v, model::State& state) const override;

 private:
  struct JointLaw {
    model::FrictionModel law;
    Real bound = 0;
  };
  [[nodiscard]] model::LagrangianContact contact_at(Index i, const VecX& q) const;
  [[nodiscard]] MatX mass_at(const VecX& q) const;

  const model::LagrangianSystem& system_;
  const Index count_;  // of coordinates
  Index constraint_count_ = 0;
  std::vector<model::InterfaceLaw> laws_;  // of contacts
  std::vector<JointLaw> joint_laws_;
  mutable MassMatrix mass_;
  mutable VecX mass_place_;  // where it is taken
};

}  // namespace talus::dynamics
