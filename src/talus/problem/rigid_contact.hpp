#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <talus/math/contact_frame.hpp>
#include <talus/problem/bounded_rows.hpp>
#include <talus/problem/central_batch.hpp>
#include <talus/problem/contact_colouring.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::distribute {
class Deal;
}

namespace talus::problem {

/// Velocity and inverse inertia of one body as Gauss–Seidel touches them: one cache line.
///
/// The angular velocity is stored as the spin s = ℓ ω [m/s] with a length ℓ of the body (a sphere's
/// radius), so that all six components share a unit and a sphere's contact points need no arm: v ±
/// s × n.
struct alignas(64) BodyVelocity {
  Vec3 v = Vec3::Zero();  ///< of the centre of mass [m/s], world
  Real inverse_mass = 0;  ///< [1/kg]; 0 for bodies that forces do not move
  Vec3 s = Vec3::Zero();  ///< spin ℓ ω [m/s], world
  Real inverse_inertia =
      0;  ///< ℓ²/I [1/kg] of a body with isotropic inertia I; unused by general contacts
};

/// A contact whose normal passes through both centres, between bodies of isotropic inertia (or
/// immovable ones): spheres with each other and with anything fixed. Its block is diagonal,
/// A = diag(a, δ, δ), and it has a closed-form solution.
struct CentralContact {
  Vec3 normal = Vec3::UnitZ();  ///< n, unit, from A to B, world
  Real bias = 0;                ///< added to the normal relative velocity [m/s]: gap/h, restitution
  Real friction = 0;            ///< μ ≥ 0
  std::uint32_t body_a = 0, body_b = 0;
  Real arm = 1;  ///< α > 0: the impulse acts at α n from A's centre, at −α n from B's, over ℓ [-]
};

/// Central contacts as the kernels want them: in batches of eight, in tiles, in colours of tiles.
struct CentralContacts {
  std::vector<CentralBatch> batches;
  std::vector<std::uint32_t> slot;     ///< of every contact: 8 · batch + lane
  std::vector<unsigned char> is_late;  ///< of every contact (ContactColouring::build); may be empty
  std::vector<Vec3> place;             ///< of every body when they were laid out [m]; may be empty
  std::vector<Tile> tiles;             ///< in order of their colours
  std::vector<std::uint32_t> colours;  ///< tiles of colour c: colours[c] … colours[c + 1] − 1
  /// A number that each layout has for itself, and copies of it too: with equal ones all of the
  /// above are equal, and so are the bodies in the batches; 0: none.
  std::uint64_t layout = 0;
  /// Which rank has which tile, where ranks share this layout; null: not dealt out.
  std::shared_ptr<distribute::Deal> deal;

  [[nodiscard]] Index size() const { return static_cast<Index>(slot.size()); }
  [[nodiscard]] CentralContact at(Index contact) const;
  /// @param arm α of CentralContact.
  void set(Index contact, const Vec3& normal, Real bias, Real arm = 1);
};

/// Impulses of all contacts of a problem, world vectors on body B [N·s].
struct ContactImpulses {
  std::vector<ImpulseBatch> central;  ///< one per batch; 0 in empty lanes
  std::vector<Vec3> general;
  std::vector<Vec3> moment;  ///< of the general contacts [N·s·m]; empty without resistance
  std::vector<Real> row;     ///< λ of the rows of joints [N·s]

