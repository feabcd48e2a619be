#pragma once

#include <span>
#include <vector>

#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {

constexpr Index kNumbersPerPiece = 4096;

/// Numbers that follow each other and are of one island, in pieces of kNumbersPerPiece.
class IslandRuns {
 public:
  struct Run {
    Index begin, end, island;  ///< island: negative: of none
  };
  IslandRuns() = default;
  /// @param count the numbers are [0, count). @param island_of a number; negative: of none.
  template <class IslandOf>
  IslandRuns(Index count, const IslandOf& island_of)
      : pieces_(static_cast<std::size_t>((count + kNumbersPerPiece - 1) / kNumbersPerPiece)) {
    parallel::for_ranges(count, kNumbersPerPiece, [&](Index from, Index to) {
      for (Index begin = from, end = from; begin < to; begin = end) {
        const Index island = island_of(begin);
        while (end < to && island_of(end) == island) ++end;
        pieces_[from / kNumbersPerPiece].push_back({begin, end, island});
      }
    });
  }
  [[nodiscard]] Index piece_count() const { return std::ssize(pieces_); }
  [[nodiscard]] const std::vector<Run>& piece(Index k) const { return pieces_[k]; }

 private:
  std::vector<std::vector<Run>> pieces_;
};

/// Sums of the islands over numbers, in pieces on all threads: of a piece in order, then of the
/// pieces in theirs, so that they do not depend on the number of threads.
/// @param sum_of of [begin, end), which are of one island. @param sums gain them by Sum::add.
/// @param none which of them numbers of no island are added to; negative: to none.
/// @param is_shared whether each rank adds up its pieces only (distribute::make_lists); collective.
template <class Sum, class SumOf>
void add_by_islands(const IslandRuns& runs, const SumOf& sum_of, std::vector<Sum>& sums,
                    bool is_shared = false, Index none = -1) {
  struct Part {
    Index island;
    Sum sum;
  };
  static thread_local std::vector<std::vector<Part>> kept;
  std::vector<std::vector<Part>>& pieces = kept;  // of this thread, in others too
  const auto piece_count = static_cast<std::size_t>(runs.piece_count());
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  const auto add_parts = [&](Index k, std::vector<Part>& parts) {
    for (const IslandRuns::Run& run : runs.piece(k))
      if (const Index island = run.island < 0 ? none : run.island; island >= 0)
        parts.push_back({island, sum_of(run.begin, run.end)});
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
