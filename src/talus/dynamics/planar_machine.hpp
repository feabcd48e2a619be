#pragma once

#include <limits>
#include <vector>

#include <talus/dynamics/jacobian_row.hpp>
#include <talus/dynamics/planar_contacts.hpp>
#include <talus/geometry/planar.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// The bilateral constraints Φ(q, t) = 0 at a time, configuration and velocity; arrays keep their
/// capacity from call to call.
struct ConstraintTerms {
  std::vector<JacobianRow> rows;  ///< Φ_q
  VecX value;                     ///< Φ; angles in (−π, π]
  VecX rate;                      ///< Φ̇ = Φ_q v + Φ_t
  VecX drift;                     ///< Φ̈ = Φ_q v̇ + drift
};

/// A unilateral contact at a time, configuration and velocity, exact to round-off.
struct ContactTerms {
  Real gap = 0;            ///< g [m]
  JacobianRow normal;      ///< ġ = normal · v, velocities of prescribed bodies in v
  JacobianRow tangent;     ///< slip velocity = tangent · v
  Real gap_rate = 0;       ///< ġ [m/s]
  Real slip = 0;           ///< [m/s]
  Real normal_drift = 0;   ///< g̈ = normal · v̇ + normal_drift [m/s²]
  Real tangent_drift = 0;  ///< the slip's rate = tangent · v̇ + tangent_drift [m/s²]
  JacobianRow rolling;     ///< θ̇_B − θ̇_A: against it acts the moment of rolling resistance
  Real spin = 0;           ///< its value [rad/s]
  Vec2 position = Vec2::Zero(), direction = Vec2::UnitY();  ///< where, and the normal from A to B
  bool is_corner = false;                                   ///< of A's core, else one of its sides
  /// Sharp corners on sharp sides: how far the corner is from where the side ends and the normal
  /// jumps, less what rounding leaves of it [m]. Negative: at the end, where no contact acts. At
  /// the end and more where it acts all the same: B can rest on that side alone, and stays.
  Real room = std::numeric_limits<Real>::infinity();
  Real room_noise = 0;  ///< what rounding leaves of it [m]
};

/// Planar bodies with joints, drives and force elements, in absolute coordinates.
///
/// q has (x, y, θ) of every body in the model's order, fixed and prescribed ones included: these
/// have inverse mass 0 and follow their motion, so that v and v̇ of everybody are known wherever a
/// row is multiplied. The equations of motion are
///   M v̇ = Q(t, q, v) + Φ_qᵀ λ + W_N F_N + W_T F_T.
/// Unilateral contacts are listed once and keep their index: shapes in pairs as in PlanarSystem,
/// except bodies that a joint connects; then ropes and clearance joints in the joints' order (a
/// translational clearance has four: front left, front right, back left, back right of the block).
/// A body of a half-plane that no force moves has θ = 0 as it stands, whatever its normal: its
/// frame is then along the world's axes.
/// Nothing here allocates after the first call of each function.
class PlanarMachine {
 public:
  /// Both must outlive the machine. The poses of fixed bodies are taken from the state.
  /// @param model dimension 2 (contract); `machine` may be null.
  PlanarMachine(const model::Model& model, const model::State& state);

  /// The data; never null, empty where the model has none.
  [[nodiscard]] const model::Machine& parts() const { return *machine_; }
  [[nodiscard]] Index body_count() const;
  [[nodiscard]] Index coordinate_count() const { return 3 * body_count(); }
  /// Of the dynamic bodies; no force moves fixed and prescribed ones.
  [[nodiscard]] const MassMatrix& mass() const { return mass_; }
  [[nodiscard]] Index constraint_count() const;
  [[nodiscard]] Index contact_count() const;
  /// Whether it is of a rope or a clearance joint, not of shapes.
  [[nodiscard]] bool is_joint_contact(Index contact) const {
    return contact >= static_cast<Index>(candidates_.size());
  }
  /// Of a contact, never null. A rope has no friction.
  [[nodiscard]] const model::InterfaceLaw& law(Index contact) const;
  /// Whether rolling resistance acts: at contacts of discs, against θ̇_B − θ̇_A.
  [[nodiscard]] bool can_roll(Index contact) const;
  /// Whether a sharp corner slides on a sharp side that ends somewhere (ContactTerms::room).
  [[nodiscard]] bool is_sharp(Index contact) const;
  struct Pair {
    Index body_a = 0, body_b = 0;
  };
  /// The normal points from A to B.
  [[nodiscard]] Pair bodies_of(Index contact) const;
  /// Bodies whose shapes may touch, and the contacts that their corners make, one after another.
  struct ShapePair {
    Index body_a = 0, body_b = 0;
    Index first = 0, count = 0;
  };
  [[nodiscard]] const std::vector<ShapePair>& shape_pairs() const { return pairs_; }
  /// How deep two shapes are in each other [m], ≤ 0 if they are not: that of the shapes as a whole,
  /// which cross without a corner inside the other too (geometry::separation). Not less than minus
  /// the distance of the circles around them.
  [[nodiscard]] Real overlap(const ShapePair& pair, const VecX& q) const;
  /// The joint that makes a contact, into Machine::joints; −1 of shapes.
  [[nodiscard]] Index joint_of(Index contact) const;