  [[nodiscard]] bool empty() const { return central.empty() && general.empty(); }
};

/// Any other contact of two rigid bodies.
struct GeneralContact {
  Vec3 normal = Vec3::UnitZ();  ///< n, unit, from A to B, world
  Real bias = 0;                ///< added to the normal relative velocity [m/s]
  Vec3 arm_a = Vec3::Zero();    ///< (contact point − centre of mass)/ℓ of A [-], world
  Vec3 arm_b = Vec3::Zero();    ///< the same of B
  Real friction = 0;            ///< μ ≥ 0
  std::uint32_t body_a = 0, body_b = 0;
};

/// What a general contact has beside friction that is alike in all directions, and restitution:
/// other bounds of its force, a compliance, moments.
struct Resistance {
  Vec3 slip_bias = Vec3::Zero();  ///< added to the relative velocity, in the tangent plane [m/s]
  Vec3 axis = Vec3::Zero();  ///< t1, unit, along which the contact's μ holds; 0: in all directions
  Real friction_across = 0;  ///< μ₂ ≥ 0 along t2 = n × t1
  Real rolling = 0;          ///< μ_r ≥ 0 [m]
  Real torsion = 0;          ///< μ_s ≥ 0 [m]
  Real cohesion = 0;         ///< c ≥ 0 [N·s]: pulls by no more than this
  Vec3 drag = Vec3::Zero();  ///< d ⟂ n [N·s]: on B, whatever the contact bears
  /// C [1/kg], world: C p is added to the relative velocity. Symmetric, positive semidefinite, with
  /// n as an eigenvector; C n = 0 where the contact is cohesive.
  Mat3 compliance = Mat3::Zero();
};

/// Frictional contact between rigid bodies in 3-D, never assembled; exact Coulomb friction unless
/// `law` says otherwise.
///
/// Find impulses r (world vectors, on B; −r acts on A) with, for every contact,
///   v = v_free + M⁻¹ Jᵀ r,   u = J v + bias n,   K_μ ∋ r ⟂ û ∈ K_μ*,   û = u + μ‖u_T‖ n,
/// where J v = v_B + s_B × arm_B − v_A − s_A × arm_A. A central contact has arm_A = α n, arm_B = −α
/// n. Contacts are counted central ones first, then general ones.
///
/// With resistance, general contacts have moments m too (on B; −m acts on A), and with
/// p = r + c n − d, u = J v + bias n + slip_bias + C p and the relative angular velocity w =
/// s_B/ℓ_B − s_A/ℓ_A, the law holds between p and u, with an ellipse of half axes μ p_N and μ₂ p_N
/// for the disc; and
///   m_T is the largest opponent of w_T in ‖m_T‖ ≤ μ_r p_N, m_N that of w_N in |m_N| ≤ μ_s p_N.
/// μ_r and μ_s are known to Coulomb's law alone.
///
/// Joints and the laws of their axes are rows (bounded_rows.hpp), v = v_free + M⁻¹ (Jᵀ r + Σ partᵀ
/// λ).
struct RigidContact {
  std::vector<BodyVelocity>
      bodies;  ///< with the free velocities: after forces, before contact impulses
  std::vector<Mat3>
      inverse_inertia;  ///< ℓ² I⁻¹ [1/kg], world; one per body if there are general contacts
  std::vector<Real> length;  ///< ℓ [m] > 0, one per body
  std::vector<Vec3> place;   ///< where the bodies are [m]: orders sweeps over general contacts, no
                             ///< more; may be empty
  CentralContacts central;
  std::vector<GeneralContact> general;
  std::vector<Resistance> resistance;      ///< one per general contact, or none at all
  BoundedRows rows;                        ///< of joints; with them no contact is central
  std::vector<BodyVelocity> before;        ///< velocities before the step, by which a guess of rows
                                           ///< is looked at, no more; may be empty
  FrictionLaw law = FrictionLaw::coulomb;  ///< polygons have a corner on t1 of contact_frame(n)
  Index directions = 8;                    ///< corners of the polygon: even, ≥ 4
  Real force_speed = 0;  ///< h a [m/s] ≥ 0: by how much forces change velocities in the step, at
                         ///< most; scales errors in certificates, no more

  [[nodiscard]] Index contact_count() const {
    return central.size() + static_cast<Index>(general.size());
  }
  void clear();

  /// Lays out central contacts in the order of a schedule, in place of those that are there.
  /// Normals and biases are left 0, to be filled in.
  /// @param pairs the schedule's. @param friction μ of every pair.
  void lay_out_central(const ContactColouring& schedule, std::span<const ScheduledPair> pairs,
                       std::span<const Real> friction);
};

/// The one-contact block A = J M⁻¹ Jᵀ of a general contact, 3×3 SPD [1/kg], in world axes.
[[nodiscard]] Mat3 contact_block(const RigidContact& problem, const GeneralContact& contact);

/// v_B + s_B × arm_B − v_A − s_A × arm_A of a general contact [m/s], world.
[[nodiscard]] inline Vec3 contact_velocity(const GeneralContact& contact,
                                           std::span<const BodyVelocity> velocity) {
  const BodyVelocity &a = velocity[contact.body_a], &b = velocity[contact.body_b];
  return b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a);
}

/// The frame (n, t1, t2) of a contact with resistance, as columns: t1 is its axis if it has one,
/// else that of contact_frame(n).
[[nodiscard]] Mat3 resistance_frame(const GeneralContact& contact, const Resistance& resistance);

/// The block of a general contact for r and m together, 6×6 in world axes: (u, w) = A (r, m), its
/// compliance included.
[[nodiscard]] Mat6 resistance_block(const RigidContact& problem, Index general);

/// w of a row for bodies with these velocities [m/s].
[[nodiscard]] inline Real row_rate(const RigidContact& problem, Index row,
                                   std::span<const BodyVelocity> velocity) {
  Real rate = problem.rows.bias[row];
  problem.rows.for_each_part(row, [&](const RowPart& of) {
    const BodyVelocity& body = velocity[of.body];
    rate += of.part.head<3>().dot(body.v) + of.part.tail<3>().dot(body.s);
  });
  return rate;
}

/// Adds impulses to the bodies' velocities: v += M⁻¹ (Jᵀ r + Σ partᵀ λ), and the moments.
/// @param velocity one per body, e.g. a copy of problem.bodies.
void apply_impulses(const RigidContact& problem, const ContactImpulses& impulse,
                    std::span<BodyVelocity> velocity);

/// Impulse of one contact, counted central ones first.
[[nodiscard]] Vec3 impulse_of(const RigidContact& problem, const ContactImpulses& impulse,
                              Index contact);
void set_impulse(const RigidContact& problem, Index contact, const Vec3& r,
                 ContactImpulses& impulse);

