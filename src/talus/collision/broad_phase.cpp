#include <talus/collision/broad_phase.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include <talus/base/contract.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

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

constexpr Index kBoxesPerPiece = 2048, kQueriesPerPiece = 1024;

Vec3 centre_of(const Aabb& box) { return 0.5 * (box.lower + box.upper); }
Real size_of(const Aabb& box) { return (box.upper - box.lower).maxCoeff(); }
bool is_empty(const Aabb& box) { return box.lower.x() > box.upper.x(); }

}  // namespace

/// Sorted by their cells. @param exponent of the size of these.
void BroadPhase::sort_into_cells(std::span<const Aabb> boxes, const Vec3& low, int exponent,
                                 std::vector<Entry>& entries) {
  const Real inverse = std::ldexp(Real(1), -exponent);
  parallel::for_ranges(static_cast<Index>(entries.size()), kBoxesPerPiece,
                       [&](Index begin, Index end) {
                         for (Index i = begin; i < end; ++i) {
                           const Vec3 cell = (centre_of(boxes[entries[i].body]) - low) * inverse;
                           entries[i].key = key_of(static_cast<std::uint64_t>(cell.x()) + 1,
                                                   static_cast<std::uint64_t>(cell.y()) + 1,
                                                   static_cast<std::uint64_t>(cell.z()) + 1);
                         }
                       });
  distribute::sort_by(entries, scratch_, [](const Entry& entry) { return entry.key; });
}

