#include <talus/distribute/deal.hpp>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include <talus/base/contract.hpp>

namespace talus::distribute {
namespace {

constexpr Index kPiece = 1024;  // bodies of a range
constexpr Index kGap = 2;       // others, between two bodies of a range that may have some

/// Adds a body to ranges, the last of which grows as long as it may. @param gap others in it.
void add_to(std::vector<Range>& ranges, Index body, Index gap) {
  if (!ranges.empty() && body - ranges.back().end <= gap && body - ranges.back().begin < kPiece)
    ranges.back().end = body + 1;
  else
    ranges.push_back({body, body + 1});
}

/// Numbers rank by rank, rising.
DealtLists by_ranks(std::span<const int> rank_of, int ranks) {
  DealtLists dealt;
  dealt.order.resize(rank_of.size());
  dealt.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (const int rank : rank_of) ++dealt.first[static_cast<std::size_t>(rank) + 1];
  std::partial_sum(dealt.first.begin(), dealt.first.end(), dealt.first.begin());
  std::vector<std::size_t> next(dealt.first);
  for (std::size_t k = 0; k < rank_of.size(); ++k)
    dealt.order[next[static_cast<std::size_t>(rank_of[k])]++] = k;
  return dealt;
}

}  // namespace

void SweepPlan::clear() {
  phases.assign(1, 0);
  first.assign(1, 0);
  bodies.clear();
  weight.clear();
  is_movable.clear();
  layout = 0;
}

void SweepPlan::add_tile(std::uint32_t contacts) {
  first.push_back(static_cast<std::uint32_t>(bodies.size()));
  weight.push_back(contacts);
}

void SweepPlan::add_phases(std::span<const std::uint32_t> bounds) {
  const std::uint32_t begin = phases.back();
  for (std::size_t p = 1; p < bounds.size(); ++p) phases.push_back(begin + bounds[p]);
}

Deal::Deal(Ranks& ranks, SweepPlan plan, std::span<const Vec3> place)
    : ranks_(&ranks), plan_(std::move(plan)) {
  TALUS_DEMAND(plan_.first.size() == plan_.tile_count() + 1 &&
               plan_.phases.back() == plan_.tile_count());
  deal_out(place);
  find_hand_overs(find_touches());
  find_ranges();
  find_pieces();
  find_exchanges();
  if (plan_.layout != 0) plan_.first = plan_.bodies = {};
}

void Deal::deal_out(std::span<const Vec3> place) {
  std::vector<Vec3> of_tile(plan_.tile_count(), Vec3::Zero());
  for (std::size_t t = 0; t < of_tile.size(); ++t)
    for (std::uint32_t k = plan_.first[t]; k < plan_.first[t + 1]; ++k)
      if (const std::uint32_t body = plan_.bodies[k];
          plan_.is_touched(body) && body < place.size()) {
        of_tile[t] = place[body];  // any of them will do
        break;
      }
  rank_of_tile_ =
      distribute::deal_out(map_kind_of_environment(), of_tile, plan_.weight, ranks_->count());
  own_first_.assign(1, 0);
  for (std::size_t p = 0; p + 1 < plan_.phases.size(); ++p) {
    for (std::uint32_t t = plan_.phases[p]; t < plan_.phases[p + 1]; ++t)
      if (is_own(t)) own_tiles_.push_back(t);
    own_first_.push_back(static_cast<std::uint32_t>(own_tiles_.size()));
  }
  tiles_ = by_ranks(rank_of_tile_, ranks_->count());
  std::vector<double> load(static_cast<std::size_t>(ranks_->count()), 0);
  for (std::size_t t = 0; t < rank_of_tile_.size(); ++t)
    load[static_cast<std::size_t>(rank_of_tile_[t])] += plan_.weight[t];
  work_ = std::accumulate(load.begin(), load.end(), 0.0);
  const double mean = work_ / ranks_->count();
  imbalance_ = mean > 0 ? *std::max_element(load.begin(), load.end()) / mean : 1;
}

/// Of every body, in every phase: by whom; −1: by no tile.
std::vector<std::int16_t> Deal::find_touches() const {
  const std::size_t phases = plan_.phases.size() - 1;
  std::vector<std::int16_t> touches(phases * body_count(), -1);
  for (std::size_t p = 0; p < phases; ++p)
    for (std::uint32_t t = plan_.phases[p]; t < plan_.phases[p + 1]; ++t)
      for (std::uint32_t k = plan_.first[t]; k < plan_.first[t + 1]; ++k) {
        const std::uint32_t body = plan_.bodies[k];
        if (!plan_.is_touched(body)) continue;
        std::int16_t& touch = touches[body * phases + p];
        TALUS_DEMAND(touch == -1 || touch == rank_of_tile_[t]);
        touch = static_cast<std::int16_t>(rank_of_tile_[t]);
      }
  return touches;
}

/// Who holds each body, who touches it, and where it goes in a pass.
void Deal::find_hand_overs(std::span<const std::int16_t> touches) {
  const auto phases = static_cast<int>(plan_.phases.size() - 1);
  holder_.assign(body_count(), -1);
  first_toucher_.assign(1, 0);
  Index touched = 0;
  for (std::uint32_t body = 0; body < body_count(); ++body) {
    const std::int16_t* touch =
        touches.data() + std::size_t{body} * static_cast<std::size_t>(phases);
    int first = -1, last = -1;  // phases
    const std::size_t before = hand_overs_.size();
    for (int p = 0; p < phases; ++p) {
      if (touch[p] < 0) continue;
      if (first < 0) first = p;
      if (last >= 0 && touch[p] != touch[last])
        hand_overs_.push_back({touch[last], touch[p], last, p, body});
      last = p;
    }
    if (first < 0) continue;
    ++touched;
    holder_[body] = touch[last];
    if (touch[first] != touch[last])
      hand_overs_.push_back({touch[last], touch[first], -1, first, body});
    if (hand_overs_.size() == before) continue;
    shared_.push_back(body);
    const auto begin = static_cast<std::ptrdiff_t>(touchers_.size());
    std::copy_if(touch, touch + phases, std::back_inserter(touchers_),
                 [](std::int16_t rank) { return rank >= 0; });
    std::sort(touchers_.begin() + begin, touchers_.end());
    touchers_.erase(std::unique(touchers_.begin() + begin, touchers_.end()), touchers_.end());
    first_toucher_.push_back(static_cast<std::uint32_t>(touchers_.size()));
  }
  if (touched > 0)
    border_share_ = static_cast<double>(shared_.size()) / static_cast<double>(touched);
  const auto key = [](const HandOver& h) { return std::tuple(h.from, h.to, h.sent, h.body); };
  std::sort(hand_overs_.begin(), hand_overs_.end(),
            [&](const HandOver& a, const HandOver& b) { return key(a) < key(b); });
}

bool Deal::is_touched_by(std::uint32_t body, int rank) const {
  if (holder_[body] == rank) return true;
  const std::span<const std::int16_t> ranks = touchers(body);
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

std::span<const std::int16_t> Deal::touchers(std::uint32_t body) const {
  const auto at = std::lower_bound(shared_.begin(), shared_.end(), body);
  if (at == shared_.end() || *at != body) return {};
  return touchers_of(at - shared_.begin());
}

void Deal::find_ranges() {
  held_by_.assign(static_cast<std::size_t>(ranks_->count()), {});
  std::size_t next = 0;  // of shared_
  for (std::uint32_t body = 0; body < body_count(); ++body) {
    const int holder = holder_[body];
    if (holder >= 0) held_by_[static_cast<std::size_t>(holder)].push_back(body);
    const bool is_held = holder < 0 || holder == ranks_->rank();
    const bool is_shared = next < shared_.size() && shared_[next] == body;
    if (is_held) add_to(held_, body, kGap);
    if (is_held || (is_shared && is_touched_by(body, ranks_->rank()))) add_to(here_, body, 0);
    if (is_shared) ++next;
  }
  add_to(held_, Index{body_count()}, kGap);  // the row for empty lanes
}

/// Each piece is of the rank that holds most of it.
void Deal::find_pieces() {
  std::vector<Index> held;  // of a piece, by ranks
  for (std::uint32_t begin = 0; begin < body_count(); begin += kBodiesPerPiece) {
    const auto end = std::min<std::uint32_t>(begin + kBodiesPerPiece, body_count());
    held.assign(static_cast<std::size_t>(ranks_->count()), 0);
    for (std::uint32_t body = begin; body < end; ++body)
      if (holder_[body] >= 0) ++held[static_cast<std::size_t>(holder_[body])];
    rank_of_piece_.push_back(
        static_cast<int>(std::max_element(held.begin(), held.end()) - held.begin()));
  }
  pieces_ = by_ranks(rank_of_piece_, ranks_->count());
}

void Deal::find_exchanges() {
  std::vector<ItemExchange::Way> to_others, to_pieces, all_to_pieces;
  std::size_t next = 0;  // of shared_
  for (std::uint32_t body = 0; body < body_count(); ++body) {
    const int holder = holder_[body];
    if (holder < 0) continue;
    const int adds_up = rank_of_piece_[body / kBodiesPerPiece];
    const std::int16_t alone[] = {static_cast<std::int16_t>(holder)};
    std::span<const std::int16_t> ranks = alone;
    if (next < shared_.size() && shared_[next] == body)
      ranks = touchers_of(static_cast<std::ptrdiff_t>(next++));
    bool is_there = false;
    for (const int rank : ranks) {
      is_there = is_there || rank == adds_up;
      if (rank != holder) to_others.push_back({holder, rank, body});
      if (rank != adds_up) all_to_pieces.push_back({rank, adds_up, body});
    }
    if (!is_there) to_pieces.push_back({holder, adds_up, body});
  }
  to_others_ = {*ranks_, to_others};
  to_pieces_ = {*ranks_, to_pieces};
  all_to_pieces_ = {*ranks_, all_to_pieces};
}

void Deal::gather_pieces(std::span<std::byte> items, std::span<const Range> pieces,
                         std::span<const int> rank_of_piece) const {
  const auto count = static_cast<std::size_t>(ranks_->count());
  static thread_local std::vector<std::size_t> begin, next;
  begin.assign(count + 1, 0);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    begin[static_cast<std::size_t>(rank_of_piece[i]) + 1] +=
        static_cast<std::size_t>(pieces[i].end - pieces[i].begin);
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  static thread_local std::vector<std::byte> kept;
  const std::span<std::byte> exchange = room_for(begin.back(), kept);
  const auto for_pieces = [&](const auto& copy) {
    next.assign(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto size = static_cast<std::size_t>(pieces[i].end - pieces[i].begin);
      std::size_t& at = next[static_cast<std::size_t>(rank_of_piece[i])];
      copy(rank_of_piece[i] == ranks_->rank(), items.data() + pieces[i].begin, exchange.data() + at,
           size);
      at += size;
    }
  };
  for_pieces([](bool is_own, std::byte* item, std::byte* at, std::size_t size) {
    if (is_own) std::memcpy(at, item, size);
  });
  ranks_->gather(exchange, begin);
  for_pieces([](bool is_own, std::byte* item, std::byte* at, std::size_t size) {
    if (!is_own) std::memcpy(item, at, size);
  });
}

}  // namespace talus::distribute
