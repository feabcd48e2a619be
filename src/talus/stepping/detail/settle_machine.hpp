#pragma once

#include <talus/stepping/detail/machine_step.hpp>

namespace talus::stepping::detail {

/// Solves the problem of a step with a machine again until no axis is taken beyond a limit that was
/// too far to be a row, and the bounds of dry friction are those of the reactions: a fixed point,
/// damped after some rounds.
/// @param solution of the problem. @param add_rows writes the machine's rows anew. @param solve
/// solves once more into the solution.
/// @return false where bounds and reactions do not settle in 60 rounds.
template <class Solution, class AddRows, class Solve>
[[nodiscard]] bool settle(MachineStep& machine, Real tolerance, problem::RigidContact& problem,
                          const Solution& solution, AddRows add_rows, Solve solve) {
  constexpr int kMostBounds = 60, kPlainBounds = 8, kMostLimits = 5;
  constexpr Real kDamped = 0.5;  // share of a change of bounds that goes to and fro
  for (int k = 0; k < kMostLimits && machine.meets_limits(solution.velocity); ++k) {
    add_rows();
    solve();
  }
  for (int k = 0; machine.update_friction(solution.impulse, tolerance,
                                          k < kPlainBounds ? Real(1) : kDamped, problem);
       ++k) {
    if (k == kMostBounds) return false;
    solve();
  }
  return true;
}

inline constexpr const char* kUnsettledFriction =
    "the friction of joints and their reactions do not settle";

}  // namespace talus::stepping::detail