void BroadPhase::join(std::span<const Entry> queries, std::span<const Entry> targets,
                      bool same_level, std::span<const Aabb> boxes,
                      std::span<const unsigned char> is_movable) {
  const std::span<const std::int64_t> rows = same_level ? std::span<const std::int64_t>(kRowsAhead)
                                                        : std::span<const std::int64_t>(kAllRows);
  const auto join_piece = [&](Index begin, Index end, std::vector<Pair>& found) {
    const auto add = [&](std::uint32_t i, std::uint32_t j) {
      const Pair pair{std::min(i, j), std::max(i, j)};
      if ((is_movable[i] | is_movable[j]) && overlap(boxes[i], boxes[j]) && is_wanted(pair))
        found.push_back(pair);
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
  const auto count = static_cast<Index>(queries.size());
  const std::size_t before = found_count_;
  found_count_ += (count + kQueriesPerPiece - 1) / kQueriesPerPiece;
  if (found_.size() < found_count_) found_.resize(found_count_);
  const auto pieces = std::span(found_).subspan(before, found_count_ - before);
  distribute::make_lists(
      pieces,
      [&](Index k, std::vector<Pair>& found) {
        const Index begin = k * kQueriesPerPiece;
        join_piece(begin, std::min(begin + kQueriesPerPiece, count), found);
      },
      distribute::DealBy::in_turn);
}

/// Finds which boxes are there and which of them have no end. @return the box of the others'
/// centres, empty without any.
Aabb BroadPhase::bound(std::span<const Aabb> boxes) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const auto count = static_cast<Index>(boxes.size());
  const Aabb nothing{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
  std::vector<Aabb> bounds((count + kBoxesPerPiece - 1) / kBoxesPerPiece, nothing);
  const auto look_at = [&](Index i, std::vector<std::uint32_t>& unbounded) {
    if (is_empty(boxes[i])) return;
    if (!geometry::is_bounded(boxes[i])) return unbounded.push_back(static_cast<std::uint32_t>(i));
    Aabb& own = bounds[i / kBoxesPerPiece];
    own.lower = own.lower.cwiseMin(centre_of(boxes[i]));
    own.upper = own.upper.cwiseMax(centre_of(boxes[i]));
  };
  parallel::concatenate(parallel::list_pieces(count, kBoxesPerPiece, numbers_, look_at),
                        unbounded_);
  Aabb all = nothing;
  for (const Aabb& own : bounds) {
    all.lower = all.lower.cwiseMin(own.lower);
    all.upper = all.upper.cwiseMax(own.upper);
  }
  return all;
}

/// Pairs with boxes that have no end: each of these against all others.
void BroadPhase::pair_unbounded(std::span<const Aabb> boxes,
                                std::span<const unsigned char> is_movable) {
  if (unbounded_.empty()) return;
  const auto pair_with_all = [&](Index k, std::vector<Pair>& found) {
    const auto j = static_cast<std::uint32_t>(k);
    if (is_empty(boxes[j])) return;
    for (const std::uint32_t i : unbounded_) {
      const bool is_later_unbounded =
          !geometry::is_bounded(boxes[j]) && j <= i;  // each pair of unbounded ones once
      const Pair pair{std::min(i, j), std::max(i, j)};
      if (!is_later_unbounded && (is_movable[i] | is_movable[j]) && overlap(boxes[i], boxes[j]) &&
          is_wanted(pair))
        found.push_back(pair);
    }
  };
  found_count_ = distribute::list_pieces(static_cast<Index>(boxes.size()), kBoxesPerPiece, found_,
                                         pair_with_all)
                     .size();
}

/// Sorts bounded boxes into levels: cells no smaller than a box, and no more than fit into a key.
void BroadPhase::fill_levels(std::span<const Aabb> boxes, Real extent) {
  constexpr int kNone = std::numeric_limits<int>::max();
  const int smallest = std::ilogb(std::max(extent / kMaxCells, Real(1e-300))) + 1;
  const auto count = static_cast<Index>(boxes.size());
  const auto exponent_of = [&](const Aabb& box) {
    if (!geometry::is_bounded(box) || is_empty(box)) return kNone;
    const Real size = size_of(box);
    return size > 0 ? std::max(smallest, std::ilogb(size) + 1) : smallest;
  };
  exponent_.resize(boxes.size());
  const auto look_at = [&](Index i, std::vector<int>& seen) {
    const int exponent = exponent_[i] = exponent_of(boxes[i]);
    if (exponent != kNone && std::find(seen.rbegin(), seen.rend(), exponent) == seen.rend())
      seen.push_back(exponent);
  };
  std::set<int> exponents;
  for (const auto& seen : parallel::list_pieces(count, kBoxesPerPiece, exponents_, look_at))
    exponents.insert(seen.begin(), seen.end());
  levels_.resize(exponents.size());
  auto level = levels_.begin();
  for (const int exponent : exponents) {
    level->exponent = exponent;
    const auto take = [&](Index i, std::vector<Entry>& entries) {
      if (exponent_[i] == exponent) entries.push_back({0, static_cast<std::uint32_t>(i)});
    };
    parallel::concatenate(parallel::list_pieces(count, kBoxesPerPiece, entries_, take),
                          level->entries);
    ++level;
  }
}

/// Joins every level with itself and with all coarser ones. @param low the least centre.
void BroadPhase::join_levels(std::span<const Aabb> boxes, const Vec3& low,
                             std::span<const unsigned char> is_movable) {
  for (Level& level : levels_) sort_into_cells(boxes, low, level.exponent, level.entries);
  for (std::size_t fine = 0; fine < levels_.size(); ++fine) {
    join(levels_[fine].entries, levels_[fine].entries, true, boxes, is_movable);
    for (std::size_t coarse = fine + 1; coarse < levels_.size(); ++coarse) {
      parallel::assign(std::span<const Entry>(levels_[fine].entries), queries_);
      sort_into_cells(boxes, low, levels_[coarse].exponent, queries_);
      join(queries_, levels_[coarse].entries, false, boxes, is_movable);
    }
  }
}

void BroadPhase::find(std::span<const Aabb> boxes, std::span<const unsigned char> is_movable,
                      std::vector<Pair>& pairs, const Keeps& keeps) {
  TALUS_DEMAND_EQ(boxes.size(), is_movable.size());
  keeps_ = &keeps;
  found_count_ = 0;
  const Aabb centres = bound(boxes);
  pair_unbounded(boxes, is_movable);
  if (!is_empty(centres)) {
    fill_levels(boxes, (centres.upper - centres.lower).maxCoeff());
    join_levels(boxes, centres.lower, is_movable);
  }
  parallel::concatenate(std::span<const std::vector<Pair>>(found_).first(found_count_), pairs);
  distribute::sort_by(pairs, pair_scratch_,
                      [](const Pair& p) { return static_cast<std::uint64_t>(p.a) << 32 | p.b; });
}

}  // namespace talus::collision
