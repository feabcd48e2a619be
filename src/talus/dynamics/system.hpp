#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <talus/dynamics/jacobian_row.hpp>
#include <talus/dynamics/multibody_row.hpp>
#include <talus/dynamics/reaction.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/model/time_law.hpp>

namespace talus::dynamics {

/// The bilateral constraints Φ(q, t) = 0 at a time, configuration and velocity; arrays keep their
/// capacity from call to call.
struct ConstraintTerms {
  std::vector<JacobianRow> rows;  ///< Φ_q
  std::vector<MultibodyRow>
      couplings;  ///< Φ_q of those after rows, which move more than two bodies
  VecX value;     ///< Φ of rows, then of couplings; angles in (−π, π]
  VecX rate;      ///< Φ̇ = Φ_q v + Φ_t
  VecX drift;     ///< Φ̈ = Φ_q v̇ + drift
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
  Vec3 position = Vec3::Zero(), direction = Vec3::UnitY();  ///< where, and the normal from A to B
  bool is_corner = false;                                   ///< of A's core, else one of its sides
  /// Sharp corners on sharp sides: how far the corner is from where the side ends and the normal
  /// jumps, less what rounding leaves of it [m]. Negative: at the end, where no contact acts. At
  /// the end and more where it acts all the same: B can rest on that side alone, and stays.
  Real distance_to_edge_end = std::numeric_limits<Real>::infinity();
  Real edge_end_noise = 0;  ///< what rounding leaves of it [m]
  Index side = -1;  ///< of A that it is on, System::contact_on_side; −1: a corner, or round
};

/// Joint friction: the slip velocity and its row, and which constraint rows bear on it.
struct JointSlip {
  Index joint = 0;  ///< into the machine's joints
  JacobianRow row;  ///< generalised slip velocity (pin: r (θ̇_B − θ̇_A), guide: along the axis)
  Real slip = 0, drift = 0;    ///< its value less what is prescribed [m/s], its rate = row · v̇ +
                               ///< drift
  Index first_constraint = 0;  ///< rows whose reaction presses: two; of none where is_pressed is
                               ///< false
};

/// A spring with a damper along one coordinate s of two bodies, whose rate is w = row · v: they
/// exert −rowᵀ (k s + d w).
struct ElasticRow {
  Index element = 0;  ///< into the machine's force elements
  JacobianRow row;
  Real stretch = 0;    ///< s, from where it is without force [m, rad]
  Real stiffness = 0;  ///< k ≥ 0 [N/m, N m]
  Real damping = 0;    ///< d ≥ 0 [N s/m, N m s]
};

/// Q += what they exert.
void add_elastic(const std::vector<ElasticRow>& rows, const VecX& v, VecX& Q);

/// What a friction of a joint or of an axis is: its law, and what presses.
struct JointFriction {
  const model::FrictionModel* law = nullptr;
  Real preload = 0;        ///< [N]; with μ = 1 a bound that is given [N, N m]
  bool is_guide = false;   ///< pressed at its two ends, else as a pin
  Real moment_arm = 0;     ///< of guides: ℓ/2 where the second reaction is a moment, 0: no matter
  bool is_pressed = true;  ///< by the joint's reaction too
};

/// Forces of all that holds and resists at an instant; an empty vector: none of its kind.
struct HoldingForces {
  const VecX& multipliers;  ///< λ of the constraints
  const VecX& normal;       ///< F_N per contact
  const VecX& tangential;   ///< F_T per contact
  const VecX& friction;     ///< per friction of joints
};

/// Where the constraints of a joint or drive are: first row and number of rows.
struct RowRange {
  Index first = 0, count = 0;
};

/// What a constraint is of: "joint hinge", "drive motor", "coupling gears"; "" of none.
/// @param rows that has rows_of_joint, rows_of_drive and, where the machine has couplings,
/// rows_of_coupling: System or MachineTerms.
template <class Machine, class Rows>
[[nodiscard]] std::string constraint_name(Index row, const Machine& machine, const Rows& rows) {
  const auto is_in = [&](RowRange range) {
    return row >= range.first && row < range.first + range.count;
  };
  for (std::size_t j = 0; j < machine.joints.size(); ++j)
    if (is_in(rows.rows_of_joint(static_cast<Index>(j)))) return "joint " + machine.joints[j].name;
  for (std::size_t j = 0; j < machine.drives.size(); ++j)
    if (is_in(rows.rows_of_drive(static_cast<Index>(j)))) return "drive " + machine.drives[j].name;
  if constexpr (requires { machine.couplings; })
    for (std::size_t j = 0; j < machine.couplings.size(); ++j)
      if (is_in(rows.rows_of_coupling(static_cast<Index>(j))))
        return "coupling " + machine.couplings[j].name;
  return "";
}

/// Two bodies. Of a contact: the normal points from A to B.
struct BodyPair {
  Index body_a = 0, body_b = 0;
};

/// Bodies whose shapes may touch, and the contacts that their features make, one after another.
struct ShapePair {
  Index body_a = 0, body_b = 0;
  Index first = 0, count = 0;
  [[nodiscard]] bool has(Index contact) const {
    return contact >= first && contact < first + count;
  }
};

/// A multibody system: what every scheme sees of bodies with joints, drives, force elements and
/// contacts, in the plane, in space (absolute coordinates), and as a user writes it down
/// (generalized coordinates, LagrangianAdapter).
///
///   M v̇ = Q(t, q, v) + Φ_qᵀ λ + W_N F_N + W_T F_T.
/// v has the velocities of every body in the model's order, fixed and prescribed ones included
/// (JacobianRow): these have inverse mass 0 and follow their motion, so that v and v̇ of every body
/// are known wherever a row is multiplied. Unilateral contacts keep their index.
class System {
 public:
  virtual ~System() = default;

