#include <talus/collision/broad_phase.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::collision {
namespace {

using geometry::Aabb;

constexpr int kBits = 21;  // of each cell coordinate in a key
constexpr Real kMaxCells =
    Real(1 << (kBits - 1));  // so that neighbours ±1 never carry into the next coordinate

std::uint64_t key_of(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return z << (2 * kBits) | y << kBits | x;
}

/// The 9 rows of 3 cells around a cell, as offsets of the key of the row's middle cell.
constexpr std::int64_t row_offset(int dy, int dz) {
  return static_cast<std::int64_t>(dz) * (std::int64_t{1} << (2 * kBits)) +
         dy * (std::int64_t{1} << kBits);
}
constexpr std::array<std::int64_t, 9> kAllRows = {
    row_offset(-1, -1), row_offset(0, -1), row_offset(1, -1), row_offset(-1, 0), row_offset(0, 0),
    row_offset(1, 0),   row_offset(-1, 1), row_offset(0, 1),  row_offset(1, 1)};
constexpr std::array<std::int64_t, 4> kRowsAhead = {row_offset(1, 0), row_offset(-1, 1),
                                                    row_offset(0, 1), row_offset(1, 1)};

/// Least-significant-digit radix sort by the value of a 64-bit function; stable; digits that all
/// agree cost one pass. Few items are compared: for them the buckets alone cost more.
template <class T, class Value>
void radix_sort_by(std::vector<T>& items, std::vector<T>& scratch, Value value) {
  constexpr std::size_t kFew = 512;
  if (items.size() < kFew) {
    std::stable_sort(items.begin(), items.end(),
                     [&](const T& a, const T& b) { return value(a) < value(b); });
    return;
  }
  constexpr int kDigit = 11;
  constexpr std::size_t kBuckets = std::size_t{1} << kDigit;
  scratch.resize(items.size());
  for (int shift = 0; shift < 64; shift += kDigit) {
    std::array<std::size_t, kBuckets> start{};
    for (const T& item : items) ++start[(value(item) >> shift) & (kBuckets - 1)];
    if (!items.empty() && start[(value(items[0]) >> shift) & (kBuckets - 1)] == items.size())
      continue;
    std::size_t sum = 0;
    for (std::size_t& count : start) sum += std::exchange(count, sum);
    for (const T& item : items) scratch[start[(value(item) >> shift) & (kBuckets - 1)]++] = item;
    items.swap(scratch);
  }
}

}  // namespace

void BroadPhase::radix_sort(std::vector<Entry>& entries) {
  radix_sort_by(entries, scratch_, [](const Entry& entry) { return entry.key; });
}

void BroadPhase::sort_pairs(std::vector<Pair>& pairs) {
  radix_sort_by(pairs, pair_scratch_,
                [](const Pair& p) { return static_cast<std::uint64_t>(p.a) << 32 | p.b; });
}

void BroadPhase::join(std::span<const Entry> queries, std::span<const Entry> targets,
                      bool same_level, std::span<const Aabb> boxes,
                      std::span<const unsigned char> is_movable, std::vector<Pair>& pairs) {
  const std::span<const std::int64_t> rows = same_level ? std::span<const std::int64_t>(kRowsAhead)
                                                        : std::span<const std::int64_t>(kAllRows);
  const auto join_piece = [&](Index begin, Index end, std::vector<Pair>& found) {
    const auto add = [&](std::uint32_t i, std::uint32_t j) {
      if ((is_movable[i] | is_movable[j]) && overlap(boxes[i], boxes[j]))
        found.push_back({std::min(i, j), std::max(i, j)});
    };
    const std::span<const Entry> piece = queries.subspan(begin, end - begin);
    if (same_level)  // the rest of its own cell and the next one in x follow directly
      for (Index i = begin; i < end; ++i)
        for (std::size_t j = i + 1; j < targets.size() && targets[j].key <= queries[i].key + 1; ++j)
          add(queries[i].body, targets[j].body);
    for (const std::int64_t row : rows) {
      // Both lists are sorted: the start of the row only moves forward.
      const std::uint64_t start = piece.front().key + static_cast<std::uint64_t>(row) - 1;
      std::size_t first =
          std::lower_bound(targets.begin(), targets.end(), start,
                           [](const Entry& e, std::uint64_t k) { return e.key < k; }) -
          targets.begin();
      for (const Entry& query : piece) {
        const std::uint64_t middle = query.key + static_cast<std::uint64_t>(row);
        while (first < targets.size() && targets[first].key < middle - 1) ++first;
        for (std::size_t j = first; j < targets.size() && targets[j].key <= middle + 1; ++j)
          add(query.body, targets[j].body);
      }
    }
  };
  constexpr Index kPiece = 4096;
  const auto count = static_cast<Index>(queries.size());
  const auto pieces = static_cast<std::size_t>((count + kPiece - 1) / kPiece);
  if (found_.size() < pieces) found_.resize(pieces);
  parallel::for_ranges(count, kPiece, [&](Index begin, Index end) {
    std::vector<Pair>& found = found_[begin / kPiece];
    found.clear();
    join_piece(begin, end, found);
  });
  for (std::size_t k = 0; k < pieces; ++k)
    pairs.insert(pairs.end(), found_[k].begin(), found_[k].end());
}

