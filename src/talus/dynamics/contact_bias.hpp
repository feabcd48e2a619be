#pragma once

#include <talus/base/types.hpp>

namespace talus::dynamics {

/// How gaps and velocities become the biases of contacts: Moreau–Jean's law at velocity level, and
/// the law by which penetration is taken back without velocity.
///
///   g̃ = g + (1 − θ) h u_N;  bias = max(0, g̃)/(θ h);
///   with restitution e, if the contact approaches (u_N < 0) and closes: min(bias, e u_N).
/// A bias below 0 is therefore one of restitution.
struct BiasLaw {
  Real step_size = 0;        ///< h [s] > 0
  Real theta = 1;            ///< θ in [1/2, 1]
  Real error_reduction = 0;  ///< ε in [0, 1]
  Real slop = 0;             ///< share of the smaller body's size
};

/// Whether a contact approaches and closes in this step: the condition of restitution.
[[nodiscard]] bool closes(const BiasLaw& law, Real gap, Real approach, Real free_approach);

/// The bias [m/s] of a contact. @param approach u_N before the step [m/s];
/// @param free_approach the same at the free velocities; both only used with θ < 1 or e > 0.
[[nodiscard]] Real contact_bias(const BiasLaw& law, Real gap, Real restitution, Real approach,
                                Real free_approach);

/// How far a displacement has to move the sides of a contact apart, or may bring them together,
/// over −h [m/s]: g/h if g > 0, else ε min(0, g + left)/h. @param gap after the step [m].
/// @param left penetration that is left alone [m].
[[nodiscard]] Real push_bias(const BiasLaw& law, Real gap, Real left);

}  // namespace talus::dynamics
