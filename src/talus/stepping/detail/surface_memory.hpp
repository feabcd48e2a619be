#pragma once

#include <talus/stepping/event_driven/modes.hpp>

namespace talus::stepping::detail {

/// Whether a law of a machine depends on what was before: Dahl's force, whether it stuck, how fast
/// a contact began.
[[nodiscard]] bool has_memory(const dynamics::System& machine,
                              const event_driven::FrictionElements& elements);

/// Potential energy with the springs of compliant contacts and of Dahl's friction [J].
/// @param memory Dahl's force per friction element [N].
[[nodiscard]] Real potential_energy(const dynamics::System& machine,
                                    const event_driven::FrictionElements& elements, Real time,
                                    const VecX& q, const VecX& memory);

}  // namespace talus::stepping::detail
