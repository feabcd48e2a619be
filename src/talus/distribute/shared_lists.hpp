#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <talus/distribute/ranks.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/parallel/radix_sort.hpp>

namespace talus::distribute {

/// Where the items of every rank begin if each takes consecutive ones, as many as the others.
/// @return one number more than there are ranks; the last one is the count of items.
[[nodiscard]] std::vector<std::size_t> begins_of_ranks(std::size_t items, int ranks);

/// Makes items that every rank has a consecutive part of known to all. Collective.
/// @param begin as begins_of_ranks has it, of the items.
template <class Item>
void gather(Ranks& with, std::span<Item> items, std::vector<std::size_t> begin) {
  for (std::size_t& at : begin) at *= sizeof(Item);
  with.gather(std::as_writable_bytes(items), begin);
}

/// So many bytes of a buffer that only grows: what is to be written over is not cleared before.
[[nodiscard]] inline std::span<std::byte> room_for(std::size_t bytes,
                                                   std::vector<std::byte>& buffer) {
  if (buffer.size() < bytes) buffer.resize(bytes);
  return std::span(buffer).first(bytes);
}

/// Which of several lists a rank makes.
enum class DealBy : unsigned char {
  in_a_row,  ///< consecutive ones, as begins_of_ranks has them
  in_turn,   ///< every N-th of N ranks: so the work is equal where it changes along the lists
};

/// The numbers of lists, rank by rank.
struct DealtLists {
  std::vector<std::size_t> order;
  std::vector<std::size_t> first;  ///< of every rank in that order, and the end
};
[[nodiscard]] DealtLists deal_out_lists(std::size_t lists, int ranks, DealBy deal);

/// Makes items known to all, of which each rank has those dealt out to it. Collective.
/// @tparam Item can be copied byte by byte.
template <class Item>
void complete_dealt(Ranks& with, std::span<Item> items, const DealtLists& dealt) {
  static thread_local std::vector<std::byte> kept;
  static thread_local std::vector<std::size_t> begin;
  const std::span<std::byte> exchange = room_for(items.size_bytes(), kept);
  begin.clear();
  for (const std::size_t first : dealt.first) begin.push_back(first * sizeof(Item));
  const auto own = static_cast<std::size_t>(with.rank());
  const auto at = [&](std::size_t k) { return exchange.data() + k * sizeof(Item); };
  for (std::size_t k = dealt.first[own]; k < dealt.first[own + 1]; ++k)
    std::memcpy(at(k), static_cast<const void*>(&items[dealt.order[k]]), sizeof(Item));
  with.gather(exchange, begin);
  for (std::size_t k = 0; k < dealt.order.size(); ++k)
    if (k < dealt.first[own] || k >= dealt.first[own + 1])
      std::memcpy(static_cast<void*>(&items[dealt.order[k]]), at(k), sizeof(Item));
}

/// Makes lists known to all, whose lengths all ranks know, and of which each rank has made those
/// dealt out to it. Collective.
/// @param lists have their lengths. @tparam T can be copied byte by byte.
template <class T>
void complete_lists(Ranks& with, std::span<std::vector<T>> lists, const DealtLists& dealt) {
  const auto& [order, first] = dealt;
  static thread_local std::vector<std::byte> kept;
  std::vector<std::size_t> begin(1, 0);  // of the lists, in that order, in bytes
  begin.reserve(order.size() + 1);
  for (const std::size_t list : order)
    begin.push_back(begin.back() + lists[list].size() * sizeof(T));
  std::vector<std::size_t> of_rank;
  of_rank.reserve(first.size());
  for (const std::size_t k : first) of_rank.push_back(begin[k]);
  const std::span<std::byte> all = room_for(begin.back(), kept);
  const auto for_lists = [&, &order = order](std::size_t from, std::size_t to, const auto& copy) {
    for (std::size_t k = from; k < to; ++k)
      if (begin[k + 1] > begin[k])
        copy(static_cast<void*>(lists[order[k]].data()), all.data() + begin[k],
             begin[k + 1] - begin[k]);
  };
  const auto put = [](const void* list, std::byte* at, std::size_t size) {
    std::memcpy(at, list, size);
  };
  const auto take = [](void* list, const std::byte* at, std::size_t size) {
    std::memcpy(list, at, size);
  };
  const auto own = static_cast<std::size_t>(with.rank());
  for_lists(first[own], first[own + 1], put);
  with.gather(all, of_rank);
  for_lists(0, first[own], take);
  for_lists(first[own + 1], order.size(), take);
}

/// The same where each rank has the lengths of its lists alone.
template <class T>
void gather_lists(Ranks& with, std::span<std::vector<T>> lists, const DealtLists& dealt) {
  const auto& [order, first] = dealt;
  std::vector<std::uint64_t> length(lists.size());  // in that order
  const auto own = static_cast<std::size_t>(with.rank());
  for (std::size_t k = first[own]; k < first[own + 1]; ++k) length[k] = lists[order[k]].size();
  gather(with, std::span(length), first);
  for (std::size_t k = 0; k < order.size(); ++k)
    if (k < first[own] || k >= first[own + 1]) lists[order[k]].resize(length[k]);
  complete_lists(with, lists, dealt);
}

/// Makes lists, of which each rank makes a part, on all threads; then all have all. The same lists
/// as on one rank, as make(k, list) depends on nothing else. Collective where this thread has ranks
/// and there is more than one list.
/// @param lists keep their memory. @tparam T can be copied byte by byte.
template <class T, class Make>
void make_lists(std::span<std::vector<T>> lists, const Make& make, DealBy deal) {
  Ranks* const with = lists.size() < 2 ? nullptr : ranks();
  const DealtLists dealt = deal_out_lists(lists.size(), with == nullptr ? 1 : with->count(), deal);
  const auto own = static_cast<std::size_t>(with == nullptr ? 0 : with->rank());
  const std::size_t begin_own = dealt.first[own], end_own = dealt.first[own + 1];
  parallel::for_each(static_cast<Index>(end_own - begin_own), [&](Index i) {
    const std::size_t k = dealt.order[begin_own + static_cast<std::size_t>(i)];
    lists[k].clear();
    make(static_cast<Index>(k), lists[k]);
  });
  if (with != nullptr) gather_lists(*with, lists, dealt);
}

/// Writes items, of which each rank writes a consecutive part, on all threads; then all have all.
/// Collective where this thread has ranks and there are more items than `grain`.
/// @param write (begin, end) writes the items [begin, end), at most `grain` of them.
/// @tparam Item can be copied byte by byte.
template <class Item, class Write>
void write_items(std::span<Item> items, Index grain, const Write& write) {
  const auto count = static_cast<Index>(items.size());
  Ranks* const with = count <= grain ? nullptr : ranks();
  if (with == nullptr) return parallel::for_ranges(count, grain, write);
  const std::vector<std::size_t> first = begins_of_ranks(items.size(), with->count());
  const auto own = static_cast<std::size_t>(with->rank());
  const auto begin = static_cast<Index>(first[own]), end = static_cast<Index>(first[own + 1]);
  parallel::for_ranges(end - begin, grain,
                       [&](Index from, Index to) { write(begin + from, begin + to); });
  gather(*with, items, first);
}

/// parallel::radix_sort_by, where each rank sorts the items whose values lie in a range; then all
/// have all. Collective where this thread has ranks and there are many.
/// @tparam T can be copied byte by byte.
template <class T, class Value>
void sort_by(std::vector<T>& items, std::vector<T>& scratch, const Value& value) {
  constexpr std::size_t kFew = 4096, kSamplesPerRank = 128;
  constexpr Index kItemsPerPiece = 4096;
  Ranks* const with = items.size() <= kFew ? nullptr : ranks();
  if (with == nullptr) return parallel::radix_sort_by(items, scratch, value);
  const auto parts = static_cast<std::size_t>(with->count());
  const auto rank = static_cast<std::size_t>(with->rank());
  std::vector<std::uint64_t> sample;
  for (std::size_t k = 0; k < kSamplesPerRank * parts; ++k)
    sample.push_back(value(items[k * items.size() / (kSamplesPerRank * parts)]));
  std::sort(sample.begin(), sample.end());
  // Those of the first rank have no lower bound, those of the last one no upper bound.
  const std::uint64_t low = rank == 0 ? 0 : sample[kSamplesPerRank * rank];
  const bool is_last = rank + 1 == parts;
  const std::uint64_t end = is_last ? 0 : sample[kSamplesPerRank * (rank + 1)];
  static thread_local std::vector<std::vector<T>> pieces;
  static thread_local std::vector<T> own;
  const auto take = [&](Index i, std::vector<T>& piece) {
    const std::uint64_t of = value(items[static_cast<std::size_t>(i)]);
    if (of >= low && (is_last || of < end)) piece.push_back(items[static_cast<std::size_t>(i)]);
  };
  parallel::concatenate(
      parallel::list_pieces(static_cast<Index>(items.size()), kItemsPerPiece, pieces, take), own);
  parallel::radix_sort_by(own, scratch, value);
  std::vector<std::size_t> begin(1, 0);
  for (const std::uint64_t count : with->numbers(own.size()))
    begin.push_back(begin.back() + static_cast<std::size_t>(count));
  parallel::copy(std::span<const T>(own), items.data() + begin[rank]);
  gather(*with, std::span(items), std::move(begin));
}

/// Whether something is so for all i in [0, count), of which each rank looks at a part, on all
/// threads. Collective where this thread has ranks and there are more than `grain`.
template <class Is>
[[nodiscard]] bool all_of(Index count, Index grain, const Is& is_so) {
  Ranks* const with = count <= grain ? nullptr : ranks();
  if (with == nullptr) return parallel::all_of(count, grain, is_so);
  const auto begin_of = [&](Index rank) { return count * rank / with->count(); };
  const Index begin = begin_of(with->rank()), end = begin_of(with->rank() + 1);
  return !with->any(
      !parallel::all_of(end - begin, grain, [&](Index i) { return is_so(begin + i); }));
}

/// Calls raise(i) for all i in [0, count), of which each rank takes a part, one after the other;
/// each may make some of the numbers larger. Then all have the largest that some rank has.
/// Collective where this thread has ranks and there are more than `grain`.
template <class Raise>
void raise_all(Index count, Index grain, std::span<Real> numbers, const Raise& raise) {
  Ranks* const with = count <= grain ? nullptr : ranks();
  const Index parts = with == nullptr ? 1 : with->count();
  const Index own = with == nullptr ? 0 : with->rank();
  for (Index i = count * own / parts; i < count * (own + 1) / parts; ++i) raise(i);
  if (with != nullptr) with->take_largest(numbers);
}

/// parallel::list_pieces, which ranks make in turn (make_lists).
template <class T, class Add>
std::span<const std::vector<T>> list_pieces(Index count, Index grain,
                                            std::vector<std::vector<T>>& pieces, const Add& add) {
  const auto piece_count = static_cast<std::size_t>((count + grain - 1) / grain);
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  const auto used = std::span(pieces).first(piece_count);
  make_lists(
      used,
      [&](Index k, std::vector<T>& piece) {
        const Index begin = k * grain, end = begin + grain < count ? begin + grain : count;
        for (Index i = begin; i < end; ++i) add(i, piece);
      },
      DealBy::in_turn);
  return used;
}

}  // namespace talus::distribute
