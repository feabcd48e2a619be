#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <talus/certify/detail/add_by_islands.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/distribute/shared_lists.hpp>

namespace talus::certify::detail {

/// Which slots of a rigid problem this rank judges: whole pieces of ContactIslands::slot_runs(), so
/// that sums are added in the order of one rank. These are the tiles that it sweeps where they are
/// dealt out; consecutive pieces where not.
class SlotShare {
 public:
  SlotShare() = default;  ///< alone
  /// Alone where this thread has no ranks, where there is one piece, and where there are few slots,
  /// or the sums of the islands would be more to send than there is to judge.
  /// @param runs of all slots, a piece for each tile, then the others.
  /// @param deal of the tiles, the first ones or all, which have all slots; null: not dealt out.
  SlotShare(const IslandRuns& runs, Index islands, distribute::Deal* deal) {
    constexpr Index kSlotsPerIsland = 32;
    const Index slots = runs.bounds().back();
    if (slots <= kNumbersPerPiece || kSlotsPerIsland * islands > slots) return;
    distribute::Ranks* const with = distribute::ranks();
    if (with == nullptr || runs.piece_count() < 2) return;
    if (deal != nullptr && &deal->ranks() == with) {
      deal_ = deal;
      pieces_ = {with, deal->tiles()};
      for (std::size_t t = deal->plan().tile_count();
           t < static_cast<std::size_t>(runs.piece_count()); ++t)
        pieces_.pieces.order.push_back(t);
      pieces_.pieces.first.back() = pieces_.pieces.order.size();
      return;
    }
    pieces_ = PieceShare::in_a_row(with, runs.piece_count());
    for (const std::size_t piece : pieces_.pieces.first) begin_.push_back(runs.bounds()[piece]);
  }
  [[nodiscard]] bool is_shared() const { return pieces_.with != nullptr; }
  /// Null where tiles are not dealt out.
  [[nodiscard]] distribute::Deal* deal() const { return deal_; }
  [[nodiscard]] const PieceShare& pieces() const { return pieces_; }
  /// Whether this rank finds the numbers of a tile of central contacts: those whose sums it adds
  /// up, and those that are not dealt out, of which the last rank adds up the sums.
  [[nodiscard]] bool makes_tile(Index tile) const {
    if (!is_shared()) return true;
    const auto t = static_cast<std::size_t>(tile);
    if (deal_ != nullptr) return t >= deal_->plan().tile_count() || deal_->is_own(t);
    const auto own = static_cast<std::size_t>(pieces_.with->rank());
    return pieces_.pieces.first[own] <= t && t < pieces_.pieces.first[own + 1];
  }
  /// Makes what was found of each tile known to all ranks.
  template <class Item>
  void complete_tiles(std::span<Item> of_tiles) const {
    if (!is_shared()) return;
    if (deal_ != nullptr)
      return distribute::complete_dealt(*pieces_.with, of_tiles, pieces_.pieces);
    std::vector<std::size_t> begin;
    for (const std::size_t first : pieces_.pieces.first)
      begin.push_back(std::min(first, of_tiles.size()));
    distribute::gather(*pieces_.with, of_tiles, begin);
  }

  /// Visits the items that have slots of this rank, on all threads: item i has those from first(i)
  /// up to first(i + 1); no items where tiles are dealt out.
  template <class First, class Visit>
  void for_each(Index items, const First& first, const Visit& visit) const {
    Index begin = 0, end = items;
    if (!begin_.empty()) {
      const auto own = static_cast<std::size_t>(pieces_.with->rank());
      begin = std::max<Index>(first_from(items, first, begin_[own] + 1) - 1, 0);
      end = std::max(begin, first_from(items, first, begin_[own + 1]));
    }
    parallel::for_each(end - begin, [&](Index i) { visit(begin + i); });
  }
  /// Makes what was found of the items known to all ranks: of each by that of its first slot.
  template <class Item, class First>
  void complete(std::span<Item> items, const First& first) const {
    if (begin_.empty()) return;
    const auto count = static_cast<Index>(items.size());
    std::vector<std::size_t> begin(1, 0);
    for (std::size_t r = 1; r + 1 < begin_.size(); ++r)
      begin.push_back(static_cast<std::size_t>(first_from(count, first, begin_[r])));
    begin.push_back(items.size());
    distribute::gather(*pieces_.with, items, begin);
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

  PieceShare pieces_;
  distribute::Deal* deal_ = nullptr;
  std::vector<Index> begin_;  // first slot of every rank, and the end; empty with a deal
};

}  // namespace talus::certify::detail
