#pragma once

#include <string>
#include <vector>

#include <talus/dynamics/system.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping {

/// Constraints that no motion satisfies together.
struct InconsistentConstraints {
  std::vector<std::string> owners;          ///< what they are of: "joint a", "drive b"; each once
  std::vector<std::size_t> joints, drives;  ///< in the plane: the same, by their places
  [[nodiscard]] bool is_empty() const { return owners.empty(); }
  /// "joint a, drive b".
  [[nodiscard]] std::string names() const;
};

/// Finds them; empty if there are none.
///
/// Looks only where constraints depend on each other: whether q, v and v̇ can be brought on all of
/// them (least squares, `dynamics::ConstraintProjection`), and where not, whose are left violated
/// by more than 1e-6 of 1 + the coordinates, velocities or accelerations about. Not with couplings
/// of more than two bodies. Cost O(constraints³).
[[nodiscard]] InconsistentConstraints contradiction(const dynamics::System& machine, Real time,
                                                    const VecX& q, const VecX& v);

/// The same in words, "no motion satisfies these together …: joint a, drive b"; empty if there is
/// no contradiction.
[[nodiscard]] std::string why_no_motion(const dynamics::System& machine, Real time, const VecX& q,
                                        const VecX& v);

/// The sentence for names that are known.
[[nodiscard]] std::string no_motion_satisfies(const std::string& names);

/// Ends a step whose constraints cannot be met: stalled or, where no motion satisfies them
/// together, a numerical error with their names and the energy of the state before it; nothing is
/// averaged. @param why the sentence, or "". @return whether the run ends.
[[nodiscard]] bool ends_unmet(const std::string& why, const model::Model& model,
                              const model::State& before, StepReport& report);

}  // namespace talus::stepping
