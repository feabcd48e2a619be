#pragma once

#include <cstdint>
#include <variant>

#include <talus/base/types.hpp>
#include <talus/math/vector.hpp>

/// Models of dry friction: the tangential force F_T against the slip velocity v and the normal
/// force F_N, of surfaces and of joints.
namespace talus::model {

using MaterialIndex = std::uint16_t;

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

/// ∂F/∂F_N of dahl_force; at F_N = 0 its limit, μ sgn(way).
[[nodiscard]] Real dahl_force_by_normal(const FrictionModel& law, Real force, Real way,
                                        Real normal_force);

}  // namespace talus::model
