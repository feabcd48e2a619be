#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <talus/certify/detail/border_contacts.hpp>
#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/slot_share.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// Whose velocities after all impulses this rank makes, from all contacts that touch them, in the
/// order of one rank: those of all bodies that its tiles touch, where these are dealt out, and of
/// consecutive bodies, whole pieces of add_by_islands, where they are not.
///
/// Of contacts that other ranks have and that touch one of the former bodies too, it is sent the
/// impulses, and nothing that the sweeps hand over. Tiles that touch bodies of the latter kind of
/// several ranks are added by each of these; where bodies that lie together have numbers that do,
/// these are the tiles at a border.
class BodyShare {
 public:
  /// All bodies where the slots are not shared, and where there is one piece. The problem outlives
  /// this object.
  BodyShare(const problem::RigidContact& problem, const SlotShare& slots);

  /// Whose sums over bodies are this rank's.
  [[nodiscard]] const PieceShare& pieces() const { return pieces_; }
  /// Null where tiles are not dealt out.
  [[nodiscard]] distribute::Deal* deal() const { return deal_; }
  /// The rows of these bodies become those of the problem; the row of empty lanes is 0.
  void start(std::vector<problem::BodyVelocity>& rows) const;
  /// Adds what the impulses of central contacts do. @param data of all batches, and the rows.
  void add(const CentralResidualKernels& kernels, const CentralResidual& data) const;
  /// Makes the rows known to all ranks that have contacts with these bodies.
  void complete(std::vector<problem::BodyVelocity>& rows) const;

 private:
  [[nodiscard]] bool is_touched_by(problem::Tile tile) const;
  [[nodiscard]] bool is_own(std::uint32_t body) const { return body - first_ < count_; }

  const problem::RigidContact& problem_;
  distribute::Deal* deal_ = nullptr;
  PieceShare pieces_;
  std::vector<std::size_t> begin_;  // first body of every rank, and the end; empty with a deal
  std::uint32_t first_ = 0, count_;
};

}  // namespace talus::certify::detail
