#pragma once

#include <span>

#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// By how much the impulses of contacts raise the kinetic energy of an island, over what they do to
/// and fro: the largest of
///   Σ (r·(u_free + u') + m·(w_free + w'))/2 / Σ ‖r‖ (‖u_free‖ + ‖u'‖)/2  [-]
/// over the islands, u without biases, less what rounding makes of velocities; 0 where no island's
/// energy is raised.
///
/// Velocities are formed anew, v' = v_free + M⁻¹ (Jᵀ r + Jᵀ m + Σ partᵀ λ); what joints and the
/// laws of their axes do is not counted. With joints v_free are the velocities that these and the
/// springs of their axes alone lead to: between them and v' they do no work but to and fro, where
/// without their impulses a lever that gravity presses against a stop falls away from it. Islands
/// are bodies that contacts with impulses, or rows, join through movable ones.
/// @param impulse r, m and λ of every contact and row. @param alone λ of every row without
/// contacts, 0 of those with bounds; empty: there are none.
/// @return infinite if the rows without bounds do not hold with these.
/// Cost O(contacts + rows + bodies).
[[nodiscard]] Real raised_energy(const problem::RigidContact& problem,
                                 const problem::ContactImpulses& impulse,
                                 std::span<const Real> alone = {});

}  // namespace talus::certify