  /// The data of a machine in the plane; never null, empty where the model has none.
  [[nodiscard]] virtual const model::Machine& parts() const = 0;
  [[nodiscard]] virtual Index body_count() const = 0;
  /// Coordinates and velocities of all bodies.
  [[nodiscard]] Index coordinate_count() const { return mass().size(); }
  /// Of the dynamic bodies; no force moves fixed and prescribed ones.
  [[nodiscard]] virtual const MassMatrix& mass() const = 0;
  /// Takes M at a place, where it is not the same everywhere.
  virtual void take_mass(const VecX& /*q*/) const {}
  /// What impulses of a step of size h meet: M, in the plane heavier where there is drag
  /// (StepDrag), v' = v + step_mass⁻¹ (h Q(v) + impulses) with all of the drag in Q. Valid until
  /// the next call.
  [[nodiscard]] virtual const MassMatrix& step_mass(Real /*h*/, Real /*theta*/) const {
    return mass();
  }
  /// Whether it is not: Q has terms of second degree in v then.
  [[nodiscard]] virtual bool has_varying_mass() const { return false; }
  [[nodiscard]] virtual Index constraint_count() const = 0;
  [[nodiscard]] virtual Index contact_count() const = 0;
  /// Contacts of shapes; those of joints follow.
  [[nodiscard]] virtual Index shape_contact_count() const = 0;

