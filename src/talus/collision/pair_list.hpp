#pragma once

#include <span>
#include <vector>

#include <talus/collision/broad_phase.hpp>

namespace talus::collision {

/// Candidate pairs that outlive a step: boxes are fattened by a skin, and the broad phase runs
/// again only when a box has left its fat box. The candidates are a superset of the overlapping
/// pairs, whatever the history.
class PairList {
 public:
  /// @param boxes one per body, with the speculative margin already in them. @param skin one per
  /// body [m] ≥ 0.
  /// @return candidate pairs, sorted by (a, b); valid until the next call.
  const std::vector<Pair>& update(std::span<const geometry::Aabb> boxes, std::span<const Real> skin,
                                  std::span<const unsigned char> is_movable);
  [[nodiscard]] Index rebuild_count() const { return rebuild_count_; }

 private:
  BroadPhase broad_phase_;
  std::vector<geometry::Aabb> fat_;
  std::vector<Pair> pairs_;
  Index rebuild_count_ = 0;
};

}  // namespace talus::collision
