#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include <talus/parallel/executor.hpp>

namespace talus::parallel {

/// Sorts by the value of a 64-bit function, on all threads; stable, so that the order does not
/// depend on their number.
///
/// Least significant digits first, in pieces: each piece counts its digits, and the counts of all
/// say where its items go. Bits that all values agree in cost nothing. Few items are
/// compared: for them the counts alone cost more. Cost O(n) per digit of at most 11 bits.
/// @param scratch of any size; keeps its memory.
template <class T, class Value>
void radix_sort_by(std::vector<T>& items, std::vector<T>& scratch, const Value& value) {
  constexpr std::size_t kFew = 512;
  if (items.size() < kFew) {
    std::stable_sort(items.begin(), items.end(),
                     [&](const T& a, const T& b) { return value(a) < value(b); });
    return;
  }
  constexpr int kMostBits = 11;
  constexpr Index kLeastGrain = 4096, kMostPieces = 64, kBucketsPerTask = 256;
  const auto count = static_cast<Index>(items.size());
  const Index grain = std::max(kLeastGrain, (count + kMostPieces - 1) / kMostPieces);
  const Index pieces = (count + grain - 1) / grain;

  std::array<std::uint64_t, kMostPieces> varies{};
  const std::uint64_t one = value(items[0]);
  for_ranges(count, grain, [&](Index begin, Index end) {
    std::uint64_t bits = 0;
    for (Index i = begin; i < end; ++i) bits |= value(items[i]) ^ one;
    varies[begin / grain] = bits;
  });
  std::uint64_t left = 0;
  for (const std::uint64_t bits : varies) left |= bits;

  scratch.resize(items.size());
  static thread_local std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t>& place = kept;  // of this thread, in others too
  while (left != 0) {
    const int shift = std::countr_zero(left), run = std::countr_one(left >> shift);
    const int digits = (run + kMostBits - 1) / kMostBits, bits = (run + digits - 1) / digits;
    const Index buckets = Index{1} << bits;
    const std::uint64_t mask = static_cast<std::uint64_t>(buckets) - 1;
    left &= ~(mask << shift);
    const auto bucket_of = [&](const T& item) { return value(item) >> shift & mask; };
    // How many of each piece, then how many of the pieces before it, are in a bucket.
    place.assign(static_cast<std::size_t>((pieces + 1) * buckets), 0);
    for_ranges(count, grain, [&](Index begin, Index end) {
      std::uint32_t* own = place.data() + begin / grain * buckets;
      for (Index i = begin; i < end; ++i) ++own[bucket_of(items[i])];
    });
    for_ranges(buckets, kBucketsPerTask, [&](Index begin, Index end) {
      for (Index bucket = begin; bucket < end; ++bucket) {
        std::uint32_t sum = 0;
        for (Index piece = 0; piece <= pieces; ++piece) {
          std::uint32_t& number = place[static_cast<std::size_t>(piece * buckets + bucket)];
          sum += std::exchange(number, sum);
        }
      }
    });
    std::uint32_t sum = 0;  // the last row has the totals: it becomes where each bucket begins
    for (Index bucket = 0; bucket < buckets; ++bucket)
      sum += std::exchange(place[static_cast<std::size_t>(pieces * buckets + bucket)], sum);
    for_ranges(count, grain, [&](Index begin, Index end) {
      std::uint32_t* next = place.data() + begin / grain * buckets;
      const std::uint32_t* first = place.data() + pieces * buckets;
      for (Index bucket = 0; bucket < buckets; ++bucket) next[bucket] += first[bucket];
      for (Index i = begin; i < end; ++i) scratch[next[bucket_of(items[i])]++] = items[i];
    });
    items.swap(scratch);
  }
}

}  // namespace talus::parallel
