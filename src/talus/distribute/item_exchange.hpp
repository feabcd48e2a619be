#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <talus/base/types.hpp>
#include <talus/distribute/ranks.hpp>

namespace talus::distribute {

/// Numbers of some items, bodies or contacts, go from ranks to ranks again and again: one message
/// from a rank to another, with the items in the order in which they were added.
class ItemExchange {
 public:
  /// An item goes from one rank to another.
  struct Way {
    int from, to;
    std::uint32_t item;
  };
  ItemExchange() = default;
  /// @param ways of all ranks: the same list on each of them, none from a rank to itself.
  ItemExchange(Ranks& ranks, std::span<const Way> ways);

  /// Sends and receives: pack(item, numbers) writes `width` numbers of an item, unpack(item,
  /// numbers) takes them, sender by sender. Collective: with the same width on all ranks.
  template <class Pack, class Unpack>
  void exchange(int width, const Pack& pack, const Unpack& unpack) {
    if (ranks_ == nullptr) return;
    Channel& channel = channel_of(width);
    const auto for_items = [&](std::span<const std::uint32_t> items, Message& message,
                               const auto& visit) {
      Real* at = message.buffer.data();
      for (std::size_t k = message.begin; k < message.end; ++k, at += width) visit(items[k], at);
    };
    for (Message& message : channel.incoming) channel.lines->start(message.line);
    for (Message& message : channel.outgoing) {
      for_items(sent_, message, pack);
      channel.lines->start(message.line);
    }
    for (Message& message : channel.incoming) {
      channel.lines->wait(message.line);
      for_items(received_, message,
                [&](std::uint32_t item, const Real* from) { unpack(item, from); });
    }
    for (Message& message : channel.outgoing) channel.lines->wait(message.line);
    ranks_->work().messages += static_cast<double>(messages_);
    ranks_->work().bytes += static_cast<double>(ways_) * width * sizeof(Real);
  }

  /// Items that this rank sends, those that it receives; in the order of ranks.
  [[nodiscard]] std::span<const std::uint32_t> sent() const { return sent_; }
  [[nodiscard]] std::span<const std::uint32_t> received() const { return received_; }

 private:
  struct Part {
    int other;               // rank
    std::size_t begin, end;  // of sent_ or received_
  };
  struct Message {
    std::size_t begin, end;
    std::vector<Real> buffer;
    Index line;
  };
  /// Messages of so many numbers an item.
  struct Channel {
    int width;
    std::unique_ptr<Lines> lines;
    std::vector<Message> outgoing, incoming;
  };
  [[nodiscard]] Channel& channel_of(int width);

  Ranks* ranks_ = nullptr;
  std::vector<std::uint32_t> sent_, received_;
  std::vector<Part> to_, from_;
  std::vector<Channel> channels_;
  Index messages_ = 0, ways_ = 0;  // of all ranks
};

}  // namespace talus::distribute
