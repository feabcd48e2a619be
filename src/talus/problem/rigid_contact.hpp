#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <talus/math/contact_frame.hpp>
#include <talus/problem/friction_contact.hpp>

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

/// A contact whose normal passes through both centres, between bodies of isotropic inertia: spheres
/// with each other and with anything fixed. The one-contact block is diagonal, A = diag(a, δ, δ),
/// and has a closed-form solution. One cache line.
struct alignas(64) CentralContact {
  Vec3 normal = Vec3::UnitZ();  ///< n, unit, from A to B, world
  Real bias = 0;                ///< added to the normal relative velocity [m/s]: gap/h, restitution
  Real inverse_normal = 0;      ///< 1/a [kg], a = 1/m_A + 1/m_B
  Real inverse_tangential = 0;  ///< 1/δ [kg], δ = a + ℓ_A²/I_A + ℓ_B²/I_B
  Real friction = 0;            ///< μ ≥ 0
  std::uint32_t body_a = 0, body_b = 0;
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

/// Frictional contact between rigid bodies, exact Coulomb friction in 3-D, never assembled.
///
/// Find impulses r (world vectors, on B; −r acts on A) with, for every contact,
///   v = v_free + M⁻¹ Jᵀ r,   u = J v + bias n,   K_μ ∋ r ⟂ û ∈ K_μ*,   û = u + μ‖u_T‖ n,
/// where J v = v_B + s_B × arm_B − v_A − s_A × arm_A. A central contact has arm_A = n, arm_B = −n.
/// Contacts are counted central ones first, then general ones.
struct RigidContact {
  std::vector<BodyVelocity>
      bodies;  ///< with the free velocities: after forces, before contact impulses
  std::vector<Mat3>
      inverse_inertia;  ///< ℓ² I⁻¹ [1/kg], world; one per body if there are general contacts
  std::vector<Real> length;  ///< ℓ [m] > 0, one per body
  std::vector<CentralContact> central;
  std::vector<GeneralContact> general;

  [[nodiscard]] Index contact_count() const {
    return static_cast<Index>(central.size() + general.size());
  }
  void clear();

  /// Completes the derived fields (1/a, 1/δ) of a central contact from its bodies and adds it.
  /// At least one of the bodies must be movable (contract).
  void add_central(CentralContact contact);
};

/// The one-contact block A = J M⁻¹ Jᵀ of a general contact, 3×3 SPD [1/kg], in world axes.
[[nodiscard]] Mat3 contact_block(const RigidContact& problem, const GeneralContact& contact);

/// Adds contact impulses (world vectors, one per contact) to the bodies' velocities: v += M⁻¹ Jᵀ r.
/// @param velocity one per body, e.g. a copy of problem.bodies.
void apply_impulses(const RigidContact& problem, std::span<const Vec3> impulse,
                    std::span<BodyVelocity> velocity);

/// The same problem in global form: unknowns are the velocities (v, s) of the movable bodies, six
/// per body. Contact frames are contact_frame(n); what immovable bodies and the bias contribute is
/// in w. `bodies` receives the index of each row block's body. Cost O(bodies + contacts).
[[nodiscard]] GlobalFrictionContact to_global(const RigidContact& problem,
                                              std::vector<Index>* bodies = nullptr);

/// A rule that gives the contact frame (n, t1, t2), as columns, from the unit normal.
using FrameRule = Mat3 (*)(const Vec3& normal);

/// The same problem in local form, W = J M⁻¹ Jᵀ assembled block by block in the frames of a rule.
/// Cost O(Σ over bodies of (contacts of the body)²).
[[nodiscard]] FrictionContact to_local(const RigidContact& problem,
                                       FrameRule frame = contact_frame);

/// World impulses from contact-frame impulses of to_local (same rule) or to_global (contact_frame),
/// and back.
[[nodiscard]] std::vector<Vec3> impulses_to_world(const RigidContact& problem, const VecX& r,
                                                  FrameRule frame = contact_frame);
[[nodiscard]] VecX impulses_to_frames(const RigidContact& problem, const std::vector<Vec3>& r,
                                      FrameRule frame = contact_frame);

/// Everything a conversion needs to know of contact c in one form, whatever its kind.
struct ContactView {
  Vec3 normal, arm_a, arm_b;
  Real bias, friction;
  Index body_a, body_b;
};
[[nodiscard]] ContactView view(const RigidContact& problem, Index contact);

}  // namespace talus::problem
