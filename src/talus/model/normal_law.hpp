#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <variant>

#include <talus/base/types.hpp>

/// Models of the normal force of a contact: rigid, or a function of the penetration and its rate.
namespace talus::model {

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
/// The rate u from which on a contact has no force, of a force that falls as u grows and is 0 where
/// the bodies no more than touch.
/// @param touching the u of that. @param fall > 0: how far below it a force is looked for first
/// [m/s].
template <class Force>
[[nodiscard]] Real opening_rate(Real touching, const Force& force, Real fall = 1e-3) {
  constexpr int kMostDoublings = 60, kBisections = 64;
  constexpr Real kRounding = 16 * std::numeric_limits<Real>::epsilon();
  fall = std::max(std::abs(touching), fall);
  if (force(touching - kRounding * fall) > 0) return touching;  // where nothing would pull
  Real with = touching - fall, none = touching;
  for (int k = 0; k < kMostDoublings && !(force(with) > 0); ++k) {
    none = with;
    fall *= 2;
    with = touching - fall;
  }
  for (int k = 0; k < kBisections; ++k)
    (force(std::midpoint(with, none)) > 0 ? with : none) = std::midpoint(with, none);
  return none;
}
/// The conservative part's energy, K δⁿ⁺¹/(n + 1) [J].
[[nodiscard]] Real stored_energy(const NormalLaw& law, Real penetration);

}  // namespace talus::model
