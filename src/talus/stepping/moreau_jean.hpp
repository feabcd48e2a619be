#pragma once

#include <memory>

#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// Moreau–Jean time stepping at velocity level with Newton restitution (Moreau 1988, Jean 1999;
/// keys `moreau_1988`, `jean_1999`), for rigid bodies in 3-D.
///
///   M (v' − v) = h f + Jᵀ r,      x' = x + h ((1 − θ) v + θ v'),      rotation:
///   dynamics::rotate_freely from ω'
/// and, with J at the start of the step, gap g and g̃ = g + (1 − θ) h u_N, for every contact within
/// its margin
///   K_μ ∋ r ⟂ û' + bias n ∈ K_μ*,   bias = max(0, g̃)/(θh)   (not to touch before it must),
///                                   bias ≤ e u_N              where the gap would close in this
///                                   step,
/// or, with another options.law, that law in the place of the last line; a polygon has
/// options.solver.directions corners. Deviations: speculative contacts (g̃ > 0) take part, so that
/// nothing is missed between two steps; θ weighs the linear velocity only; the gyroscopic term is
/// in the rotation (energy and momentum conserving), not in f. Contacts are searched again with
/// wider margins when a body moves farther in the step than its margin; a step in which one still
/// leaves its margin is not certified. Penetration deeper than slop is taken back after the step,
/// by a displacement without velocity (detail/push_out.hpp): with e = 0 and θ = 1 no step raises
/// the energy beyond the weight that is lifted by it.
[[nodiscard]] std::unique_ptr<Scheme> make_moreau_jean(const model::Model& model,
                                                       const SchemeOptions& options);

}  // namespace talus::stepping
