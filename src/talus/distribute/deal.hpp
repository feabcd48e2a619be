#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/distribute/item_exchange.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/distribute/tile_map.hpp>
#include <talus/math/vector.hpp>

namespace talus::distribute {

/// Numbers [begin, end).
struct Range {
  Index begin = 0, end = 0;
};

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

/// Which rank has which tile, and what follows for the movable bodies that tiles touch. A body is
/// held by the rank that touches it last in a pass, and is here where a tile of this rank touches
/// it; bodies that no tile touches, and immovable ones, are held by all ranks and here on each.
///
/// Lists that are right for what is here alone, and have the numbers of all bodies, name the deal
/// (model::State::deal): only complete() makes more of them right. All ranks hold the whole deal.
class Deal {
 public:
  static constexpr Index kBodiesPerPiece = 4096;  ///< whose numbers one rank adds up

  /// A body goes from one rank to another within a pass.
  struct HandOver {
    int from, to;
    int sent;  ///< after this phase; −1: before the pass
    int needed;
    std::uint32_t body;
  };

  /// Deals the tiles of a plan out by the map of the environment. Collective: all ranks have the
  /// same plan. Cost O(tiles log tiles + bodies · phases).
  /// @param place of every body [m]; may be empty. @param ranks outlives this object.
  Deal(Ranks& ranks, SweepPlan plan, std::span<const Vec3> place);

  [[nodiscard]] Ranks& ranks() const { return *ranks_; }
  /// With a layout, without the bodies of its tiles.
  [[nodiscard]] const SweepPlan& plan() const { return plan_; }
  [[nodiscard]] int rank_of_tile(std::size_t tile) const { return rank_of_tile_[tile]; }
  [[nodiscard]] bool is_own(std::size_t tile) const {
    return rank_of_tile_[tile] == ranks_->rank();
  }
  /// Tiles of this rank, phase by phase: those of phase p from own_first()[p] on.
  [[nodiscard]] std::span<const std::uint32_t> own_tiles() const { return own_tiles_; }
  [[nodiscard]] std::span<const std::uint32_t> own_first() const { return own_first_; }
  /// Tiles rank by rank, rising.
  [[nodiscard]] const DealtLists& tiles() const { return tiles_; }
  /// Pieces of kBodiesPerPiece consecutive bodies, rank by rank: of the one that holds most of it.
  [[nodiscard]] const DealtLists& pieces() const { return pieces_; }
  [[nodiscard]] int rank_of_piece(std::size_t piece) const { return rank_of_piece_[piece]; }

  /// The rank that holds a body; −1: all.
  [[nodiscard]] int holder(std::uint32_t body) const { return holder_[body]; }
  /// Ranks that touch a body which is not touched by one rank alone, rising; else none.
  [[nodiscard]] std::span<const std::int16_t> touchers(std::uint32_t body) const;
  /// Whether a tile of a rank touches a body.
  [[nodiscard]] bool is_touched_by(std::uint32_t body, int rank) const;
  [[nodiscard]] bool is_here(std::uint32_t body) const {
    return holder_[body] < 0 || is_touched_by(body, ranks_->rank());
  }
  /// Bodies that are held here, in pieces, with some others between them, and the number behind the
  /// last body.
  [[nodiscard]] std::span<const Range> held() const { return held_; }
  /// Bodies that are here, in pieces, and no others.
  [[nodiscard]] std::span<const Range> here() const { return here_; }
  /// Bodies that one rank alone holds.
  [[nodiscard]] std::span<const std::uint32_t> held_by(int rank) const {
    return held_by_[static_cast<std::size_t>(rank)];
  }
  /// All of a pass, in the order of messages: from, to, sent, body.
  [[nodiscard]] std::span<const HandOver> hand_overs() const { return hand_overs_; }

  /// From the holder to all others where a body is here.
  [[nodiscard]] ItemExchange& to_others() const { return to_others_; }
  /// From the holder to the rank that adds up the piece, where the body is not here.
  [[nodiscard]] ItemExchange& to_pieces() const { return to_pieces_; }
  /// From all ranks that touch a body to the one that adds up the piece.
  [[nodiscard]] ItemExchange& all_to_pieces() const { return all_to_pieces_; }

  /// Calls visit(begin, end) for pieces of the bodies that are here, on all threads.
  template <class Visit>
  void for_here(const Visit& visit) const {
    parallel::for_each(std::ssize(here_), [&](Index i) { visit(here_[i].begin, here_[i].end); });
  }

  /// Makes items of all bodies, of which each rank has those that it holds, known to all.
  /// Collective. @tparam Item can be copied byte by byte.
  template <class Item>
  void complete(std::span<Item> items) const {
    complete(
        sizeof(Item),
        [&](std::uint32_t body, std::byte* at) {
          std::memcpy(at, static_cast<const void*>(&items[body]), sizeof(Item));
        },
        [&](std::uint32_t body, const std::byte* at) {
          std::memcpy(static_cast<void*>(&items[body]), at, sizeof(Item));
        });
  }
  /// The same of items that have so many bytes. @param pack (body, bytes) writes one that is held
  /// here. @param unpack (body, bytes) takes one that another rank holds.
  template <class Pack, class Unpack>
  void complete(std::size_t bytes, const Pack& pack, const Unpack& unpack) const;

