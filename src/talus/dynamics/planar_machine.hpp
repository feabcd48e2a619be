#pragma once

#include <vector>

#include <talus/model/machine.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// A row of a Jacobian that touches at most two bodies: rate = a · v_A + b · v_B with
/// v = (ẋ, ẏ, θ̇) of a body.
struct PlanarRow {
  Index body_a = -1, body_b = -1;  ///< model indices; −1: none
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();

  /// rate, or its change by v̇. @param v (ẋ, ẏ, θ̇) of every body.
  [[nodiscard]] Real times(const VecX& v) const {
    return (body_a < 0 ? 0 : a.dot(v.segment<3>(3 * body_a))) +
           (body_b < 0 ? 0 : b.dot(v.segment<3>(3 * body_b)));
  }
  /// v += rowᵀ s.
  void add_to(VecX& v, Real s) const {
    if (body_a >= 0) v.segment<3>(3 * body_a) += s * a;
    if (body_b >= 0) v.segment<3>(3 * body_b) += s * b;
  }
};

/// The bilateral constraints Φ(q, t) = 0 at a time, configuration and velocity; arrays keep their
/// capacity from call to call.
struct ConstraintTerms {
  std::vector<PlanarRow> rows;  ///< Φ_q
  VecX value;                   ///< Φ; angles in (−π, π]
  VecX rate;                    ///< Φ̇ = Φ_q v + Φ_t
  VecX drift;                   ///< Φ̈ = Φ_q v̇ + drift
};

/// A unilateral contact at a time, configuration and velocity, exact to round-off.
struct ContactTerms {
  Real gap = 0;            ///< g [m]
  PlanarRow normal;        ///< ġ = normal · v, velocities of prescribed bodies in v
  PlanarRow tangent;       ///< slip velocity = tangent · v
  Real gap_rate = 0;       ///< ġ [m/s]
  Real slip = 0;           ///< [m/s]
  Real normal_drift = 0;   ///< g̈ = normal · v̇ + normal_drift [m/s²]
  Real tangent_drift = 0;  ///< the slip's rate = tangent · v̇ + tangent_drift [m/s²]
  Vec2 position = Vec2::Zero(), direction = Vec2::UnitY();  ///< where, and the normal from A to B
};

/// Planar bodies with joints, drives and force elements, in absolute coordinates.
///
/// q has (x, y, θ) of every body in the model's order, fixed and prescribed ones included: these
/// have inverse mass 0 and follow their motion, so that v and v̇ of everybody are known wherever a
/// row is multiplied. The equations of motion are
///   M v̇ = Q(t, q, v) + Φ_qᵀ λ + W_N F_N + W_T F_T.
/// Unilateral contacts are listed once and keep their index: shapes in pairs as in PlanarSystem,
/// except bodies that a joint connects; then ropes and clearance joints in the joints' order.
/// Nothing here allocates after the first call of each function.
class PlanarMachine {
 public:
  /// Both must outlive the machine. The poses of fixed bodies are taken from the state.
  /// @param model dimension 2 (contract); `machine` may be null.
  PlanarMachine(const model::Model& model, const model::State& state);

  [[nodiscard]] Index body_count() const;
  [[nodiscard]] Index coordinate_count() const { return 3 * body_count(); }
  /// 1/m, 1/m, 1/J per body; 0 for fixed and prescribed ones.
  [[nodiscard]] const VecX& inverse_mass() const;
  [[nodiscard]] Index constraint_count() const;
  [[nodiscard]] Index contact_count() const;
  /// Of a contact, never null.
  [[nodiscard]] const model::SurfaceLaw& surface(Index contact) const;

  /// Sets q, v and v̇ of the prescribed bodies at a time; v̇ of fixed ones to 0.
  void prescribe(Real time, VecX& q, VecX& v, VecX& acceleration) const;
  /// Q(t, q, v): gravity, drag, force elements; no contact, no joint friction.
  void force(Real time, const VecX& q, const VecX& v, VecX& Q) const;
  void constraints(Real time, const VecX& q, const VecX& v, ConstraintTerms& terms) const;
  [[nodiscard]] Real gap(Index contact, const VecX& q) const;
  void contact(Index contact, const VecX& q, const VecX& v, ContactTerms& terms) const;
  /// The first time after `time` at which a law of time has a corner.
  [[nodiscard]] Real next_corner(Real time) const;

  /// Kinetic, and potential of gravity and springs [J]; prescribed bodies have none.
  [[nodiscard]] Real kinetic_energy(const VecX& v) const;
  [[nodiscard]] Real potential_energy(Real time, const VecX& q) const;

  /// Joint friction: the slip velocity and its row, and which constraint rows bear on it.
  struct JointSlip {
    Index joint = 0;  ///< into Machine::joints
    PlanarRow row;  ///< generalised slip velocity (pin: r (θ̇_B − θ̇_A), guide: along the axis)
    Real slip = 0, drift = 0;    ///< its value [m/s], its rate = row · v̇ + drift
    Index first_constraint = 0;  ///< rows whose reaction presses: two
  };
  [[nodiscard]] Index joint_friction_count() const;
  void joint_slip(Index i, const VecX& q, const VecX& v, JointSlip& slip) const;

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
};

}  // namespace talus::dynamics
