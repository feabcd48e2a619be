#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <talus/certify/detail/slot_share.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// Whose velocities after all impulses this rank makes: of consecutive bodies, whole pieces of
/// add_by_islands, from all contacts that touch them, in the order of one rank. Tiles that touch
/// bodies of several ranks are added by each of these; where bodies that lie together have numbers
/// that do, these are the tiles at a border.
class BodyShare {
 public:
  /// All bodies where the slots are not shared, and where there is one piece. The problem outlives
  /// this object.
  BodyShare(const problem::RigidContact& problem, const SlotShare& slots)
      : problem_(problem), count_(static_cast<std::uint32_t>(problem.bodies.size())) {
    const std::size_t pieces = (problem.bodies.size() + kNumbersPerPiece - 1) / kNumbersPerPiece;
    if (!slots.is_shared() || pieces < 2) return;
    ranks_ = distribute::ranks();
    for (const std::size_t piece : distribute::begins_of_ranks(pieces, ranks_->count()))
      begin_.push_back(std::min(piece * kNumbersPerPiece, problem.bodies.size()));
    const auto own = static_cast<std::size_t>(ranks_->rank());
    first_ = static_cast<std::uint32_t>(begin_[own]);
    count_ = static_cast<std::uint32_t>(begin_[own + 1]) - first_;
  }
  [[nodiscard]] bool is_shared() const { return ranks_ != nullptr; }
  /// Whether a tile of central contacts touches a movable one of them.
  [[nodiscard]] bool is_touched_by(problem::Tile tile) const {
    if (!is_shared()) return true;
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const problem::CentralBatch& batch = problem_.central.batches[k];
      bool has_own = false;
      for (int l = 0; l < problem::kLanes; ++l)
        has_own |= is_own(batch.body_a[l]) || is_own(batch.body_b[l]);
      const auto moves = [&](std::uint32_t body) {
        return is_own(body) && problem_.bodies[body].inverse_mass > 0;
      };
      if (has_own &&
          (k < tile.checked || std::any_of(batch.body_a, std::end(batch.body_a), moves) ||
           std::any_of(batch.body_b, std::end(batch.body_b), moves)))
        return true;
    }
    return false;
  }
  /// The rows of these bodies become those of the problem.
  void start(std::vector<problem::BodyVelocity>& rows) const {
    parallel::copy(std::span(problem_.bodies).subspan(first_, count_), rows.data() + first_);
  }
  /// Makes the rows of all bodies known to all ranks.
  void complete(std::vector<problem::BodyVelocity>& rows) const {
    if (is_shared())
      distribute::gather(*ranks_, std::span(rows).first(problem_.bodies.size()), begin_);
  }

 private:
  [[nodiscard]] bool is_own(std::uint32_t body) const { return body - first_ < count_; }

  const problem::RigidContact& problem_;
  distribute::Ranks* ranks_ = nullptr;
  std::vector<std::size_t> begin_;  // first body of every rank, and the end
  std::uint32_t first_ = 0, count_;
};

}  // namespace talus::certify::detail
