#pragma once

#include <talus/math/vector.hpp>

namespace talus::stepping {

/// The generalised-α method (`chung_1993`), of second order with the least damping of low
/// frequencies for a ρ_∞ of the highest: with a the accelerations and A what the method takes of
/// them,
///   (1 − α_m) A₁ + α_m A₀ = (1 − α_f) a₁ + α_f a₀,                                        (1)
///   q₁ = q₀ + h v₀ + h² ((½ − β) A₀ + β A₁),   v₁ = v₀ + h ((1 − γ) A₀ + γ A₁).           (2)
/// index_3 has constraints at position level with it (`arnold_2007`, in space `bruls_2010`), the
/// engine of event_driven accelerations from which they are eliminated.
struct GeneralizedAlpha {
  Real alpha_m, alpha_f, gamma, beta;

  /// @param rho_infinity ρ_∞ in [0, 1]: 0 damps the highest frequencies at once, 1 not at all.
  constexpr explicit GeneralizedAlpha(Real rho_infinity)
      : alpha_m((2 * rho_infinity - 1) / (rho_infinity + 1)),
        alpha_f(rho_infinity / (rho_infinity + 1)),
        gamma(0.5 - alpha_m + alpha_f),
        beta((gamma + 0.5) * (gamma + 0.5) / 4) {}

  /// ∂A₁/∂a₁.
  [[nodiscard]] constexpr Real acceleration_weight() const { return (1 - alpha_f) / (1 - alpha_m); }
  /// A₁ of (1).
  [[nodiscard]] VecX algorithmic(const VecX& a1, const VecX& a0, const VecX& A0) const {
    return ((1 - alpha_f) * a1 + alpha_f * a0 - alpha_m * A0) / (1 - alpha_m);
  }
  /// q₁ − q₀ of (2).
  [[nodiscard]] VecX way(Real h, const VecX& v0, const VecX& A0, const VecX& A1) const {
    return h * v0 + h * h * ((0.5 - beta) * A0 + beta * A1);
  }
  /// v₁ of (2).
  [[nodiscard]] VecX velocity(Real h, const VecX& v0, const VecX& A0, const VecX& A1) const {
    return v0 + h * ((1 - gamma) * A0 + gamma * A1);
  }
};

}  // namespace talus::stepping
