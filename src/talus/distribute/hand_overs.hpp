#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/distribute/tile_map.hpp>
#include <talus/math/vector.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::distribute {

/// What a sweep does, as far as sharing it needs to know: tiles, phase by phase, and the bodies
/// that each of them touches. Within a phase no two tiles touch the same movable body.
struct SweepPlan {
  std::vector<std::uint32_t> phases;  ///< tiles of phase p: phases[p] … phases[p + 1] − 1
  std::vector<std::uint32_t> first;  ///< bodies of tile t: bodies[first[t]] … bodies[first[t+1]−1]
  std::vector<std::uint32_t> bodies;  ///< may repeat; others that bodies have stand for none
  std::vector<std::uint32_t> weight;  ///< of each tile: contacts, as long as they take
  std::uint64_t layout = 0;  ///< ≠ 0: plans with this number and these phases have equal tiles
  std::vector<unsigned char> is_movable;  ///< of every body

  void clear();
  /// Ends a tile: it touches the bodies that were added since the last one.
  void add_tile(std::uint32_t contacts);
  /// More phases, behind those that are there.
  /// @param bounds the tiles of phase p are those from bounds[p] up to bounds[p + 1], from 0;
  /// empty: no phase.
  void add_phases(std::span<const std::uint32_t> bounds);
  [[nodiscard]] bool is_touched(std::uint32_t body) const {
    return body < is_movable.size() && is_movable[body] != 0;
  }
  [[nodiscard]] std::size_t tile_count() const { return weight.size(); }
  bool operator==(const SweepPlan&) const = default;
};

/// Numbers [begin, end).
struct Range {
  Index begin = 0, end = 0;
};

/// Sweeps over tiles, shared among ranks: each rank visits its tiles, and the velocity of a body is
/// handed from the rank that has touched it last to the one that touches it next.
///
/// Within a phase a body is touched by at most one tile, so by at most one rank. All operations on
/// it are those of one rank, in the same order: results do not depend on the ranks, to the last
/// bit. All ranks hold the whole plan and find the same messages in it without a word; the lists
/// stay as long as the plan stays. Rows are eight numbers per body, of double or single precision:
/// v, –, s, –; six of them are handed over, in double precision, which changes neither.
class HandOvers {
 public:
  /// Nothing is shared from here on.
  void stop() { ranks_ = nullptr; }
  [[nodiscard]] bool is_shared() const { return ranks_ != nullptr; }

  /// Shares the tiles of a plan among ranks, after the same plan as before in the same way.
  /// @param place of every body [m]; may be empty.
  void share(Ranks& ranks, SweepPlan plan, std::span<const Vec3> place);
  /// Shares as last time, if that was the same plan. @param plan without tiles.
  /// @return whether it was, as far as layouts say.
  [[nodiscard]] bool share_again(Ranks& ranks, const SweepPlan& plan);

  /// A pass over all phases begins: bodies that another rank has touched last come to the one that
  /// touches them first. @param has_holders whether only the holders' rows are right; without,
  /// all rows are right on all ranks.
  template <class T>
  void begin_pass(T* rows, bool has_holders);
  /// Calls visit(tile) for the tiles of this rank, phase after phase, on all threads.
  template <class T, class Visit>
  void for_phases(T* rows, const Visit& visit) {
    for (std::size_t p = 0; p + 1 < own_first_.size(); ++p) {
      before(p, rows);
      const auto own =
          std::span(own_tiles_).subspan(own_first_[p], own_first_[p + 1] - own_first_[p]);
      parallel::for_each(static_cast<Index>(own.size()), [&](Index i) { visit(Index{own[i]}); });
      after(p, rows);
    }
  }
  void end_pass();

  /// Bodies whose rows are right on this rank between two passes, in pieces; some others between
  /// them. Those that no tile touches are held by all.
  [[nodiscard]] std::span<const Range> held() const { return held_; }
  /// Makes all rows right on all ranks.
  void settle(Real* rows);
  /// Makes the items of all tiles known to all ranks.
  /// @param for_items (tile, add) calls add(begin, end) for each piece of a tile's items.
  template <class Item, class ForItems>
  void collect(std::span<Item> items, const ForItems& for_items);
  /// Makes one item of every tile known to all ranks.
  template <class Item>
  void complete(std::span<Item> of_tiles);
  /// Calls visit(tile) for all tiles of this rank, on all threads.
  template <class Visit>
  void for_each_own(const Visit& visit) const {
    parallel::for_each(static_cast<Index>(own_tiles_.size()),
                       [&](Index i) { visit(Index{own_tiles_[i]}); });
  }
  /// Whether a statement holds on some rank that shares the sweeps.
  [[nodiscard]] bool agree(bool own) const { return is_shared() ? ranks_->any(own) : own; }

