#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <talus/math/vector.hpp>
#include <talus/model/interface_law.hpp>

namespace talus::model {

/// A unilateral contact of a Lagrangian system at one configuration: f(q) ≥ 0 with dry friction.
struct LagrangianContact {
  Real gap = 0;   ///< f(q) [m], negative where the constraint is violated
  VecX normal;    ///< n = ∂f/∂q, one entry per coordinate
  MatX tangents;  ///< coordinates × t: the slip velocity is tangentsᵀ v; t = 0 without friction
  MatX directions;    ///< t × k friction directions as combinations of the tangents, with −d for
                      ///< every d; empty: ± where t = 1, k directions at equal angles where t = 2
  Real friction = 0;  ///< μ ≥ 0
  /// Coordinates that the normal and the tangents are of, rising; the others do not move the
  /// contact. Empty: of all.
  std::vector<Index> coordinates = {};
  Real restitution = 0;  ///< e in [0, 1] of the normal velocity, of schemes that have impacts
};

/// Friction without a unilateral contact: a bearing, a gear box, a slider in its guide.
struct LagrangianJoint {
  MatX tangents;    ///< coordinates × t: the slip velocity is tangentsᵀ v, t = 1 or 2
  MatX directions;  ///< as in LagrangianContact
  Real bound = 0;   ///< largest friction force or moment [N or N·m] ≥ 0
  /// Where it is not Coulomb's: the law of the slip velocity under a normal force of `bound`. Not
  /// supported by the one-LCP schemes.
  std::optional<FrictionModel> law = {};
};

/// By how much a motion turns the rows of a contact.
struct LagrangianDrift {
  Real normal = 0;  ///< (d/dt n) · v, what f̈ has besides n · v̇ [m/s²]
  VecX tangents;    ///< (d/dt tangents)ᵀ v
};

/// Bilateral constraints Φ(q) = 0, or Φ(q, t) = 0, at one configuration.
struct LagrangianBilateral {
  VecX value;      ///< Φ(q), one entry per constraint
  MatX gradient;   ///< coordinates × constraints: column i is ∂Φᵢ/∂q
  VecX rate = {};  ///< ∂Φᵢ/∂t, of constraints that change in time; empty: none does
};

/// Springs with dampers along coordinates s(q) at one configuration: each exerts
/// −∂s/∂q (k s + d ṡ).
struct LagrangianSprings {
  VecX stretch;             ///< s, one entry per spring
  MatX gradient;            ///< coordinates × springs: column i is ∂sᵢ/∂q
  VecX stiffness, damping;  ///< k, d ≥ 0, not both 0
};

/// A contact that a system meets on a way, and where.
struct LagrangianMeeting {
  Index contact = 0;
  VecX q;  ///< the configuration at which its gap and normal hold
};

/// A mechanical system in generalized coordinates, as a user writes it down.
///
///   M(q) v̇ = k(q, v, t) + contact, joint and constraint forces,   q̇ = v.
/// Derive from it, give the coordinates, M and k, and of the rest what the system has. All vectors
/// have one entry per coordinate, in SI units. The functions are called several times per step at
/// different q; they must be pure, and contacts keep their index for ever. Nothing else is asked:
/// f need not be a distance, tangents need not be orthogonal.
/// Assumed, not checked: normal the gradient of gap (a wrong gradient shows as penetration, or as a
/// fixed point that does not converge).
/// Source: `stewart_1996`, sections 2 and 3.
class LagrangianSystem {
 public:
  virtual ~LagrangianSystem() = default;

  /// Number of coordinates n ≥ 1.
  [[nodiscard]] virtual Index coordinate_count() const = 0;
  /// Mass matrix M(q), n×n, symmetric positive definite. Of a system of many bodies, whose M has
  /// blocks of one width w on its diagonal alone: n×w, the blocks one below the other.
  [[nodiscard]] virtual MatX mass(const VecX& q) const = 0;
  /// M + h C, in the form of mass(), where k(q, v, t) has a drag −C v that steps of size h of the
  /// one-LCP schemes take with the velocity that they end with. M, unless a system says so.
  [[nodiscard]] virtual MatX step_mass(const VecX& q, Real /*h*/) const { return mass(q); }
  /// Forces k(q, v, t) with everything but constraints and friction, the terms of a varying M
  /// included: k = −∂V/∂q − Ṁ v + ½ ∂(vᵀ M v)/∂q + ….
  [[nodiscard]] virtual VecX force(const VecX& q, const VecX& v, Real time) const = 0;
  /// What time steps of size h take of them: those of the middle, where a system does not
  /// return their mean over the step. @param time of the start.
  [[nodiscard]] virtual VecX step_force(const VecX& q, const VecX& v, Real time, Real h) const {
    return force(q, v, time + h / 2);
  }

  /// Springs and dampers that force() does not have: time stepping takes them at the end of a step,
  /// however stiff. Their number may be another one at another q. None, unless a system says so.
  [[nodiscard]] virtual LagrangianSprings springs(const VecX& q) const;

