#pragma once

#include <talus/base/types.hpp>

namespace talus::dynamics {

/// How gaps and velocities become the biases of contacts: Moreau–Jean's law at velocity level.
///
///   g̃ = g + (1 − θ) h u_N;  bias = g̃/(θ h) if g̃ > 0, else ε min(0, g + slop)/h;
///   with restitution e, if the contact approaches (u_N < 0) and closes: min(bias, e u_N).
struct BiasLaw {
  Real step_size = 0;        ///< h [s] > 0
  Real theta = 1;            ///< θ in [1/2, 1]
  Real error_reduction = 0;  ///< ε in [0, 1]
  Real slop = 0;             ///< share of the smaller body's size
};

/// Whether a contact approaches and closes in this step: what restitution asks.
[[nodiscard]] bool closes(const BiasLaw& law, Real gap, Real approach, Real free_approach);

/// The bias [m/s] of a contact. @param slop [m]. @param approach u_N before the step [m/s];
/// @param free_approach the same at the free velocities; both only used with θ < 1 or e > 0.
[[nodiscard]] Real contact_bias(const BiasLaw& law, Real gap, Real slop, Real restitution,
                                Real approach, Real free_approach);

}  // namespace talus::dynamics