/// p = r + c n − d of one contact: its impulse without the pull of cohesion and without drag.
[[nodiscard]] Vec3 pressing_impulse_of(const RigidContact& problem, const ContactImpulses& impulse,
                                       Index contact);
/// Adds the pulls of cohesion and drags to the bodies' velocities, v −= M⁻¹ Jᵀ (c n − d): with them
/// as forces a contact's law is that of its pressing impulse.
/// @param velocity one per body, e.g. a copy of problem.bodies.
void apply_pulls(const RigidContact& problem, std::span<BodyVelocity> velocity);

/// Changes what is added to the normal relative velocity of one contact [m/s].
void set_bias(RigidContact& problem, Index contact, Real bias);

/// Impulses 0 of the size that a problem needs.
[[nodiscard]] ContactImpulses zero_impulses(const RigidContact& problem);
/// The same in impulses that are there, whose buffers are kept.
void set_zero(const RigidContact& problem, ContactImpulses& impulse);

/// The impulses as a list in the order of the contacts, and back.
[[nodiscard]] std::vector<Vec3> listed(const RigidContact& problem, const ContactImpulses& impulse);
[[nodiscard]] ContactImpulses batched(const RigidContact& problem, std::span<const Vec3> impulse);

/// The same problem, which has no resistance and no rows (contract), in global form: unknowns are
/// the velocities (v, s) of the movable bodies, six per body. Contact frames are contact_frame(n);
/// what immovable bodies and the bias contribute is in w. `bodies` receives the index of each row
/// block's body. Cost O(bodies + contacts).
[[nodiscard]] GlobalFrictionContact to_global(const RigidContact& problem,
                                              std::vector<Index>* bodies = nullptr);

/// A rule that gives the contact frame (n, t1, t2), as columns, from the unit normal.
using FrameRule = Mat3 (*)(const Vec3& normal);

/// Whether some contact resists rolling or spinning: it has a moment.
[[nodiscard]] bool has_moments(const RigidContact& problem);

/// Whether each contact alone has a local form: none has a moment, and none has friction along one
/// axis alone.
[[nodiscard]] bool have_contacts_local_form(const RigidContact& problem);

/// Whether to_local can write a problem: its contacts have local forms, and it has no rows.
[[nodiscard]] bool has_local_form(const RigidContact& problem);

/// The force of a contact as the local form has it: p' = S⁻¹ p and u' = S u in its frame
/// (to_local). Of friction along one axis alone S has a 0: p' and u' are 0 there.
struct LocalContact {
  Mat3 basis;                                ///< the frame's columns times S
  Vec3 bias;                                 ///< u' where nothing moves [m/s]
  Eigen::Matrix<Real, 3, 6> rows_a, rows_b;  ///< u' = bias + rows_a (v, s)_A + rows_b (v, s)_B
  Real friction = 0;                         ///< μ
  Vec3 pull = Vec3::Zero();                  ///< S⁻¹ (c n − d) in the frame [N·s]
  Index body_a = 0, body_b = 0;
  Mat3 compliance = Mat3::Zero();  ///< C in the frame: C p' is added to u' [1/kg]
};
[[nodiscard]] LocalContact local_contact(const RigidContact& problem, Index contact,
                                         FrameRule frame = contact_frame);

/// The moment of a general contact with resistance: m' and w' in its frame (n, t1, t2).
struct LocalMoment {
  Mat3 basis;                                ///< resistance_frame
  Eigen::Matrix<Real, 3, 6> rows_a, rows_b;  ///< w' = rows_a (v, s)_A + rows_b (v, s)_B [rad/s]
  Real torsion = 0, rolling = 0;             ///< μ_s, μ_r [m]
};
/// @param contact counted central ones first.
[[nodiscard]] LocalMoment local_moment(const RigidContact& problem, Index contact);

/// The same problem in local form (has_local_form is a contract), W = J M⁻¹ Jᵀ assembled block by
/// block in the frames of a rule.
///
/// With resistance the unknowns are p' = S⁻¹ p in the frame of the contact, S = diag(1,
/// μ₁/μ, μ₂/μ), μ the larger one, in which the law is that of a round cone: W' = S W S, b' = S (b −
/// W c). Cost O(Σ over bodies of (contacts of the body)²).
[[nodiscard]] FrictionContact to_local(const RigidContact& problem,
                                       FrameRule frame = contact_frame);

/// World impulses from contact-frame impulses of to_local (same rule) or to_global (contact_frame),
/// and back.
[[nodiscard]] ContactImpulses impulses_to_world(const RigidContact& problem, const VecX& r,
                                                FrameRule frame = contact_frame);
[[nodiscard]] VecX impulses_to_frames(const RigidContact& problem, const ContactImpulses& impulse,
                                      FrameRule frame = contact_frame);

/// Everything a conversion needs of contact c in one form, whatever its kind.
struct ContactView {
  Vec3 normal, arm_a, arm_b;
  Real bias, friction;
  Index body_a, body_b;
};
[[nodiscard]] ContactView view(const RigidContact& problem, Index contact);

}  // namespace talus::problem
