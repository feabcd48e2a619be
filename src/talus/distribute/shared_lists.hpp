#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <talus/distribute/ranks.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

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

/// Makes lists, of which each rank makes a consecutive part, on all threads; then all have all.
/// The same lists as on one rank, as make(k, list) depends on nothing else. Collective where this
/// thread has ranks and there is more than one list.
/// @param lists keep their memory. @tparam T can be copied byte by byte.
template <class T, class Make>
void make_lists(std::span<std::vector<T>> lists, const Make& make) {
  Ranks* const with = lists.size() < 2 ? nullptr : ranks();
  const std::vector<std::size_t> first =
      begins_of_ranks(lists.size(), with == nullptr ? 1 : with->count());
  const auto own = static_cast<std::size_t>(with == nullptr ? 0 : with->rank());
  parallel::for_each(static_cast<Index>(first[own + 1] - first[own]), [&](Index i) {
    std::vector<T>& list = lists[first[own] + static_cast<std::size_t>(i)];
    list.clear();
    make(static_cast<Index>(first[own]) + i, list);
  });
  if (with == nullptr) return;
  std::vector<std::uint64_t> length(lists.size());
  for (std::size_t k = first[own]; k < first[own + 1]; ++k) length[k] = lists[k].size();
  gather(*with, std::span(length), first);
  std::vector<std::size_t> begin(1, 0);  // of the lists, in bytes
  for (const std::uint64_t items : length) begin.push_back(begin.back() + items * sizeof(T));
  std::vector<std::size_t> of_rank;
  for (const std::size_t k : first) of_rank.push_back(begin[k]);
  static thread_local std::vector<std::byte> all;
  all.resize(begin.back());
  const auto for_lists = [&](std::size_t from, std::size_t to, const auto& copy) {
    for (std::size_t k = from; k < to; ++k)
      copy(lists[k], all.data() + begin[k], begin[k + 1] - begin[k]);
  };
  const auto put = [](const std::vector<T>& list, std::byte* at, std::size_t size) {
    if (size > 0) std::memcpy(at, static_cast<const void*>(list.data()), size);
  };
  const auto take = [](std::vector<T>& list, const std::byte* at, std::size_t size) {
    list.resize(size / sizeof(T));
    if (size > 0) std::memcpy(static_cast<void*>(list.data()), at, size);
  };
  for_lists(first[own], first[own + 1], put);
  with->gather(all, of_rank);
  for_lists(0, first[own], take);
  for_lists(first[own + 1], lists.size(), take);
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

/// parallel::list_pieces, of which each rank makes its part (make_lists).
template <class T, class Add>
std::span<const std::vector<T>> list_pieces(Index count, Index grain,
                                            std::vector<std::vector<T>>& pieces, const Add& add) {
  const auto piece_count = static_cast<std::size_t>((count + grain - 1) / grain);
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  const auto used = std::span(pieces).first(piece_count);
  make_lists(used, [&](Index k, std::vector<T>& piece) {
    const Index begin = k * grain, end = begin + grain < count ? begin + grain : count;
    for (Index i = begin; i < end; ++i) add(i, piece);
  });
  return used;
}

}  // namespace talus::distribute
