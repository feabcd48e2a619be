#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace talus::problem {

/// The law between the impulse r and the relative velocity u of a contact; K_μ = {‖r_T‖ ≤ μ r_N}.
enum class FrictionLaw : unsigned char {
  coulomb,  ///< exact Coulomb: K_μ ∋ r ⟂ u + μ‖u_T‖ n ∈ K_μ* (De Saxcé & Feng 1998)
  maximum_dissipation,  ///< u_N = 0 and the least kinetic energy over K_μ (Preclik et al. 2017)
  cone_complementarity,  ///< K_μ ∋ r ⟂ u ∈ K_μ*: convex; sliding lifts off (Anitescu & Tasora 2010)
  polyhedral,            ///< Coulomb with a polygon for the disc (Stewart & Trinkle 1996)
  frictionless           ///< 0 ≤ u_N ⟂ r_N ≥ 0, r_T = 0, whatever μ says
};

inline constexpr std::array<FrictionLaw, 5> kFrictionLaws = {
    FrictionLaw::coulomb, FrictionLaw::maximum_dissipation, FrictionLaw::cone_complementarity,
    FrictionLaw::polyhedral, FrictionLaw::frictionless};

/// Whether a polygon of so many sides can stand for the friction disc: even, from 4 to
/// kMostDirections.
inline constexpr int kMostDirections = 1000;
[[nodiscard]] constexpr bool is_direction_count(long directions) noexcept {
  return directions >= 4 && directions <= kMostDirections && directions % 2 == 0;
}

/// True for the laws that are Coulomb's where the block is A = diag(a, δ, δ), as of two balls:
/// their closed form is that of Coulomb's law.
[[nodiscard]] constexpr bool is_coulomb_between_balls(FrictionLaw law) noexcept {
  return law == FrictionLaw::coulomb || law == FrictionLaw::maximum_dissipation;
}

/// The enumerator's name, e.g. "maximum_dissipation".
[[nodiscard]] std::string_view to_string(FrictionLaw law) noexcept;

/// The law of this name, if there is one.
[[nodiscard]] std::optional<FrictionLaw> friction_law(std::string_view name) noexcept;

}  // namespace talus::problem
