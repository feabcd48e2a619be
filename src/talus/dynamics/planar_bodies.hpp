#pragma once

#include <memory>
#include <vector>

#include <talus/collision/broad_phase.hpp>
#include <talus/dynamics/planar_contact_numbers.hpp>
#include <talus/dynamics/planar_narrow_phase.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/geometry/planar.hpp>
#include <talus/model/time_law.hpp>

namespace talus::dynamics {

/// Planar bodies with joints, drives and force elements: q has (x, y, θ) of every body.
///
/// Contacts are those of shapes in pairs as in PlanarSystem, except of bodies that a joint
/// connects; then of ropes and clearance joints in the joints' order (a translational clearance has
/// four: front left, front right, back left, back right of the block). A body of a half-plane that
/// no force moves has θ = 0 as it stands, whatever its normal: its frame is then along the world's
/// axes. Forces, rows and gaps allocate nothing after the first call of each function. Not for
/// several threads at a time: broad phase and numbers of contacts keep their memory.
class PlanarBodies final : public System {
 public:
  /// Both must outlive the system. The poses of fixed bodies are taken from the state.
  /// @param model dimension 2 (contract); `machine` may be null.
  PlanarBodies(const model::Model& model, const model::State& state);

  [[nodiscard]] const model::Machine& parts() const override { return *machine_; }
  [[nodiscard]] Index body_count() const override { return model_.body_count(); }
  [[nodiscard]] const MassMatrix& mass() const override { return mass_; }
  [[nodiscard]] const MassMatrix& step_mass(Real h, Real theta) const override;
  [[nodiscard]] Index constraint_count() const override { return constraint_count_; }
  [[nodiscard]] Index contact_count() const override;
  [[nodiscard]] Index shape_contact_count() const override { return numbers_->count(); }
  [[nodiscard]] Index joint_of(Index contact) const override;
  [[nodiscard]] std::string joint_name(Index joint) const override {
    return machine().joints[static_cast<std::size_t>(joint)].name;
  }
  [[nodiscard]] std::string constraint_name(Index constraint) const override {
    return dynamics::constraint_name(constraint, machine(), *this);
  }
  [[nodiscard]] Real length_scale(const VecX& q) const override;
  [[nodiscard]] const model::InterfaceLaw& law(Index contact) const override;
  [[nodiscard]] bool can_roll(Index contact) const override;
  [[nodiscard]] bool is_sharp(Index contact) const override;
  [[nodiscard]] BodyPair bodies_of(Index contact) const override;
  [[nodiscard]] ShapePair shape_pair(Index a, Index b) const override {
    return numbers_->pair(a, b);
  }
  /// By collision::BroadPhase. A body whose place is no number is near all.
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
  void contact(Index contact, const VecX& q, const VecX& v, ContactTerms& terms) const override {
    contact_on_side(contact, -1, q, v, terms);
  }
  void contact_on_side(Index contact, Index side, const VecX& q, const VecX& v,
                       ContactTerms& terms) const override;
  [[nodiscard]] Real bounding_radius(Index body) const override {
    return bounding_radius_[static_cast<std::size_t>(body)];
  }
  [[nodiscard]] Real size(Index body) const override {
    return size_[static_cast<std::size_t>(body)];
  }
  [[nodiscard]] Real next_kink(Real time) const override;
  [[nodiscard]] Real next_jump(Real time) const override;

  [[nodiscard]] Real kinetic_energy(const VecX& q, const VecX& v) const override;
  [[nodiscard]] Real potential_energy(Real time, const VecX& q) const override;

  [[nodiscard]] Index joint_friction_count() const override;
  [[nodiscard]] JointFriction joint_friction(Index i) const override;
  void joint_slip(Index i, Real time, const VecX& q, const VecX& v, JointSlip& slip) const override;
  [[nodiscard]] Real joint_normal_force(Index i, const VecX& multipliers) const override;
  void report(Real time, const VecX& q, const VecX& v, const HoldingForces& forces,
              std::vector<Reaction>& reactions, std::vector<AxisReaction>& axes) const override;
  [[nodiscard]] RowRange rows_of_joint(Index joint) const override;
  [[nodiscard]] RowRange rows_of_drive(Index drive) const override;

  void load(const model::State& state, VecX& q, VecX& v) const override;
  void store(const VecX& q, const VecX& v, model::State& state) const override;

 private:
  /// A contact that a joint makes: the rope, the pin, or a corner of the block.
  struct JointContact {
    Index joint = 0;
    int corner = 0;
  };
  /// A row with its value and drift.
  struct RowTerms {
    JacobianRow row;
    Real rate = 0, drift = 0;
  };
  /// A point fixed in a body: where it is and moves, and its acceleration where v̇ = 0.
  struct Point {
    Vec2 position, velocity, acceleration;
  };

  void add_unilateral(Index joint);
  [[nodiscard]] bool moves(Index body) const {
    return model_.bodies[body].kind == model::BodyKind::dynamic;
  }
  [[nodiscard]] static PlanarPose pose(Index body, const VecX& q) {
    return {q.segment<2>(3 * body), rotation2d(q[3 * body + 2])};
  }
  [[nodiscard]] static Point point(Index body, const Vec2& in_body, const VecX& q, const VecX& v);
  /// Relative velocity of B against A at a point, along a direction: row, value and drift.
  /// @param point_rate velocity of the point; @param turn_rate of the direction [rad/s]
  [[nodiscard]] static RowTerms relative_row(Index body_a, Index body_b, const VecX& q,
                                             const VecX& v, const Vec2& point,
                                             const Vec2& point_rate, const Vec2& direction,
                                             Real turn_rate);
  [[nodiscard]] Real circle_distance(Index a, Index b, const VecX& q) const;
  [[nodiscard]] PlanarWitness closest_features(Index contact, const VecX& q, Index side = -1) const;
  [[nodiscard]] PlanarWitness meet_joint(const JointContact& contact, const VecX& q) const;
  [[nodiscard]] const model::Machine& machine() const { return *machine_; }
  /// Of a contact of a joint (contract).
  [[nodiscard]] std::size_t place_among_joints(Index contact) const {
    return static_cast<std::size_t>(contact - shape_contact_count());
  }

  const model::Model& model_;
  const model::Machine* machine_;  // never null
  MassMatrix mass_;
  mutable MassMatrix step_mass_;
  VecX fixed_;                          // q of fixed bodies, 0 for others
  std::vector<Quat> upright_;           // per body: its orientation at θ = 0
  std::vector<model::Motion> motions_;  // one per prescribed body
  std::vector<Real> rest_angle_;        // of motions_ without their terms
  std::vector<geometry::PlanarShape> shapes_;
  std::vector<Real> bounding_radius_, size_;
  std::unique_ptr<const PlanarContactNumbers> numbers_;
  std::vector<unsigned char> moves_;  // per body
  mutable collision::BroadPhase broad_phase_;
  mutable std::vector<geometry::Aabb> boxes_;
  mutable std::vector<collision::Pair> found_;
  mutable std::vector<ElasticRow> elastic_;
  std::vector<JointContact> joint_contacts_;
  std::vector<model::InterfaceLaw> joint_laws_;  // per joint contact
  std::vector<RowRange> joint_rows_, drive_rows_;
  std::vector<Index> friction_joints_;
  Index constraint_count_ = 0;
};

}  // namespace talus::dynamics
