#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <talus/distribute/shared_lists.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::certify::detail {

constexpr Index kNumbersPerPiece = 4096;

/// Adds the ends of pieces of kNumbersPerPiece, from the last one up to an end.
inline void add_pieces(Index end, std::vector<Index>& bounds) {
  while (bounds.back() < end) bounds.push_back(std::min(bounds.back() + kNumbersPerPiece, end));
}

/// Numbers that follow each other and are of one island, in pieces.
class IslandRuns {
 public:
  struct Run {
    Index begin, end, island;  ///< island: negative: of none
  };
  IslandRuns() = default;
  /// @param bounds piece k has the numbers from bounds[k] up to bounds[k + 1]; not empty.
  /// @param island_of a number; negative: of none.
  template <class IslandOf>
  IslandRuns(std::vector<Index> bounds, const IslandOf& island_of)
      : bounds_(std::move(bounds)), pieces_(bounds_.size() - 1) {
    parallel::for_each(piece_count(), [&](Index k) {
      const Index to = bounds_[k + 1];
      for (Index begin = bounds_[k], end = begin; begin < to; begin = end) {
        const Index island = island_of(begin);
        while (end < to && island_of(end) == island) ++end;
        pieces_[k].push_back({begin, end, island});
      }
    });
  }
  [[nodiscard]] Index piece_count() const { return std::ssize(pieces_); }
  [[nodiscard]] const std::vector<Run>& piece(Index k) const { return pieces_[k]; }
  [[nodiscard]] std::span<const Index> bounds() const { return bounds_; }

 private:
  std::vector<Index> bounds_;
  std::vector<std::vector<Run>> pieces_;
};

/// Which rank adds up which pieces.
struct PieceShare {
  distribute::Ranks* with = nullptr;  ///< null: each rank all of them
  distribute::DealtLists pieces;

  /// Consecutive ones by each rank. @param with null: alone.
  [[nodiscard]] static PieceShare in_a_row(distribute::Ranks* with, Index pieces) {
    if (with == nullptr) return {};
    return {with, distribute::deal_out_lists(static_cast<std::size_t>(pieces), with->count(),
                                             distribute::DealBy::in_a_row)};
  }
};

/// Sums of the islands over numbers, in pieces on all threads: of a piece in order, then of the
/// pieces in theirs, so that they do not depend on the number of threads, nor on the ranks that
/// add up pieces.
/// @param sum_of of [begin, end), which are of one island. @param sums gain them by Sum::add.
/// @param share collective where there is one.
/// @param none which of them numbers of no island are added to; negative: to none.
template <class Sum, class SumOf>
void add_by_islands(const IslandRuns& runs, const SumOf& sum_of, std::vector<Sum>& sums,
                    const PieceShare& share = {}, Index none = -1) {
  struct Part {
    Index island;
    Sum sum;
  };
  static thread_local std::vector<std::vector<Part>> kept;
  std::vector<std::vector<Part>>& pieces = kept;  // of this thread, in others too
  const auto piece_count = static_cast<std::size_t>(runs.piece_count());
  if (pieces.size() < piece_count) pieces.resize(piece_count);
  const auto island_of = [&](const IslandRuns::Run& run) {
    return run.island < 0 ? none : run.island;
  };
  const auto add_parts = [&](Index k) {
    std::vector<Part>& parts = pieces[static_cast<std::size_t>(k)];
    parts.clear();
    for (const IslandRuns::Run& run : runs.piece(k))
      if (const Index island = island_of(run); island >= 0)
        parts.push_back({island, sum_of(run.begin, run.end)});
  };
  if (share.with != nullptr) {
    const auto& [order, first] = share.pieces;
    const auto own = static_cast<std::size_t>(share.with->rank());
    const auto begin = static_cast<Index>(first[own]), end = static_cast<Index>(first[own + 1]);
    for (Index i = 0; i < static_cast<Index>(piece_count); ++i) {
      if (i >= begin && i < end) continue;
      const std::vector<IslandRuns::Run>& own_runs = runs.piece(static_cast<Index>(order[i]));
      pieces[order[i]].resize(static_cast<std::size_t>(
          std::count_if(own_runs.begin(), own_runs.end(),
                        [&](const IslandRuns::Run& run) { return island_of(run) >= 0; })));
    }
    parallel::for_each(end - begin, [&, &list = order](Index i) {
      add_parts(static_cast<Index>(list[static_cast<std::size_t>(begin + i)]));
    });
    distribute::complete_lists(*share.with, std::span(pieces).first(piece_count), share.pieces);
  } else {
    parallel::for_each(static_cast<Index>(piece_count), add_parts);
  }
  for (std::size_t k = 0; k < piece_count; ++k)
    for (const Part& part : pieces[k]) sums[static_cast<std::size_t>(part.island)].add(part.sum);
}

}  // namespace talus::certify::detail
