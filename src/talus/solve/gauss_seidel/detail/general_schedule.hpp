#pragma once

#include <array>
#include <span>
#include <vector>

#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/pair_batch.hpp>

namespace talus::solve::detail {

/// The order of a problem's general contacts for sweeps: batches of eight pairs of bodies, each
/// pair with its contacts one after the other, in tiles, in colours of tiles.
///
/// Contacts of the same two bodies that follow each other in the problem are a pair, up to
/// kMostContacts of them. Pairs with most contacts come first, so that those of a batch have
/// equally many and few lanes of its rows are empty. The order does not depend on the impulses:
/// where it changed with them from step to step, walls at rest took half as many sweeps more. The
/// buffers are kept.
class GeneralSchedule {
 public:
  static constexpr std::uint32_t kEmpty = problem::ContactColouring::kEmpty;
  static constexpr std::size_t kMostContacts = 4;

  void build(const problem::RigidContact& problem);

  [[nodiscard]] std::span<const PairBatch> batches() const { return batches_; }
  /// The batches of a tile.
  [[nodiscard]] std::span<const PairBatch> batches(Index tile) const {
    const problem::Tile own = tiles()[tile];
    return batches().subspan(own.first, own.end - own.first);
  }
  /// The contact in every lane of every row, or kEmpty.
  [[nodiscard]] std::span<const std::uint32_t> contact_of_slot() const { return slots_; }
  /// As in ContactColouring, of batches of pairs; without contacts nothing.
  [[nodiscard]] std::span<const problem::Tile> tiles() const {
    return batches_.empty() ? std::span<const problem::Tile>() : schedule_.tiles();
  }
  [[nodiscard]] std::span<const std::uint32_t> colours() const {
    return batches_.empty() ? std::span<const std::uint32_t>() : schedule_.colours();
  }
  /// Calls visit(contact) for the contacts of a tile, in the order of its slots.
  template <class Visit>
  void for_contacts(Index tile, const Visit& visit) const {
    const auto batches = this->batches(tile);
    for (std::size_t slot = std::size_t{batches.front().first} * problem::kLanes;
         slot < std::size_t{batches.back().end} * problem::kLanes; ++slot)
      if (slots_[slot] != kEmpty) visit(slots_[slot]);
  }

 private:
  struct Pair {
    std::uint32_t first, count;  // contacts
  };
  void find_pairs(std::span<const problem::GeneralContact> contacts);
  void lay_out_rows(std::span<const std::uint32_t> pair_of_lane, std::uint32_t no_body);

  problem::ContactColouring schedule_;
  std::vector<Pair> found_, pairs_;  // as they come, and sorted
  std::vector<problem::ScheduledPair> bodies_;
  std::vector<unsigned char> is_movable_;
  std::vector<Vec3> place_;
  std::vector<PairBatch> batches_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace talus::solve::detail
