#pragma once

#include <string>
#include <vector>

#include <talus/dynamics/planar_machine.hpp>

namespace talus::stepping::machine {

/// Joints and drives that no motion satisfies together, by their places in the machine.
struct Contradiction {
  std::vector<std::size_t> joints, drives;
  [[nodiscard]] bool is_empty() const { return joints.empty() && drives.empty(); }
  /// "joint a, drive b".
  [[nodiscard]] std::string names(const model::Machine& machine) const;
};

/// Finds them; empty if there are none.
///
/// Looks only where constraints depend on each other: whether q, v and v̇ can be brought on all of
/// them (least squares, `dynamics::Projection`), and where not, whose are left violated by more
/// than 1e-6 of 1 + the coordinates, velocities or accelerations about. Cost O(constraints³).
[[nodiscard]] Contradiction contradiction(const dynamics::PlanarMachine& machine,
                                          const model::Model& model, Real time, const VecX& q,
                                          const VecX& v);

}  // namespace talus::stepping::machine