  /// Makes the items of all tiles known to all ranks, some at a time. Collective.
  /// @param for_items (tile, add) calls add(begin, end) for each piece of a tile's items.
  template <class Item, class ForItems>
  void collect(std::span<Item> items, const ForItems& for_items) const;

  /// Σ of the weights of all tiles.
  [[nodiscard]] double work() const { return work_; }
  /// Most contacts of a rank over the mean [-].
  [[nodiscard]] double imbalance() const { return imbalance_; }
  /// Bodies that several ranks touch over those that are touched [-].
  [[nodiscard]] double border_share() const { return border_share_; }

 private:
  [[nodiscard]] std::uint32_t body_count() const {
    return static_cast<std::uint32_t>(plan_.is_movable.size());
  }
  /// Ranks that touch a body of shared_.
  [[nodiscard]] std::span<const std::int16_t> touchers_of(std::ptrdiff_t shared) const {
    const auto k = static_cast<std::size_t>(shared);
    return std::span(touchers_).subspan(first_toucher_[k],
                                        first_toucher_[k + 1] - first_toucher_[k]);
  }
  void gather_pieces(std::span<std::byte> items, std::span<const Range> pieces,
                     std::span<const int> rank_of_piece) const;
  void deal_out(std::span<const Vec3> place);
  [[nodiscard]] std::vector<std::int16_t> find_touches() const;
  void find_hand_overs(std::span<const std::int16_t> touches);
  void find_ranges();
  void find_pieces();
  void find_exchanges();

  Ranks* ranks_;
  SweepPlan plan_;
  std::vector<int> rank_of_tile_;
  std::vector<std::uint32_t> own_tiles_, own_first_;
  DealtLists tiles_, pieces_;
  std::vector<int> rank_of_piece_;
  std::vector<std::int16_t> holder_;
  std::vector<std::uint32_t> shared_;  // bodies that several ranks touch, rising
  std::vector<std::uint32_t> first_toucher_;
  std::vector<std::int16_t> touchers_;  // ranks of each of these, rising
  std::vector<Range> held_, here_;
  std::vector<std::vector<std::uint32_t>> held_by_;
  std::vector<HandOver> hand_overs_;
  mutable ItemExchange to_others_, to_pieces_, all_to_pieces_;  // with their messages
  double work_ = 0, imbalance_ = 1, border_share_ = 0;
};

template <class Item, class ForItems>
void Deal::collect(std::span<Item> items, const ForItems& for_items) const {
  constexpr auto kSize = static_cast<Index>(sizeof(Item));
  static thread_local std::vector<Range> pieces;  // in bytes
  static thread_local std::vector<int> rank_of_piece;
  pieces.clear();
  rank_of_piece.clear();
  for (std::size_t t = 0; t < plan_.tile_count(); ++t)
    for_items(static_cast<Index>(t), [&](Index begin, Index end) {
      pieces.push_back({begin * kSize, end * kSize});
      rank_of_piece.push_back(rank_of_tile_[t]);
    });
  constexpr Index kMostBytes = Index{1} << 21;  // under way
  for (std::size_t from = 0, to = 0; from < pieces.size(); from = to) {
    for (Index bytes = 0; to < pieces.size() && (to == from || bytes < kMostBytes); ++to)
      bytes += pieces[to].end - pieces[to].begin;
    gather_pieces(std::as_writable_bytes(items), std::span(pieces).subspan(from, to - from),
                  std::span(rank_of_piece).subspan(from, to - from));
  }
}

template <class Pack, class Unpack>
void Deal::complete(std::size_t bytes, const Pack& pack, const Unpack& unpack) const {
  static thread_local std::vector<std::byte> kept;
  static thread_local std::vector<std::size_t> begin;
  begin.assign(1, 0);
  for (const std::vector<std::uint32_t>& bodies : held_by_)
    begin.push_back(begin.back() + bodies.size() * bytes);
  const std::span<std::byte> exchange = room_for(begin.back(), kept);
  const auto own = static_cast<std::size_t>(ranks_->rank());
  const auto for_bodies = [&](std::size_t rank, const auto& copy) {
    std::byte* at = exchange.data() + begin[rank];
    for (const std::uint32_t body : held_by_[rank]) {
      copy(body, at);
      at += bytes;
    }
  };
  for_bodies(own, pack);
  ranks_->gather(exchange, begin);
  for (std::size_t r = 0; r < held_by_.size(); ++r)
    if (r != own) for_bodies(r, unpack);
}

}  // namespace talus::distribute
