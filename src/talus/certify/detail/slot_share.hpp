#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <talus/certify/detail/add_by_islands.hpp>
#include <talus/distribute/shared_lists.hpp>

namespace talus::certify::detail {

/// Which slots of a rigid problem this rank judges: whole pieces of
/// add_by_islands, so that sums are added in the order of one rank. It has nothing in common with
/// the tiles that ranks sweep.
class SlotShare {
 public:
  SlotShare() = default;  ///< alone
  /// Alone where this thread has no ranks, where there is one piece, and where the sums of the
  /// islands would be more to send than there is to judge.
  SlotShare(Index slots, Index islands) {
    constexpr Index kSlotsPerIsland = 32;
    if (slots <= kNumbersPerPiece || kSlotsPerIsland * islands > slots) return;
    ranks_ = distribute::ranks();
    if (ranks_ == nullptr) return;
    const Index pieces = (slots + kNumbersPerPiece - 1) / kNumbersPerPiece;
    for (const std::size_t piece :
         distribute::begins_of_ranks(static_cast<std::size_t>(pieces), ranks_->count()))
      begin_.push_back(std::min(static_cast<Index>(piece) * kNumbersPerPiece, slots));
  }
  [[nodiscard]] bool is_shared() const { return ranks_ != nullptr; }
  /// Whether some of the slots [begin, end) are of this rank.
  [[nodiscard]] bool has(Index begin, Index end) const {
    if (!is_shared()) return true;
    const auto own = static_cast<std::size_t>(ranks_->rank());
    return begin < begin_[own + 1] && end > begin_[own];
  }
  /// Replaces numbers by the largest of all ranks, each by itself.
  void take_largest(std::span<Real> numbers) const {
    if (is_shared()) ranks_->take_largest(numbers);
  }

  /// Visits the items that have slots of this rank, on all threads: item i has those from first(i)
  /// up to first(i + 1).
  template <class First, class Visit>
  void for_each(Index items, const First& first, const Visit& visit) const {
    Index begin = 0, end = items;
    if (is_shared()) {
      const auto own = static_cast<std::size_t>(ranks_->rank());
      begin = std::max<Index>(first_from(items, first, begin_[own] + 1) - 1, 0);
      end = std::max(begin, first_from(items, first, begin_[own + 1]));
    }
    parallel::for_each(end - begin, [&](Index i) { visit(begin + i); });
  }
  /// Makes what was found of the items known to all ranks: of each by that of its first slot.
  template <class Item, class First>
  void complete(std::span<Item> items, const First& first) const {
    if (!is_shared()) return;
    const auto count = static_cast<Index>(items.size());
    std::vector<std::size_t> begin(1, 0);
    for (std::size_t r = 1; r + 1 < begin_.size(); ++r)
      begin.push_back(static_cast<std::size_t>(first_from(count, first, begin_[r])));
    begin.push_back(items.size());
    distribute::gather(*ranks_, items, begin);
  }

 private:
  /// The first item that begins at a slot or behind it.
  template <class First>
  static Index first_from(Index items, const First& first, Index slot) {
    Index low = 0, high = items;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (first(middle) < slot)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  distribute::Ranks* ranks_ = nullptr;
  std::vector<Index> begin_;  // first slot of every rank, and the end
};

}  // namespace talus::certify::detail