  /// Sets q, v and v̇ of the prescribed bodies at a time; v̇ of fixed ones to 0.
  void prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const;
  /// Q(t, q, v): gravity, drag, force elements; no contact, no joint friction.
  void force(Real time, const VecX& q, const VecX& v, VecX& Q) const;
  void constraints(Real time, const VecX& q, const VecX& v, ConstraintTerms& terms) const;
  [[nodiscard]] Real gap(Index contact, const VecX& q) const;
  /// A lower bound of a gap that costs next to nothing: that of the circles around the shapes; −∞
  /// where there are none (half-planes, joints).
  [[nodiscard]] Real gap_bound(Index contact, const VecX& q) const;
  /// Radius of the circle about a body's centre of mass that its shape is in [m]; infinite for a
  /// half-plane.
  [[nodiscard]] Real reach(Index body) const { return reach_[static_cast<std::size_t>(body)]; }
  /// Half the smallest extent of a body's shape in its frame [m], as dynamics::RigidBodies::size();
  /// infinite for a half-plane.
  [[nodiscard]] Real size(Index body) const { return size_[static_cast<std::size_t>(body)]; }
  void contact(Index contact, const VecX& q, const VecX& v, ContactTerms& terms) const;
  /// The first time after `time` at which a law of time has a corner.
  [[nodiscard]] Real next_corner(Real time) const;

  /// Kinetic, and potential of gravity and springs [J]; prescribed bodies have none.
  [[nodiscard]] Real kinetic_energy(const VecX& v) const;
  [[nodiscard]] Real potential_energy(Real time, const VecX& q) const;

  /// Joint friction: the slip velocity and its row, and which constraint rows bear on it.
  struct JointSlip {
    Index joint = 0;  ///< into Machine::joints
    JacobianRow row;  ///< generalised slip velocity (pin: r (θ̇_B − θ̇_A), guide: along the axis)
    Real slip = 0, drift = 0;    ///< its value [m/s], its rate = row · v̇ + drift
    Index first_constraint = 0;  ///< rows whose reaction presses: two
  };
  [[nodiscard]] Index joint_friction_count() const;
  void joint_slip(Index i, const VecX& q, const VecX& v, JointSlip& slip) const;
  /// The normal force that friction i acts under, from the multipliers of all constraints: |λ| of a
  /// pin; of a guide with λ = (force, moment) the sum of |force/2 ± moment/ℓ| at its ends; and the
  /// preload.
  [[nodiscard]] Real joint_pressure(Index i, const VecX& multipliers) const;

  /// Where the constraints of a joint or drive are: first row and number of rows; zero rows for
  /// ropes and clearances.
  struct RowRange {
    Index first = 0, count = 0;
  };
  [[nodiscard]] RowRange rows_of_joint(Index joint) const;
  [[nodiscard]] RowRange rows_of_drive(Index drive) const;

  /// Coordinates and velocities of a state. θ is the angle nearest to `near` (one per body), or in
  /// (−2π, 2π] without it.
  void load(const model::State& state, VecX& q, VecX& v, const VecX* near = nullptr) const;
  void store(const VecX& q, const VecX& v, model::State& state) const;

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
    return {q.segment<2>(3 * body), turned(q[3 * body + 2])};
  }
  [[nodiscard]] static Point point(Index body, const Vec2& in_body, const VecX& q, const VecX& v);
  /// Relative velocity of B against A at a point, along a direction: row, value and drift.
  /// @param point_rate velocity of the point; @param turn_rate of the direction [rad/s]
  [[nodiscard]] static RowTerms relative_row(Index body_a, Index body_b, const VecX& q,
                                             const VecX& v, const Vec2& point,
                                             const Vec2& point_rate, const Vec2& direction,
                                             Real turn_rate);
  [[nodiscard]] PlanarTouch meet(Index contact, const VecX& q) const;
  [[nodiscard]] PlanarTouch meet_joint(const JointContact& contact, const VecX& q) const;
  [[nodiscard]] const model::Machine& machine() const { return *machine_; }

  const model::Model& model_;
  const model::Machine* machine_;  // never null
  MassMatrix mass_;
  VecX fixed_;                          // q of fixed bodies, 0 for others
  std::vector<Quat> upright_;           // per body: its orientation at θ = 0
  std::vector<model::Motion> motions_;  // one per prescribed body
  std::vector<Vec3> motion_rest_;       // (x, y, θ) of motions_ without their terms
  std::vector<geometry::PlanarShape> shapes_;
  std::vector<Real> reach_, size_;
  std::vector<CornerCandidate> candidates_;
  std::vector<ShapePair> pairs_;
  std::vector<JointContact> joint_contacts_;
  std::vector<model::InterfaceLaw> joint_laws_;  // per joint contact
  std::vector<RowRange> joint_rows_, drive_rows_;
  std::vector<Index> friction_joints_;
  Index constraint_count_ = 0;
};

}  // namespace talus::dynamics
