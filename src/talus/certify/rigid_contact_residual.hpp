#pragma once

#include <span>

#include <talus/certify/certificate.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// Certificate of candidate impulses and velocities for a rigid contact problem (exact Coulomb
/// friction).
///
/// Recomputes v = v_free + M⁻¹ Jᵀ r and u = J v + bias n from the impulses alone; the solver's
/// velocities enter only equation_of_motion = ‖v − velocity‖_M / ‖v_free‖_M-like scale, so that an
/// answer whose velocities drifted from its impulses is caught. Blocks A are formed here again; the
/// derived fields of the contacts are not trusted.
/// @param impulse   r, one world vector per contact [N·s], central contacts first.
/// @param velocity  the bodies' velocities as the solver leaves them; empty: not judged.
/// Cost: two passes over the contacts, one over the bodies; allocates one velocity per body.
[[nodiscard]] Certificate certify(const problem::RigidContact& problem,
                                  std::span<const Vec3> impulse,
                                  std::span<const problem::BodyVelocity> velocity);

}  // namespace talus::certify
