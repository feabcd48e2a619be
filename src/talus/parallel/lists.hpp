#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <talus/parallel/executor.hpp>

namespace talus::parallel {

constexpr Index kBytesPerTask = Index{1} << 17;  ///< of loops that only move memory

/// How many items of a type such a loop takes at once.
template <class T>
constexpr Index kItemsPerTask = std::max(Index{1}, kBytesPerTask / static_cast<Index>(sizeof(T)));

/// Copies numbers or plain structs on all threads, byte by byte: vectors of Eigen are plain too,
/// which std::copy() does not know. @param to as many as there are of `from`.
template <class T>
void copy(std::span<const T> from, T* to) {
  static_assert(std::is_trivially_destructible_v<T>);
  for_ranges(static_cast<Index>(from.size()), kItemsPerTask<T>, [&](Index begin, Index end) {
    std::memmove(static_cast<void*>(to + begin), static_cast<const void*>(from.data() + begin),
                 static_cast<std::size_t>(end - begin) * sizeof(T));
  });
}

/// The same into a list, which becomes as long.
template <class T>
void assign(std::span<const T> from, std::vector<T>& to) {
  to.resize(from.size());
  copy(from, to.data());
}

/// Makes all items of a list the same, on all threads.
template <class T>
void fill(std::vector<T>& list, const T& value) {
  for_ranges(static_cast<Index>(list.size()), kItemsPerTask<T>, [&](Index begin, Index end) {
    std::fill(list.begin() + begin, list.begin() + end, value);
  });
}

/// Lists of pieces of [0, count), `grain` numbers each: add(i, list) is called for all numbers of a
/// piece, rising, with its list. @param pieces keep their memory. @return the lists in their order.
template <class T, class Add>
std::span<const std::vector<T>> list_pieces(Index count, Index grain,
                                            std::vector<std::vector<T>>& pieces, const Add& add) {
  const auto piece_count = static_cast<std::size_t>((count + grain - 1) / grain);
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  for_ranges(count, grain, [&](Index begin, Index end) {
    std::vector<T>& piece = pieces[static_cast<std::size_t>(begin / grain)];
    piece.clear();
    for (Index i = begin; i < end; ++i) add(i, piece);
  });
  return std::span(pieces).first(piece_count);
}

/// One list of several, in their order, copied on all threads.
/// @param list what it held before is lost; its memory is kept.
template <class T>
void concatenate(std::span<const std::vector<T>> pieces, std::vector<T>& list) {
  static thread_local std::vector<std::size_t> kept;
  std::vector<std::size_t>& first = kept;  // of this thread, in others too
  first.assign(pieces.size() + 1, 0);
  for (std::size_t k = 0; k < pieces.size(); ++k) first[k + 1] = first[k] + pieces[k].size();
  list.resize(first.back());
  for_each(static_cast<Index>(pieces.size()), [&](Index k) {
    std::copy(pieces[k].begin(), pieces[k].end(),
              list.begin() + static_cast<std::ptrdiff_t>(first[k]));
  });
}

}  // namespace talus::parallel
