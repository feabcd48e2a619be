#include <talus/distribute/hand_overs.hpp>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <talus/base/contract.hpp>

namespace talus::distribute {
namespace {

constexpr Index kRow = 8;  // numbers per body

}  // namespace

void HandOvers::share(Ranks& ranks, SweepPlan plan, std::span<const Vec3> place) {
  const bool is_same = deal_ != nullptr && &deal_->ranks() == &ranks && deal_->plan() == plan;
  share(is_same ? deal_ : std::make_shared<const Deal>(ranks, std::move(plan), place));
}

void HandOvers::share(const std::shared_ptr<const Deal>& deal) {
  ranks_ = &deal->ranks();
  if (std::exchange(deal_, deal) != deal) make_messages();
}

bool HandOvers::share_again(Ranks& ranks, const SweepPlan& plan) {
  if (deal_ == nullptr) return false;
  const SweepPlan& last = deal_->plan();
  const bool is_same = &deal_->ranks() == &ranks && plan.layout != 0 &&
                       plan.layout == last.layout && plan.phases == last.phases &&
                       plan.is_movable == last.is_movable;
  if (is_same) ranks_ = &ranks;
  return is_same;
}

/// One message per pair of ranks and phase of the last touch; it is needed when its first body is.
void HandOvers::make_messages() {
  const std::span<const Deal::HandOver> hand_overs = deal_->hand_overs();
  traffic_[0] = traffic_[1] = busiest_ = {};
  std::vector<Traffic> of_rank(static_cast<std::size_t>(ranks_->count()));
  outgoing_.clear();
  incoming_.clear();
  lines_ = ranks_->lines();
  const int own = ranks_->rank();
  for (std::size_t begin = 0, end = 0; begin < hand_overs.size(); begin = end) {
    const Deal::HandOver& one = hand_overs[begin];
    int needed = one.needed;
    for (; end < hand_overs.size(); ++end) {
      const Deal::HandOver& other = hand_overs[end];
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
    work.imbalance += deal_->imbalance();
    work.border_share += deal_->border_share();
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
  using Moved = std::array<Real, kMoved>;
  deal_->complete(
      sizeof(Moved),
      [&](std::uint32_t body, std::byte* at) {
        pack(rows + kRow * Index{body}, reinterpret_cast<Real*>(at));
      },
      [&](std::uint32_t body, const std::byte* at) {
        unpack(reinterpret_cast<const Real*>(at), rows + kRow * Index{body});
      });
}

}  // namespace talus::distribute
