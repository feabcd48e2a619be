#pragma once

#include <string>

#include <talus/dynamics/system.hpp>

namespace talus::stepping::detail {

/// "joint rail does not hold: …" where a constraint has been left out that depends on no other and
/// is not met; "" where there is none. Whether it depends is counted anew
/// (certify::JointCertifier); it is met where it misses less than tolerance::kViolated of the
/// magnitudes that its rate of change is the sum of. O(constraints) where nothing is left out.
/// @param rank constraints that the scheme has eliminated as independent ones.
/// @param motion what the constraints' rows are multiplied with: accelerations, or velocities.
/// @param given what is added: drifts, or prescribed rates.
[[nodiscard]] std::string why_left_out(const dynamics::System& machine,
                                       const dynamics::ConstraintTerms& terms, Index rank,
                                       const VecX& motion, const VecX& given);

}  // namespace talus::stepping::detail
