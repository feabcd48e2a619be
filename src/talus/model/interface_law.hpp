#pragma once

#include <cstdint>
#include <variant>

#include <talus/base/types.hpp>
#include <talus/math/vector.hpp>

namespace talus::model {

using MaterialIndex = std::uint16_t;

// ---- friction: F_T against the slip velocity v, F_N the normal force
// -----------------------------

/// Set-valued Coulomb friction: −μ F_N sgn v in slip, anything up to μ₀ F_N in stick.
struct CoulombFriction {
  Real static_friction = 0;  ///< μ₀ ≥ μ; 0 stands for μ
};

/// Set-valued Stribeck friction: −[μ + (μ₀ − μ) exp(−|v/v_s|^δ)] F_N sgn v in slip, up to μ₀ F_N in
/// stick.
struct StribeckFriction {
  Real static_friction = 0;  ///< μ₀ ≥ μ; 0 stands for μ
  Real velocity = 0;         ///< v_s > 0 [m/s]
  Real exponent = 2;         ///< δ > 0
};

/// −μ F_N tanh(v/v_d). No stick.
struct TanhFriction {
  Real velocity = 0;  ///< v_d > 0 [m/s]
};

/// −(2/π) μ F_N atan(v/v_d). No stick.
struct AtanFriction {
  Real velocity = 0;  ///< v_d > 0 [m/s]
};

/// −c_d(|v|) μ F_N sgn v, c_d rising linearly from 0 at v₀ to 1 at v₁. No stick.
struct PiecewiseLinearFriction {
  Real from = 0;  ///< v₀ ≥ 0 [m/s]
  Real to = 0;    ///< v₁ > v₀ [m/s]
};

/// Dahl: F_T = −F, dF/dx = σ (1 − (F/F_c) sgn v)^a, F_c = μ F_N. F is a state of its own.
struct DahlFriction {
  Real stiffness = 0;  ///< σ > 0 [N/m]
  Real exponent = 1;   ///< a ≥ 1
};

using FrictionKind = std::variant<CoulombFriction, StribeckFriction, TanhFriction, AtanFriction,
                                  PiecewiseLinearFriction, DahlFriction>;

/// Friction of an interface, or of a joint: how it depends on slip, direction and turning.
struct FrictionModel {
  Real coefficient = 0;  ///< μ ≥ 0, kinetic; along the grain, if there is one
  Real viscous = 0;      ///< c_v ≥ 0 [N s/m]: −c_v v more, in slip
  Real rolling = 0;      ///< μ_r ≥ 0 [m]: a moment of at most μ_r F_N against rolling
  FrictionKind kind;
  Real torsion = 0;           ///< μ_s ≥ 0 [m]: the same about the normal, in space
  Vec3 grain = Vec3::Zero();  ///< unit, fixed to a body of the material grain_of, the one with the
                              ///< smaller index if both are; 0: friction is alike in all directions
  Real across = 0;            ///< μ₂ ≥ 0 across the grain
  MaterialIndex grain_of = 0;
};

/// Whether the law has a set-valued stick state: contacts under it are held until μ₀ F_N is
/// reached.
[[nodiscard]] bool has_stick(const FrictionModel& law);
/// μ₀: the largest |F_T|/F_N in stick; without a stick state μ.
[[nodiscard]] Real static_friction(const FrictionModel& law);
/// F_T [N] in slip at the velocity v [m/s] and normal force F_N ≥ 0 [N]; the viscous part included.
/// At v = 0 of a law with stick: 0. Not Dahl's (its force is a state): only the viscous part there.
[[nodiscard]] Real slip_force(const FrictionModel& law, Real velocity, Real normal_force);
/// Its derivative with respect to v [N s/m]: at v = 0 of a law with stick, that of either side; at
/// a corner of a piecewise linear one, that of the faster side.
[[nodiscard]] Real slip_force_slope(const FrictionModel& law, Real velocity, Real normal_force);
/// Ḟ of Dahl's state at the slip velocity v; contract: DahlFriction. Where |F| > F_c (the normal
/// force has fallen) the power keeps its base's sign, so that slip takes F back to F_c. F_c = 0: Ḟ
/// that takes F to 0 is not defined, the state is 0 there.
[[nodiscard]] Real dahl_rate(const FrictionModel& law, Real force, Real velocity,
                             Real normal_force);
/// Dahl's state after a slip of `way` [m], in closed form; contract: DahlFriction.
/// @param force before; F_c = 0: 0 after.
[[nodiscard]] Real dahl_force(const FrictionModel& law, Real force, Real way, Real normal_force);

// ---- normal force: against the gap
// ---------------------------------------------------------------

/// 0 ≤ g ⟂ F_N ≥ 0, with impacts.
struct RigidNormal {};

/// F_N = K δⁿ, δ = −g > 0.
struct HertzNormal {
  Real stiffness = 0;   ///< K > 0 [N/mⁿ]
  Real exponent = 1.5;  ///< n ≥ 1
};

/// F_N = K δⁿ (1 + χ δ̇), not below 0. χ from the coefficient of restitution e and the velocity v of
/// approach at the start of the contact: Hunt–Crossley 3(1 − e)/(2v), Lankarani–Nikravesh
/// 3(1 − e²)/(4v), Flores 8(1 − e)/(5 e v).
struct DampedNormal {
  enum class Kind : unsigned char { hunt_crossley, lankarani_nikravesh, flores };
  Kind kind = Kind::hunt_crossley;
  Real stiffness = 0;  ///< K > 0 [N/mⁿ]
  Real exponent = 1.5;
  Real restitution = 0;  ///< e in [0, 1], above 0 for Flores
};

/// F_N = K δⁿ + c δ δ̇, not below 0 (Wang & Wang 2015).
struct ViscousNormal {
  Real stiffness = 0;  ///< K > 0 [N/mⁿ]
  Real exponent = 1.5;
  Real damping = 0;  ///< c ≥ 0 [N s/m²]
};

using NormalLaw = std::variant<RigidNormal, HertzNormal, DampedNormal, ViscousNormal>;

[[nodiscard]] bool is_rigid(const NormalLaw& law);
/// F_N ≥ 0 [N] of a compliant law (contract).
/// @param penetration δ [m]; ≤ 0: no force. @param rate δ̇ [m/s].
/// @param impact_rate δ̇ at the start of the contact [m/s]; only DampedNormal depends on it. It is
/// undamped where that is not positive: its χ is defined for an impact.
[[nodiscard]] Real normal_force(const NormalLaw& law, Real penetration, Real rate,
                                Real impact_rate);
/// The same with its derivatives, for implicit methods: 0 where there is no penetration, and where
/// the force is kept from pulling.
struct NormalForce {
  Real value = 0;           ///< [N]
  Real by_penetration = 0;  ///< ∂F_N/∂δ [N/m]
  Real by_rate = 0;         ///< ∂F_N/∂δ̇ [N s/m]
};
[[nodiscard]] NormalForce normal_force_slopes(const NormalLaw& law, Real penetration, Real rate,
                                              Real impact_rate);
/// The conservative part's energy, K δⁿ⁺¹/(n + 1) [J].
[[nodiscard]] Real stored_energy(const NormalLaw& law, Real penetration);

// ---- impact of rigid contacts
// --------------------------------------------------------------------

/// Restitution of the normal and the tangential velocity, by velocities (Newton) or by impulses
/// (Poisson).
struct ImpactLaw {
  bool is_poisson = false;
  Real restitution = 0;             ///< ε_N in [0, 1]
  Real tangential_restitution = 0;  ///< ε_T in [0, 1]
};

/// What happens where two materials touch, in the plane and in space, and in a joint with play.
struct InterfaceLaw {
  FrictionModel friction;
  NormalLaw normal;
  ImpactLaw impact;
  Real cohesion = 0;  ///< [N] ≥ 0: the largest pull of one contact point between bodies that touch

  /// Whether contacts in space transmit more than Coulomb friction alike in all directions and
  /// Newton's restitution of the normal velocity.
  [[nodiscard]] bool resists_more() const;
  /// Whether some of it is a function of place and velocity, or depends on how it was before:
  /// compliant, regularised, viscous, or of another coefficient in stick.
  [[nodiscard]] bool is_function() const;
};

/// Coulomb friction and Newton's restitution of rigid bodies. @param friction μ ≥ 0.
/// @param restitution e in [0, 1].
[[nodiscard]] InterfaceLaw coulomb_law(Real friction, Real restitution = 0);

}  // namespace talus::model
