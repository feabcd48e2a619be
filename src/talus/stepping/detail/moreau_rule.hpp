#pragma once

#include <talus/dynamics/prescribed_motion.hpp>

namespace talus::stepping::detail {

/// Where Moreau's time stepping takes contacts, in the plane and in space: at the middle of the
/// step, or as in Jean's θ-scheme.
enum class MoreauRule : unsigned char { midpoint, jean };

/// Whether rates that are given jump within a step of size h. A jump at the end of a midpoint
/// rule's step is the next one's: its velocities are brought to the rates there.
/// @param next_jump the first one after a time.
template <class NextJump>
[[nodiscard]] bool jumps_within(MoreauRule rule, const NextJump& next_jump, Real time, Real h) {
  constexpr Real kBeforeTheEnd = 1 - 1e-9;
  return dynamics::jumps_once(
      next_jump, time, time + (rule == MoreauRule::midpoint ? kBeforeTheEnd : Real(1)) * h, h);
}

}  // namespace talus::stepping::detail
