#include <talus/distribute/hand_overs.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include <talus/base/contract.hpp>

namespace talus::distribute {
namespace {

constexpr Index kRow = 8;           // numbers per body
constexpr Index kMoved = 6;         // of them, that are handed over
constexpr Index kHeldPiece = 1024;  // bodies
constexpr Index kHeldGap = 2;       // bodies that are not held, between two that are

/// Of a fixed length, which is written out in place: std::copy calls a function that takes longer.
template <class From, class To>
void copy_three(const From* from, To* to) {
  for (int k = 0; k < 3; ++k) to[k] = static_cast<To>(from[k]);
}

template <class T>
void pack(const T* row, Real* to) {
  copy_three(row, to);
  copy_three(row + 4, to + 3);
}

template <class T>
void unpack(const Real* from, T* row) {
  copy_three(from, row);
  copy_three(from + 3, row + 4);
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

void HandOvers::share(Ranks& ranks, SweepPlan plan, std::span<const Vec3> place) {
  TALUS_DEMAND(plan.first.size() == plan.tile_count() + 1 &&
               plan.phases.back() == plan.tile_count());
  ranks_ = &ranks;
  if (shared_with_ == &ranks && plan == plan_) return;
  shared_with_ = &ranks;
  plan_ = std::move(plan);
  deal_out(place);
  std::vector<int> holder(body_count(), -1);
  make_messages(find_hand_overs(find_touches(), holder));
  find_holders(holder);
  if (plan_.layout != 0) plan_.first = plan_.bodies = {};
}

bool HandOvers::share_again(Ranks& ranks, const SweepPlan& plan) {
  const bool is_same = shared_with_ == &ranks && plan.layout != 0 && plan.layout == plan_.layout &&
                       plan.phases == plan_.phases && plan.is_movable == plan_.is_movable;
  if (is_same) ranks_ = &ranks;
  return is_same;
}

void HandOvers::deal_out(std::span<const Vec3> place) {
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
  own_tiles_.clear();
  own_first_.assign(1, 0);
  for (std::size_t p = 0; p + 1 < plan_.phases.size(); ++p) {
    for (std::uint32_t t = plan_.phases[p]; t < plan_.phases[p + 1]; ++t)
      if (rank_of_tile_[t] == ranks_->rank()) own_tiles_.push_back(t);
    own_first_.push_back(static_cast<std::uint32_t>(own_tiles_.size()));
  }
  tiles_by_rank_.resize(rank_of_tile_.size());
  first_of_rank_.assign(static_cast<std::size_t>(ranks_->count()) + 1, 0);
  for (const int rank : rank_of_tile_) ++first_of_rank_[static_cast<std::size_t>(rank) + 1];
  std::partial_sum(first_of_rank_.begin(), first_of_rank_.end(), first_of_rank_.begin());
  std::vector<std::size_t> next(first_of_rank_);
  for (std::uint32_t t = 0; t < rank_of_tile_.size(); ++t)
    tiles_by_rank_[next[static_cast<std::size_t>(rank_of_tile_[t])]++] = t;
  std::vector<double> load(static_cast<std::size_t>(ranks_->count()), 0);
  for (std::size_t t = 0; t < rank_of_tile_.size(); ++t)
    load[static_cast<std::size_t>(rank_of_tile_[t])] += plan_.weight[t];
  work_ = std::accumulate(load.begin(), load.end(), 0.0);
  const double mean = work_ / ranks_->count();
  imbalance_ = mean > 0 ? *std::max_element(load.begin(), load.end()) / mean : 1;
}

/// Of every body, in every phase: by whom; −1: by no tile.
std::vector<std::int16_t> HandOvers::find_touches() const {
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

/// In the order of messages. @param holder of every body, out: who touches it last; −1: all.
std::vector<HandOvers::HandOver> HandOvers::find_hand_overs(std::span<const std::int16_t> touches,
                                                            std::span<int> holder) {
  const auto phases = static_cast<int>(plan_.phases.size() - 1);
  std::vector<HandOver> hand_overs;
  Index borders = 0, touched = 0;
  for (std::uint32_t body = 0; body < body_count(); ++body) {
    const std::int16_t* touch =
        touches.data() + std::size_t{body} * static_cast<std::size_t>(phases);
    int first = -1, last = -1;  // phases
    const std::size_t before = hand_overs.size();
    for (int p = 0; p < phases; ++p) {
      if (touch[p] < 0) continue;
      if (first < 0) first = p;
      if (last >= 0 && touch[p] != touch[last])
        hand_overs.push_back({touch[last], touch[p], last, p, body});
      last = p;
    }
    if (first < 0) continue;
    ++touched;
    holder[body] = touch[last];
    if (touch[first] != touch[last])
      hand_overs.push_back({touch[last], touch[first], -1, first, body});
    borders += hand_overs.size() > before ? 1 : 0;
  }
  border_share_ = touched > 0 ? static_cast<double>(borders) / static_cast<double>(touched) : 0;
  const auto key = [](const HandOver& h) { return std::tuple(h.from, h.to, h.sent, h.body); };
  std::sort(hand_overs.begin(), hand_overs.end(),
            [&](const HandOver& a, const HandOver& b) { return key(a) < key(b); });
  return hand_overs;
}

/// One message per pair of ranks and phase of the last touch; it is needed when its first body is.
void HandOvers::make_messages(std::span<const HandOver> hand_overs) {
  traffic_[0] = traffic_[1] = busiest_ = {};
  std::vector<Traffic> of_rank(static_cast<std::size_t>(ranks_->count()));
  outgoing_.clear();
  incoming_.clear();
  lines_ = ranks_->lines();
  const int own = ranks_->rank();
  for (std::size_t begin = 0, end = 0; begin < hand_overs.size(); begin = end) {
    const HandOver& one = hand_overs[begin];
    int needed = one.needed;
    for (; end < hand_overs.size(); ++end) {
      const HandOver& other = hand_overs[end];
      if (std::tie(one.from, one.to, one.sent) != std::tie(other.from, other.to, other.sent)) break;
      needed = std::min(needed, other.needed);
    }
    const auto bytes = static_cast<Index>((end - begin) * kMoved * sizeof(Real));
    for (const bool has_holders : {false, true}) {
      if (one.sent < 0 && !has_holders) continue;
      ++traffic_[has_holders].messages;
      traffic_[has_holders].bytes += bytes;
    }
    Traffic& sender = of_rank[static_cast<std::size_t>(one.from)];
    ++sender.messages;
    sender.bytes += bytes;
    busiest_.messages = std::max(busiest_.messages, sender.messages);
    busiest_.bytes = std::max(busiest_.bytes, sender.bytes);
    if (one.from != own && one.to != own) continue;
    Message message{one.sent, needed, {}, {}};
    for (std::size_t k = begin; k < end; ++k) message.bodies.push_back(hand_overs[k].body);
    message.buffer.resize((end - begin) * kMoved);
    const int tag = one.sent + 1;
    if (one.from == own) {
      message.line = lines_->add_outgoing(one.to, tag, message.buffer);
      outgoing_.push_back(std::move(message));
    } else {
      message.line = lines_->add_incoming(one.from, tag, message.buffer);
      incoming_.push_back(std::move(message));
    }
  }
}

void HandOvers::find_holders(std::span<const int> holder) {
  held_by_.assign(static_cast<std::size_t>(ranks_->count()), {});
  held_.clear();
  const auto hold = [&](Index body) {  // and the piece grows as long as it may
    if (!held_.empty() && body - held_.back().end <= kHeldGap &&
        body - held_.back().begin < kHeldPiece)
      held_.back().end = body + 1;
    else
      held_.push_back({body, body + 1});
  };
  for (std::uint32_t body = 0; body < body_count(); ++body) {
    if (holder[body] >= 0) held_by_[static_cast<std::size_t>(holder[body])].push_back(body);
    if (holder[body] < 0 || holder[body] == ranks_->rank()) hold(body);
  }
  hold(Index{body_count()});  // the row for empty lanes
}

template <class T>
void HandOvers::send(Message& message, const T* rows) {
  Real* to = message.buffer.data();
  for (const std::uint32_t body : message.bodies) {
    pack(rows + kRow * Index{body}, to);
    to += kMoved;
  }
  lines_->start(message.line);
}

template <class T>
void HandOvers::begin_pass(T* rows, bool has_holders) {
  has_holders_ = has_holders;
  Work& work = ranks_->work();
  if (has_holders) {
    ++work.sweeps;
    work.imbalance += imbalance_;
    work.border_share += border_share_;
  }
  work.messages += static_cast<double>(traffic(has_holders).messages);
  work.bytes += static_cast<double>(traffic(has_holders).bytes);
  for (Message& message : incoming_)
    if (takes_part(message)) lines_->start(message.line);
  for (Message& message : outgoing_)
    if (message.sent < 0 && takes_part(message)) send(message, rows);
}

template <class T>
void HandOvers::before(std::size_t phase, T* rows) {
  for (Message& message : incoming_) {
    if (message.needed != static_cast<int>(phase) || !takes_part(message)) continue;
    lines_->wait(message.line);
    const Real* from = message.buffer.data();
    for (const std::uint32_t body : message.bodies) {
      unpack(from, rows + kRow * Index{body});
      from += kMoved;
    }
  }
}

template <class T>
void HandOvers::after(std::size_t phase, const T* rows) {
  for (Message& message : outgoing_)
    if (message.sent == static_cast<int>(phase) && takes_part(message)) send(message, rows);
}

template void HandOvers::begin_pass(double*, bool);
template void HandOvers::begin_pass(float*, bool);
template void HandOvers::before(std::size_t, double*);
template void HandOvers::before(std::size_t, float*);
template void HandOvers::after(std::size_t, const double*);
template void HandOvers::after(std::size_t, const float*);

void HandOvers::end_pass() {
  for (Message& message : outgoing_)
    if (takes_part(message)) lines_->wait(message.line);
}

void HandOvers::settle(Real* rows) {
  std::vector<std::size_t>& begin = begin_;
  begin.assign(1, 0);
  for (const std::vector<std::uint32_t>& bodies : held_by_)
    begin.push_back(begin.back() + bodies.size() * kMoved * sizeof(Real));
  const std::span<std::byte> exchange = room_for(begin.back(), exchange_);
  auto* numbers = reinterpret_cast<Real*>(exchange.data());
  const auto own = static_cast<std::size_t>(ranks_->rank());
  Real* to = numbers + begin[own] / sizeof(Real);
  for (const std::uint32_t body : held_by_[own]) {
    pack(rows + kRow * Index{body}, to);
    to += kMoved;
  }
  ranks_->gather(exchange, begin);
  for (std::size_t r = 0; r < held_by_.size(); ++r) {
    const Real* from = numbers + begin[r] / sizeof(Real);
    if (r == own) continue;
    for (const std::uint32_t body : held_by_[r]) {
      unpack(from, rows + kRow * Index{body});
      from += kMoved;
    }
  }
}

/// Some pieces at a time, so that what is under way takes little memory.
void HandOvers::gather_pieces(std::span<std::byte> items) {
  constexpr Index kMostBytes = Index{1} << 21;
  for (std::size_t from = 0, to = 0; from < pieces_.size(); from = to) {
    for (Index bytes = 0; to < pieces_.size() && (to == from || bytes < kMostBytes); ++to)
      bytes += pieces_[to].end - pieces_[to].begin;
    gather_pieces(items, from, to);
  }
}

void HandOvers::gather_pieces(std::span<std::byte> items, std::size_t from, std::size_t to) {
  const auto count = static_cast<std::size_t>(ranks_->count());
  std::vector<std::size_t>& begin = begin_;
  begin.assign(count + 1, 0);
  for (std::size_t i = from; i < to; ++i)
    begin[static_cast<std::size_t>(rank_of_piece_[i]) + 1] +=
        static_cast<std::size_t>(pieces_[i].end - pieces_[i].begin);
  for (std::size_t r = 0; r < count; ++r) begin[r + 1] += begin[r];
  const std::span<std::byte> exchange = room_for(begin.back(), exchange_);
  const auto for_pieces = [&](const auto& copy) {
    next_.assign(begin.begin(), begin.end() - 1);
    for (std::size_t i = from; i < to; ++i) {
      const auto size = static_cast<std::size_t>(pieces_[i].end - pieces_[i].begin);
      std::size_t& at = next_[static_cast<std::size_t>(rank_of_piece_[i])];
      copy(rank_of_piece_[i] == ranks_->rank(), items.data() + pieces_[i].begin,
           exchange.data() + at, size);
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