  /// Number of unilateral contacts, the same for all q.
  [[nodiscard]] virtual Index contact_count() const { return 0; }
  /// Contact i at q, 0 ≤ i < contact_count().
  [[nodiscard]] virtual LagrangianContact contact(Index i, const VecX& q) const;
  /// The gap f_i(q) alone, asked for far more often than all of the contact.
  [[nodiscard]] virtual Real gap(Index i, const VecX& q) const { return contact(i, q).gap; }

  /// The law of contact i where it is more than the friction and the restitution that contact()
  /// gives: compliant, regularised, with stick, of Poisson's impacts. Not supported by the
  /// one-LCP schemes.
  [[nodiscard]] virtual std::optional<InterfaceLaw> law(Index i) const;

  /// Contacts whose gap at q may be 0 or less, rising: all, unless a system says better.
  virtual void near_contacts(const VecX& q, std::vector<Index>& contacts) const;

  /// Contacts that a system meets which goes straight on from q to q_end: bodies that would be
  /// beyond each other there, or in each other by more than a share `tolerance` of the smaller one.
  /// Without it nothing is looked for but gaps below 0 at q_end.
  [[nodiscard]] virtual std::vector<LagrangianMeeting> meetings(const VecX& q, const VecX& q_end,
                                                                Real tolerance) const;

  /// When a contact is formed that is linearised at q before a step: at time 0, or at a t > 0 [s],
  /// at q + t v, if the contact there holds all the way and that of q would stop what passes it.
  [[nodiscard]] virtual Real contact_time(Index i, const VecX& q, const VecX& v,
                                          Real step_size) const;

  /// Bilateral constraints. Of redundant ones the impulses with the smallest Σ D_ii λ_i² are
  /// found, D = J M⁻¹ Jᵀ.
  [[nodiscard]] virtual LagrangianBilateral bilateral(const VecX& q) const;
  /// The same of a system whose constraints change in time, which then gives this one.
  [[nodiscard]] virtual LagrangianBilateral bilateral_at(const VecX& q, Real time) const;
  /// Joints with dry friction, the same number for all q.
  [[nodiscard]] virtual std::vector<LagrangianJoint> joints(const VecX& q) const;

  /// d/dt of the rows of contact i along q̇ = v, times v, v held. Unless a system says better by
  /// central differences of contact(), four more calls; relative error about 1e-12.
  [[nodiscard]] virtual LagrangianDrift contact_drift(Index i, const VecX& q, const VecX& v) const;
  /// d/dt of Φ_q v + Φ_t, v held: what Φ̈ has besides Φ_q v̇. By differences of bilateral_at().
  [[nodiscard]] virtual VecX bilateral_drift(const VecX& q, const VecX& v, Real time) const;
  /// The same of the tangents of all joints, one after another.
  [[nodiscard]] virtual VecX joint_drift(const VecX& q, const VecX& v) const;
  /// Of each coordinate a change that turns rows by about a radian, > 0: differences are taken over
  /// a thousandth of it. 1 [m, rad].
  [[nodiscard]] virtual VecX scale() const;
  /// A length of the system, > 0: overlaps are judged as shares of it. 1 [m].
  [[nodiscard]] virtual Real length() const { return 1; }
  /// The first time after `time` at which k or Φ has a kink [s].
  [[nodiscard]] virtual Real next_kink(Real /*time*/) const {
    return std::numeric_limits<Real>::infinity();
  }

  /// Potential energy V(q) [J], that of springs() included, for energy balances only.
  [[nodiscard]] virtual Real potential(const VecX& q) const;
  /// Whether nothing gives the system energy: T + V does not rise, with contacts left out, whatever
  /// it does. Steps in which it rises all the same are not certified then (stepping::judge_energy).
  /// Not of drives, forces of time, constraints that change in time, or without potential().
  [[nodiscard]] virtual bool is_passive() const { return false; }
};

/// Throws InputError: a scheme does not support what a system has. @param what "restitution of a
/// contact". @param instead what does.
[[noreturn]] void refuse_feature(const std::string& what, const std::string& scheme,
                                 const std::string& instead);

/// Throws InputError, with what was expected, where a function of a system gave the wrong shape.
/// @param what "M(q)".
void demand_shape(const char* what, Index rows, Index columns, const Eigen::Ref<const MatX>& found);

/// M(q) of a system, or what step_mass() makes of it in a step of size h. Throws InputError where
/// its shape is wrong, or |M_ij − M_ji| > 1e-9 √|M_ii M_jj| of two entries: half of M would be left
/// out. The terms of a sum Jᵀ M J have magnitudes of at most √(M_ii M_jj) together, so that
/// rounding stays below by far. Cost: mass() and O(n w).
[[nodiscard]] MatX mass_of(const LagrangianSystem& system, const VecX& q, Real h = 0);

}  // namespace talus::model
