#pragma once

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// Mechanical energy of the dynamic bodies that are there, and of springs [J]; the potential of
/// gravity is zero at the world's origin.
struct Energy {
  Real kinetic = 0;
  Real potential = 0;
  [[nodiscard]] Real total() const { return kinetic + potential; }
};

/// ½ m ‖v‖² + ½ ω·I ω of a body that moves so [J]; all in the world's frame.
[[nodiscard]] Real kinetic_energy(const model::Body& body, const Quat& orientation,
                                  const Vec3& velocity, const Vec3& angular_velocity);

/// Of one dynamic body, whether it is there or not.
[[nodiscard]] Energy energy_of(const model::Model& model, const model::State& state, Index body);

/// T = Σ ½ m v·v + ½ ω·I ω, and of armatures,  V = −Σ m g·x, and the springs of a machine (angles
/// of several turns as the internal variable `angle` has them). Cost O(bodies).
[[nodiscard]] Energy energy(const model::Model& model, const model::State& state);

/// Linear momentum Σ m v [N·s] of the dynamic bodies.
[[nodiscard]] Vec3 linear_momentum(const model::Model& model, const model::State& state);

/// Angular momentum about the world's origin Σ x × m v + I ω [N·m·s] of the dynamic bodies.
[[nodiscard]] Vec3 angular_momentum(const model::Model& model, const model::State& state);

}  // namespace talus::dynamics
