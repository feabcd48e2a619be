#pragma once

#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// By how much the impulses of contacts raise the kinetic energy of an island, over what they do to
/// and fro: the largest of
///   Σ (r·(u_free + u') + m·(w_free + w'))/2 / Σ ‖r‖ (‖u_free‖ + ‖u'‖)/2  [-]
/// over the islands, u without biases, less what rounding makes of velocities; 0 where no island's
/// energy is raised.
///
/// Velocities are formed anew, v' = v_free + M⁻¹ (Jᵀ r + Jᵀ m + Σ partᵀ λ); what joints and the
/// laws of their axes do is not counted. Islands are bodies that contacts with impulses, or rows,
/// join through movable ones.
/// @param impulse r, m and λ of every contact and row. Cost O(contacts + bodies).
[[nodiscard]] Real raised_energy(const problem::RigidContact& problem,
                                 const problem::ContactImpulses& impulse);

}  // namespace talus::certify
