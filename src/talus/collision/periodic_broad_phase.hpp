#pragma once

#include <span>
#include <vector>

#include <talus/collision/broad_phase.hpp>
#include <talus/math/periodic_cell.hpp>

namespace talus::collision {

/// Pairs of boxes of which some images overlap in a periodic cell.
///
/// All boxes are moved into the cell by their centres, and those near a face get ghosts: images
/// moved by whole lengths. Of a shift and its reverse one is enough, so up to 13 ghosts per box
/// near a corner; far from the faces there are none. Cost that of BroadPhase for boxes and ghosts.
class PeriodicBroadPhase {
 public:
  /// As BroadPhase::find, which it is without periodic axes. Unbounded boxes are the same in all
  /// images (contract).
  /// @param pairs out: a < b, sorted by (a, b), each once however many images overlap.
  /// @param keeps as there.
  void find(std::span<const geometry::Aabb> boxes, std::span<const unsigned char> is_movable,
            const PeriodicCell& cell, std::vector<Pair>& pairs, const Keeps& keeps = {});

 private:
  void wrap(std::span<const geometry::Aabb> boxes, const PeriodicCell& cell);
  void add_ghosts(std::span<const unsigned char> is_movable, const PeriodicCell& cell);

  BroadPhase broad_phase_;
  std::vector<geometry::Aabb> boxes_;      // in the cell, then the ghosts
  std::vector<unsigned char> is_movable_;  // of them
  std::vector<std::uint32_t> owner_;       // of the ghosts
  std::vector<Pair> of_ghosts_, merged_;
};

}  // namespace talus::collision