namespace {

Vec3 centre_of(const Aabb& box) { return 0.5 * (box.lower + box.upper); }
Real size_of(const Aabb& box) { return (box.upper - box.lower).maxCoeff(); }
bool is_empty(const Aabb& box) { return box.lower.x() > box.upper.x(); }

}  // namespace

/// Pairs with boxes that have no end: each of these against all others.
void BroadPhase::pair_unbounded(std::span<const Aabb> boxes,
                                std::span<const unsigned char> is_movable,
                                std::vector<Pair>& pairs) const {
  for (const std::uint32_t i : unbounded_)
    for (std::uint32_t j = 0; j < boxes.size(); ++j) {
      const bool is_later_unbounded =
          !geometry::is_bounded(boxes[j]) && j <= i;  // each pair of unbounded ones once
      if (is_empty(boxes[j]) || is_later_unbounded || !(is_movable[i] | is_movable[j]) ||
          !overlap(boxes[i], boxes[j]))
        continue;
      pairs.push_back({std::min(i, j), std::max(i, j)});
    }
}

/// Sorts bounded boxes into levels: cells no smaller than a box, and no more than fit into a key.
void BroadPhase::fill_levels(std::span<const Aabb> boxes, Real extent) {
  const int smallest = std::ilogb(std::max(extent / kMaxCells, Real(1e-300))) + 1;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!geometry::is_bounded(boxes[i]) || is_empty(boxes[i])) continue;
    const Real size = size_of(boxes[i]);
    const int exponent = size > 0 ? std::max(smallest, std::ilogb(size) + 1) : smallest;
    auto level = std::lower_bound(levels_.begin(), levels_.end(), exponent,
                                  [](const Level& l, int e) { return l.exponent < e; });
    if (level == levels_.end() || level->exponent != exponent)
      level = levels_.insert(level, {exponent, {}});
    level->entries.push_back({0, static_cast<std::uint32_t>(i)});
  }
  std::erase_if(levels_, [](const Level& level) { return level.entries.empty(); });
}

/// Joins every level with itself and with all coarser ones. @param low the least centre.
void BroadPhase::join_levels(std::span<const Aabb> boxes, const Vec3& low,
                             std::span<const unsigned char> is_movable, std::vector<Pair>& pairs) {
  const auto set_keys = [&](std::vector<Entry>& entries, int exponent) {
    for (Entry& entry : entries) {
      const Vec3 cell = (centre_of(boxes[entry.body]) - low) * std::ldexp(Real(1), -exponent);
      entry.key =
          key_of(static_cast<std::uint64_t>(cell.x()) + 1, static_cast<std::uint64_t>(cell.y()) + 1,
                 static_cast<std::uint64_t>(cell.z()) + 1);
    }
    radix_sort(entries);
  };
  for (Level& level : levels_) set_keys(level.entries, level.exponent);
  for (std::size_t fine = 0; fine < levels_.size(); ++fine) {
    join(levels_[fine].entries, levels_[fine].entries, true, boxes, is_movable, pairs);
    for (std::size_t coarse = fine + 1; coarse < levels_.size(); ++coarse) {
      queries_ = levels_[fine].entries;
      set_keys(queries_, levels_[coarse].exponent);
      join(queries_, levels_[coarse].entries, false, boxes, is_movable, pairs);
    }
  }
}

void BroadPhase::find(std::span<const Aabb> boxes, std::span<const unsigned char> is_movable,
                      std::vector<Pair>& pairs) {
  TALUS_DEMAND_EQ(boxes.size(), is_movable.size());
  pairs.clear();
  unbounded_.clear();
  for (Level& level : levels_) level.entries.clear();

  Vec3 low = Vec3::Constant(std::numeric_limits<Real>::infinity()), high = -low;
  bool has_bounded = false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (is_empty(boxes[i])) continue;
    if (!geometry::is_bounded(boxes[i])) {
      unbounded_.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    has_bounded = true;
    low = low.cwiseMin(centre_of(boxes[i]));
    high = high.cwiseMax(centre_of(boxes[i]));
  }
  pair_unbounded(boxes, is_movable, pairs);
  if (has_bounded) {
    fill_levels(boxes, (high - low).maxCoeff());
    join_levels(boxes, low, is_movable, pairs);
  }
  sort_pairs(pairs);
}

}  // namespace talus::collision
