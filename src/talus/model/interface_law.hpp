#pragma once

#include <talus/model/friction_model.hpp>
#include <talus/model/normal_law.hpp>

namespace talus::model {

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