  /// Whether it is of two shapes, not of a rope, a clearance joint or a user's own.
  [[nodiscard]] bool is_of_shapes(Index contact) const { return contact < shape_contact_count(); }
  /// The joint that makes a contact, into the machine's joints; −1 of shapes.
  [[nodiscard]] virtual Index joint_of(Index contact) const = 0;
  [[nodiscard]] virtual std::string joint_name(Index joint) const = 0;
  /// The joint, drive, axis or coupling that a constraint is of, with its kind: "joint hinge".
  [[nodiscard]] virtual std::string constraint_name(Index constraint) const = 0;
  /// Whether a constraint is one of places, Φ(q, t) = 0, or else of velocities alone: Φ is 0 then.
  [[nodiscard]] virtual bool holds_place(Index /*constraint*/) const { return true; }
  /// Whether surfaces touch in a contact, so that it has a place: not in limits of axes, and not in
  /// ropes in space, which are reported with their joints.
  [[nodiscard]] virtual bool has_place(Index /*contact*/) const { return true; }
  /// Of a contact. A rope has no friction.
  [[nodiscard]] virtual const model::InterfaceLaw& law(Index contact) const = 0;
  /// Whether rolling resistance acts: at contacts of discs, against θ̇_B − θ̇_A.
  [[nodiscard]] virtual bool can_roll(Index contact) const = 0;
  /// Whether a sharp corner slides on a sharp side that ends somewhere
  /// (ContactTerms::distance_to_edge_end).
  [[nodiscard]] virtual bool is_sharp(Index contact) const = 0;
  [[nodiscard]] virtual BodyPair bodies_of(Index contact) const = 0;
  /// The contacts that the shapes of two bodies can make. @param a < b. @return a count of 0 if
  /// they cannot touch.
  [[nodiscard]] virtual ShapePair shape_pair(Index a, Index b) const = 0;
  /// The broad phase: pairs whose circles (bounding_radius()), each wider by its body's margin, may
  /// meet.
  /// @param margin [m] ≥ 0, per body. @param pairs out: in the order of their contacts.
  virtual void near_pairs(const VecX& q, const VecX& margin,
                          std::vector<ShapePair>& pairs) const = 0;
  /// The contacts of those pairs, and all of joints, rising.
  void near_contacts(const VecX& q, const VecX& margin, std::vector<Index>& contacts) const;
  /// How deep two shapes are in each other [m], ≤ 0 if they are not: that of the shapes as a whole,
  /// which cross without a corner inside the other too (geometry::separation). Not less than minus
  /// the distance of the circles around them.
  [[nodiscard]] virtual Real overlap(const ShapePair& pair, const VecX& q) const = 0;

  /// Sets q, v and v̇ of the prescribed bodies at a time; v̇ of fixed ones to 0.
  virtual void prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const = 0;
  /// Q(t, q, v): gravity, drag, force elements; no contact, no joint friction. Over a span laws of
  /// time have their means.
  virtual void force(const model::TimeSpan& time, const VecX& q, const VecX& v, VecX& Q) const = 0;
  /// Springs and dampers of force elements, for schemes that take them at the end of a step. A line
  /// has the rows of for_each_line_row.
  virtual void elastic_rows(const VecX& /*q*/, std::vector<ElasticRow>& rows) const {
    rows.clear();
  }
  /// Q(t, q, v) without them.
  virtual void given_force(const model::TimeSpan& time, const VecX& q, const VecX& v,
                           VecX& Q) const {
    force(time, q, v, Q);
  }
  virtual void constraints(Real time, const VecX& q, const VecX& v,
                           ConstraintTerms& terms) const = 0;
  [[nodiscard]] virtual Real gap(Index contact, const VecX& q) const = 0;
  /// A lower bound of a gap that costs next to nothing: that of the circles around the shapes, of
  /// a circle and a half-plane; −∞ of two half-planes, and of joints.
  [[nodiscard]] virtual Real gap_bound(Index contact, const VecX& q) const = 0;
  virtual void contact(Index contact, const VecX& q, const VecX& v, ContactTerms& terms) const = 0;
  /// The same with a side of A continued beyond its ends as a line, so that it is smooth where the
  /// stages of a step pass them. The side is told as by
  /// ContactTerms::side; −1: the one that is there.
  virtual void contact_on_side(Index contact, Index /*side*/, const VecX& q, const VecX& v,
                               ContactTerms& terms) const {
    this->contact(contact, q, v, terms);
  }

  /// q̇ of velocities. In the plane it is v. In space a body has in q the place of its centre of
  /// mass and a rotation vector x, R = R₀ exp(x), in v its velocity and Ω in its own frame, and
  /// ẋ = J_r(x)⁻¹ Ω (`bruls_2010`).
  virtual void coordinate_rate(const VecX& /*q*/, const VecX& v, VecX& rate) const { rate = v; }
  /// q ← q ∘ (s M⁻¹ rowᵀ), to first order in s.
  virtual void displace(const JacobianRow& row, Real s, VecX& q) const {
    apply_impulse(row, s, mass(), q);
  }
  /// Coordinates count from here on where they count from a place: R₀ ← R₀ exp(x), x ← 0, and
  /// whole turns of axes are counted.
  virtual void recount(Real /*time*/, VecX& /*q*/) {}
  /// The longest time in which velocities about these do not turn a body too far for recount() [s].
  [[nodiscard]] virtual Real longest_step(const VecX& /*v*/) const {
    return std::numeric_limits<Real>::infinity();
  }
  /// The largest coordinate [m]: what rounding of gaps is a share of.
  [[nodiscard]] virtual Real length_scale(const VecX& q) const = 0;
  /// Per coordinate, what its rounding is a share of: of places the largest of them and of the
  /// bodies' radii of gyration [m], of turns their own size, at least 1 rad.
  virtual void coordinate_scale(const VecX& q, VecX& scale) const;
  /// Q += what inertia along axes adds to M v̇, less: −I q̈ aᵀ of armatures.
  virtual void add_armatures(const VecX& /*q*/, const VecX& /*v*/, const VecX& /*acceleration*/,
                             VecX& /*Q*/) const {}
  /// Σ ½ I q̇² of them [J], which is not part of kinetic_energy.
  [[nodiscard]] virtual Real armature_energy(const VecX& /*q*/, const VecX& /*v*/) const {
    return 0;
  }

