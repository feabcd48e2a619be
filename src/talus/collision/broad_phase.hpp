#pragma once

#include <functional>
#include <span>
#include <vector>

#include <talus/collision/contact.hpp>

namespace talus::collision {

/// Whether a pair of overlapping boxes is wanted, a < b.
using Keeps = std::function<bool(Pair)>;

/// All pairs of overlapping boxes of which at least one is movable, found in time linear in their
/// number.
///
/// Boxes are sorted into grids by size, one grid per power of two (a hierarchical grid: a box looks
/// in its own and in every coarser grid that is occupied), each grid being a sorted list of cell
/// keys that is walked, not a table, so that memory does not depend on the extent of the scene.
/// Unbounded boxes (planes) are tested against all others. Cost O(N·levels + pairs) with radix
/// sorts; memory about 40 B per box and 8 B per pair.
class BroadPhase {
 public:
  /// @param boxes     one per body, no NaN (contract); may be infinite. An empty one (lower >
  /// upper) meets nothing.
  /// @param is_movable one per body.
  /// @param pairs     out: a < b, sorted by (a, b), each once. Independent of anything but the
  /// boxes and what is kept. @param keeps which of them are wanted: called on all threads, and on
  /// the one rank that has found a pair; empty: all are.
  void find(std::span<const geometry::Aabb> boxes, std::span<const unsigned char> is_movable,
            std::vector<Pair>& pairs, const Keeps& keeps = {});

 private:
  struct Entry {
    std::uint64_t key;
    std::uint32_t body;
  };
  struct Level {
    int exponent;                // cell size 2^exponent [m]
    std::vector<Entry> entries;  // sorted by (key, body)
  };
  geometry::Aabb bound(std::span<const geometry::Aabb> boxes);
  void pair_unbounded(std::span<const geometry::Aabb> boxes,
                      std::span<const unsigned char> is_movable);
  [[nodiscard]] bool is_wanted(Pair pair) const { return !*keeps_ || (*keeps_)(pair); }
  void fill_levels(std::span<const geometry::Aabb> boxes, Real extent);
  void sort_into_cells(std::span<const geometry::Aabb> boxes, const Vec3& low, int exponent,
                       std::vector<Entry>& entries);
  void join_levels(std::span<const geometry::Aabb> boxes, const Vec3& low,
                   std::span<const unsigned char> is_movable);
  void join(std::span<const Entry> queries, std::span<const Entry> targets, bool same_level,
            std::span<const geometry::Aabb> boxes, std::span<const unsigned char> is_movable);

  const Keeps* keeps_ = nullptr;  // of this search
  std::vector<Level> levels_;
  std::vector<Entry> scratch_, queries_;
  std::vector<std::uint32_t> unbounded_;
  std::vector<Pair> pair_scratch_;
  std::vector<int> exponent_;  // of each box's level
  std::size_t found_count_ = 0;
  std::vector<std::vector<Pair>> found_;             // by pieces of the boxes or queries, so many
  std::vector<std::vector<std::uint32_t>> numbers_;  // by pieces of the boxes, as the others
  std::vector<std::vector<int>> exponents_;
  std::vector<std::vector<Entry>> entries_;
};

}  // namespace talus::collision
