#pragma once

#include <memory>

#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// Moreau–Jean time stepping at velocity level with Newton restitution (Moreau 1988, Jean 1999;
/// keys `moreau_1988`, `jean_1999`), for rigid bodies in 3-D, and for many discs in the plane
/// (planar_grains.hpp).
///
///   M (v' − v) = h f + Jᵀ r,      x' = x + h ((1 − θ) v + θ v'),      rotation:
///   dynamics::rotate_by_theta, contacts first
/// and, with J at the start of the step, gap g and g̃ = g + (1 − θ) h u_N, for every contact within
/// its margin
///   K_μ ∋ r ⟂ û' + bias n ∈ K_μ*,   bias = max(0, g̃)/(θh)   (not to touch before it must),
///                                   bias ≤ e u_N              where the gap would close in this
///                                   step,
/// or, with another options.law, that law in the place of the last line; a polygon has
/// options.solver.directions corners. Deviations: speculative contacts (g̃ > 0) take part, so that
/// nothing is missed between two steps; the gyroscopic term is in the rotation, which conserves
/// energy and momentum, not in f. Contacts are searched again with
/// wider margins when a body moves farther in the step than its margin; a step in which one still
/// leaves its margin is not certified. Penetration deeper than slop is taken back after the step,
/// by displacements without velocity (detail/push_out_rounds.hpp) until nothing is deeper than a
/// certified step allows: with e = 0 and θ = 1 no step raises the energy beyond the weight that is
/// lifted by it. Contacts that move on over their surfaces
/// lose energy in first order of h, with θ = 1/2 too, for their points are those of the start:
/// Euler's disc sinks from 30° to 8.4° and to 10.6° in 0.6 s at 1 ms
/// (docs/theory/time_stepping.md). Joints, drives and laws of axes of a machine in space are rows
/// of the same problem (detail/machine_step.hpp, docs/theory/machines_in_space.md).
[[nodiscard]] std::unique_ptr<Scheme> make_moreau_jean(const model::Model& model,
                                                       const SchemeOptions& options);

/// Moreau's midpoint time stepping (key `moreau_1988`): the θ-scheme with θ = 1/2 and its contacts
/// at the middle of the step,
///
///   q_M = free motion of q for h/2,   M (v' − v) = h f + J_Mᵀ r,   q' = free motion of q_M for h/2
///   at v',
/// free motion that of dynamics::rotate_freely, inertia, points and normals those of q_M. The law
/// is met at the end of the step, where the rows will have turned on as in its first half:
///   u' = J_M v' + c,   c = J_M v − J v   (J v at the start, u),
///   K_μ ∋ r ⟂ û' + bias n ∈ K_μ*,   bias as in moreau_jean with g̃ = max(0, g) + h/2 u_N.
/// A body that rolls has u = 0 at both ends of the step so; with rows that do not turn, c = 0.
/// Constraints of machines have J_M (v + v')/2 + Φ_t = 0, and J v' + Φ_t = 0 by a projection at the
/// end, which raises no energy; its impulses are reactions of the step. Of contacts the
/// step changes the energy by exactly ½ Σ r·(J_M v + J_M v'): normal impulses never raise it,
/// friction that sticks by no more than what u has missed, in second order. Second order where
/// contacts persist; impacts, slip that turns and drag are of first order. A contact whose features
/// are others at the middle, or whose point jumps along a line, keeps its rows; where turning rows
/// would raise the energy they turn by less (detail/bounded_restitution.hpp). Bodies that strike go
/// into each other in the first half of the step and are moved out at its end. Options and
/// everything else as in moreau_jean, but no sleeping. All contacts are general ones.
/// docs/theory/time_stepping.md has figures.
[[nodiscard]] std::unique_ptr<Scheme> make_moreau_midpoint(const model::Model& model,
                                                           const SchemeOptions& options);

}  // namespace talus::stepping