  /// Numbers at whose zeros Q has a kink: bounds of efforts of motors, less the efforts.
  [[nodiscard]] virtual Index kink_count() const { return 0; }
  [[nodiscard]] virtual Real kink(Index /*i*/, Real /*time*/, const VecX& /*q*/,
                                  const VecX& /*v*/) const {
    return 0;
  }
  /// Radius of the circle about a body's centre of mass that its shape is in [m]; infinite for a
  /// half-plane.
  [[nodiscard]] virtual Real bounding_radius(Index body) const = 0;
  /// Half the smallest extent of a body's shape in its frame [m], as dynamics::RigidBodies::size();
  /// infinite for a half-plane.
  [[nodiscard]] virtual Real size(Index body) const = 0;
  /// The first time after `time` at which a law of time has a kink.
  [[nodiscard]] virtual Real next_kink(Real time) const = 0;
  /// The first time after `time` at which a velocity that is given as a function of time may jump:
  /// of a prescribed motion or a drive.
  [[nodiscard]] virtual Real next_jump(Real time) const { return next_kink(time); }

  /// Kinetic, and potential of gravity and springs [J]; prescribed bodies have none.
  [[nodiscard]] virtual Real kinetic_energy(const VecX& q, const VecX& v) const = 0;
  [[nodiscard]] virtual Real potential_energy(Real time, const VecX& q) const = 0;

  [[nodiscard]] virtual Index joint_friction_count() const = 0;
  [[nodiscard]] virtual JointFriction joint_friction(Index i) const = 0;
  virtual void joint_slip(Index i, Real time, const VecX& q, const VecX& v,
                          JointSlip& slip) const = 0;
  /// The normal force that friction i acts under, from the multipliers of all constraints: |λ| of a
  /// pin; of a guide with λ = (force, moment) the sum of |force/2 ± moment/ℓ| at its ends; and the
  /// preload.
  [[nodiscard]] virtual Real joint_normal_force(Index i, const VecX& multipliers) const = 0;
  /// What joints, then drives do under forces, and coordinates of axes in space with what acts
  /// along them.
  virtual void report(Real time, const VecX& q, const VecX& v, const HoldingForces& forces,
                      std::vector<Reaction>& reactions, std::vector<AxisReaction>& axes) const = 0;
  /// Zero rows for ropes and clearances.
  [[nodiscard]] virtual RowRange rows_of_joint(Index joint) const = 0;
  [[nodiscard]] virtual RowRange rows_of_drive(Index drive) const = 0;

  /// Coordinates and velocities of a state, with the whole turns of the internal variable
  /// model::kAngles, if it has that.
  virtual void load(const model::State& state, VecX& q, VecX& v) const = 0;
  /// The same, with coordinates that count from there on.
  virtual void begin(const model::State& state, VecX& q, VecX& v) { load(state, q, v); }
  /// Writes coordinates and velocities into a state, whose internal variables are then the angles
  /// of all bodies alone.
  virtual void store(const VecX& q, const VecX& v, model::State& state) const = 0;
};

/// The bodies of a model in the plane or in space, or its system in generalized coordinates. Both
/// arguments must outlive the system.
[[nodiscard]] std::unique_ptr<System> make_system(const model::Model& model,
                                                  const model::State& state);

}  // namespace talus::dynamics
