#pragma once

#include <span>

#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// The rows of a machine where no contact acts: what the work of contacts is counted from.
struct MachineAlone {
  /// λ of every row [N·s]: 0 of those that resist; of a motor at one of its bounds that of the
  /// answer, with all others as constraints, springs and motors inside their bounds have them then.
  std::span<const Real> impulse;
  /// Of every row, 1: it acts against motion alone, as contacts do: a limit, a rope, dry friction.
  std::span<const unsigned char> resists;
};

/// By how much the impulses of contacts, and of rows that resist as they do, raise the kinetic
/// energy of an island, over what they do to and fro: the largest of
///   (Σ (r·(u_free + u') + m·(w_free + w')) + Σ λ (w_free + w'))/2
///     / (Σ ‖r‖ (‖u_free‖ + ‖u'‖ + h a) + Σ |λ| (|w_free| + |w'| + h a))/2  [-]
/// over the islands, u and w without biases, h a what forces change velocities by (force_speed),
/// less what rounding makes of velocities; 0 where no island's energy is raised. Without
/// restitution no law of contact or axis raises it, whatever the other rows do.
///
/// The pull of cohesion is a force: r is r + c n, and v_free has the pulls −c n.
///
/// Velocities are formed anew, v' = v_free + M⁻¹ (Jᵀ r + Jᵀ m + Σ partᵀ λ). With a machine v_free
/// are the velocities that its other rows, joints, springs, motors, alone lead to: between them and
/// v' these do no work but to and fro, where without their impulses a lever that gravity presses
/// against a stop falls away from it. Islands are bodies that contacts with impulses, or rows, join
/// through movable ones.
/// @param impulse r, m and λ of every contact and row. @param alone of the rows, if there are any.
/// @return infinite if a row does not hold with the impulses alone.
/// Cost O(contacts + rows + bodies).
[[nodiscard]] Real raised_energy(const problem::RigidContact& problem,
                                 const problem::ContactImpulses& impulse,
                                 const MachineAlone& alone = {});

}  // namespace talus::certify
