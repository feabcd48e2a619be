#include <talus/distribute/item_exchange.hpp>

#include <algorithm>
#include <tuple>

namespace talus::distribute {
namespace {

constexpr int kTag = 64;  // above those of hand-overs, which are phases

}  // namespace

ItemExchange::ItemExchange(Ranks& ranks, std::span<const Way> ways)
    : ranks_(&ranks), ways_(std::ssize(ways)) {
  const int own = ranks.rank();
  std::vector<Way> sorted(ways.begin(), ways.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Way& a, const Way& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const auto [from, to, item] = sorted[begin];
    while (end < sorted.size() && sorted[end].from == from && sorted[end].to == to) ++end;
    ++messages_;
    if (from != own && to != own) continue;
    std::vector<std::uint32_t>& items = from == own ? sent_ : received_;
    const std::size_t first = items.size();
    for (std::size_t k = begin; k < end; ++k) items.push_back(sorted[k].item);
    (from == own ? to_ : from_).push_back({from == own ? to : from, first, items.size()});
  }
}

ItemExchange::Channel& ItemExchange::channel_of(int width) {
  for (Channel& channel : channels_)
    if (channel.width == width) return channel;
  Channel channel{width, ranks_->lines(), {}, {}};
  const auto numbers = [&](const Part& part) {
    return std::vector<Real>((part.end - part.begin) * static_cast<std::size_t>(width));
  };
  for (const Part& part : to_) {
    channel.outgoing.push_back({part.begin, part.end, numbers(part), -1});
    Message& message = channel.outgoing.back();
    message.line = channel.lines->add_outgoing(part.other, kTag, message.buffer);
  }
  for (const Part& part : from_) {
    channel.incoming.push_back({part.begin, part.end, numbers(part), -1});
    Message& message = channel.incoming.back();
    message.line = channel.lines->add_incoming(part.other, kTag, message.buffer);
  }
  channels_.push_back(std::move(channel));
  return channels_.back();
}

}  // namespace talus::distribute