  /// Messages and bytes of a pass between all ranks.
  struct Traffic {
    Index messages = 0, bytes = 0;
  };
  [[nodiscard]] const Traffic& traffic(bool has_holders) const { return traffic_[has_holders]; }
  /// Of a pass with holders: most that one rank sends, each by itself.
  [[nodiscard]] const Traffic& busiest() const { return busiest_; }
  /// Σ of the weights of all tiles.
  [[nodiscard]] double work() const { return work_; }
  /// Most contacts of a rank over the mean [-].
  [[nodiscard]] double imbalance() const { return imbalance_; }
  /// Bodies that several ranks touch over those that are touched [-].
  [[nodiscard]] double border_share() const { return border_share_; }

  /// For tests: what is touched last in this phase is not handed over, and what it is handed over
  /// to takes the velocities that it has.
  void leave_out(int phase) { left_out_ = phase; }

 private:
  /// A body goes from one rank to another.
  struct HandOver {
    int from, to;
    int sent;  // after this phase; −1: before the pass
    int needed;
    std::uint32_t body;
  };
  struct Message {
    int sent;    // after this phase; −1: before the pass
    int needed;  // before this phase
    std::vector<std::uint32_t> bodies;
    std::vector<Real> buffer;
    Index line = -1;
  };
  [[nodiscard]] std::uint32_t body_count() const {
    return static_cast<std::uint32_t>(plan_.is_movable.size());
  }
  void deal_out(std::span<const Vec3> place);
  [[nodiscard]] std::vector<std::int16_t> find_touches() const;
  [[nodiscard]] std::vector<HandOver> find_hand_overs(std::span<const std::int16_t> touches,
                                                      std::span<int> holder);
  void make_messages(std::span<const HandOver> hand_overs);
  void find_holders(std::span<const int> holder);
  template <class T>
  void before(std::size_t phase, T* rows);
  template <class T>
  void after(std::size_t phase, const T* rows);
  template <class T>
  void send(Message& message, const T* rows);
  /// Not before a pass for which all rows are right.
  [[nodiscard]] bool takes_part(const Message& message) const {
    return (message.sent >= 0 || has_holders_) && message.sent != left_out_;
  }
  void gather_pieces(std::span<std::byte> items);
  void gather_pieces(std::span<std::byte> items, std::size_t from, std::size_t to);

  Ranks* ranks_ = nullptr;
  Ranks* shared_with_ = nullptr;  // that the lists are of
  SweepPlan plan_;                // with a layout, without the bodies of its tiles
  std::vector<int> rank_of_tile_;
  std::vector<std::uint32_t> own_tiles_, own_first_;  // phase by phase
  std::vector<std::uint32_t> tiles_by_rank_;          // rank by rank, rising
  std::vector<std::size_t> first_of_rank_;            // in that list
  std::unique_ptr<Lines> lines_;
  std::vector<Message> outgoing_, incoming_;
  Traffic traffic_[2], busiest_;
  std::vector<Range> held_;
  std::vector<std::vector<std::uint32_t>> held_by_;  // that hold them alone, rank by rank
  std::vector<std::byte> exchange_;
  std::vector<std::size_t> begin_;  // of every rank's part of it
  std::vector<std::size_t> next_;   // place in it
  std::vector<Range> pieces_;       // bytes of items that are exchanged
  std::vector<int> rank_of_piece_;
  bool has_holders_ = false;  // in this pass
  double work_ = 0, imbalance_ = 1, border_share_ = 0;
  int left_out_ = -2;  // phase; −2: none
};

template <class Item, class ForItems>
void HandOvers::collect(std::span<Item> items, const ForItems& for_items) {
  constexpr auto kSize = static_cast<Index>(sizeof(Item));
  pieces_.clear();
  rank_of_piece_.clear();
  for (std::size_t t = 0; t < plan_.tile_count(); ++t)
    for_items(static_cast<Index>(t), [&](Index begin, Index end) {
      pieces_.push_back({begin * kSize, end * kSize});
      rank_of_piece_.push_back(rank_of_tile_[t]);
    });
  gather_pieces(std::as_writable_bytes(items));
}

template <class Item>
void HandOvers::complete(std::span<Item> of_tiles) {
  const std::span<std::byte> exchange = room_for(of_tiles.size_bytes(), exchange_);
  begin_.clear();
  for (const std::size_t first : first_of_rank_) begin_.push_back(first * sizeof(Item));
  const auto own = static_cast<std::size_t>(ranks_->rank());
  const auto at = [&](std::size_t k) { return exchange.data() + k * sizeof(Item); };
  for (std::size_t k = first_of_rank_[own]; k < first_of_rank_[own + 1]; ++k)
    std::memcpy(at(k), &of_tiles[tiles_by_rank_[k]], sizeof(Item));
  ranks_->gather(exchange, begin_);
  for (std::size_t k = 0; k < tiles_by_rank_.size(); ++k)
    if (k < first_of_rank_[own] || k >= first_of_rank_[own + 1])
      std::memcpy(static_cast<void*>(&of_tiles[tiles_by_rank_[k]]), at(k), sizeof(Item));
}

}  // namespace talus::distribute
