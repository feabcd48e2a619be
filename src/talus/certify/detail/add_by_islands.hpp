#pragma once

#include <vector>

#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {

constexpr Index kNumbersPerPiece = 4096;

/// Sums of the islands over the numbers [0, count), in pieces on all threads: of a piece in order,
/// then of the pieces in theirs, so that they do not depend on the number of threads.
/// @param island_of a number; negative: of none.
/// @param sum_of of [begin, end), which are of one island. @param sums gain them by Sum::add.
/// @param is_shared whether each rank adds up its pieces only (distribute::make_lists); collective.
template <class Sum, class IslandOf, class SumOf>
void add_by_islands(Index count, const IslandOf& island_of, const SumOf& sum_of,
                    std::vector<Sum>& sums, bool is_shared = false) {
  struct Part {
    Index island;
    Sum sum;
  };
  static thread_local std::vector<std::vector<Part>> kept;
  std::vector<std::vector<Part>>& pieces = kept;  // of this thread, in others too
  const auto piece_count =
      static_cast<std::size_t>((count + kNumbersPerPiece - 1) / kNumbersPerPiece);
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  const auto add_parts = [&](Index k, std::vector<Part>& parts) {
    const Index from = k * kNumbersPerPiece;
    const Index to = from + kNumbersPerPiece < count ? from + kNumbersPerPiece : count;
    for (Index begin = from, end = from; begin < to; begin = end) {
      const Index island = island_of(begin);
      while (end < to && island_of(end) == island) ++end;
      if (island >= 0) parts.push_back({island, sum_of(begin, end)});
    }
  };
  if (is_shared) {
    distribute::make_lists(std::span(pieces).first(piece_count), add_parts,
                           distribute::Deal::in_a_row);
  } else {
    parallel::for_each(static_cast<Index>(piece_count), [&](Index k) {
      std::vector<Part>& parts = pieces[static_cast<std::size_t>(k)];
      parts.clear();
      add_parts(k, parts);
    });
  }
  for (std::size_t k = 0; k < piece_count; ++k)
    for (const Part& part : pieces[k]) sums[static_cast<std::size_t>(part.island)].add(part.sum);
}

}  // namespace talus::certify::detail
