#pragma once

#include <vector>

#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {

/// Sums of the islands over the numbers [0, count), in pieces on all threads: of a piece in order,
/// then of the pieces in theirs, so that they do not depend on the number of threads.
/// @param island_of a number; negative: of none.
/// @param sum_of of [begin, end), which are of one island. @param sums gain them by Sum::add.
template <class Sum, class IslandOf, class SumOf>
void add_by_islands(Index count, const IslandOf& island_of, const SumOf& sum_of,
                    std::vector<Sum>& sums) {
  constexpr Index kPerPiece = 4096;
  struct Part {
    Index island;
    Sum sum;
  };
  static thread_local std::vector<std::vector<Part>> kept;
  std::vector<std::vector<Part>>& pieces = kept;  // of this thread, in others too
  const auto piece_count = static_cast<std::size_t>((count + kPerPiece - 1) / kPerPiece);
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  parallel::for_ranges(count, kPerPiece, [&](Index from, Index to) {
    std::vector<Part>& parts = pieces[static_cast<std::size_t>(from / kPerPiece)];
    parts.clear();
    for (Index begin = from, end = from; begin < to; begin = end) {
      const Index island = island_of(begin);
      while (end < to && island_of(end) == island) ++end;
      if (island >= 0) parts.push_back({island, sum_of(begin, end)});
    }
  });
  for (std::size_t k = 0; k < piece_count; ++k)
    for (const Part& part : pieces[k]) sums[static_cast<std::size_t>(part.island)].add(part.sum);
}

}  // namespace talus::certify::detail
