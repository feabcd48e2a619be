#pragma once

#include <numbers>

#include <talus/stepping/event_driven/options.hpp>

namespace talus::stepping::event_driven {

/// Baumgarte's stabilisation: Φ̈ + α Φ̇ + β Φ = 0 on bilateral constraints and closed gaps,
/// γ̇ + α γ = 0 on sticking contacts. All 0: none.
struct Baumgarte {
  Real alpha = 0;  ///< [1/s]
  Real beta = 0;   ///< [1/s²]
};

/// The one that options ask for: α = 1/h, β = √2/h where they give none, h the internal step; of
/// the squared form, Φ̈ + 2α Φ̇ + β² Φ = 0, the two coefficients.
[[nodiscard]] inline Baumgarte baumgarte_of(const MachineOptions& options) {
  if (options.stabilisation != "baumgarte") return {};
  const Real alpha = options.alpha > 0 ? options.alpha : 1 / options.step;
  const Real beta = options.beta > 0 ? options.beta : std::numbers::sqrt2 / options.step;
  if (options.is_baumgarte_squared) return {2 * alpha, beta * beta};
  return {alpha, beta};
}

}  // namespace talus::stepping::event_driven
