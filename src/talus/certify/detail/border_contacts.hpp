#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <talus/certify/detail/central_residual.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// Central contacts that other ranks have and that touch a body which a tile of this rank touches
/// too. Their arms and impulses are sent by the ranks that have them, 48 bytes each; who sends what
/// follows from the bodies of the contacts, not from what sweeps hand over.
class BorderContacts {
 public:
  /// Those of a problem whose tiles are dealt out; kept on this thread while the deal stays.
  /// Collective where it is another one.
  [[nodiscard]] static BorderContacts& of(const problem::RigidContact& problem,
                                          distribute::Deal& deal);

  /// Gets arms and impulses as other ranks have them now. Collective.
  void exchange(const CentralResidual& data);
  /// In the order of the problem, in batches whose contacts may share bodies; bodies that no tile
  /// of this rank touches are left out. For passes that go through lanes one after the other.
  [[nodiscard]] const problem::CentralBatch* batches() const { return batches_.data(); }
  [[nodiscard]] const problem::ImpulseBatch* impulse() const { return impulse_.data(); }
  /// Batches of a phase.
  [[nodiscard]] problem::Tile of_phase(std::size_t phase) const { return phases_[phase]; }

 private:
  BorderContacts(const problem::RigidContact& problem, std::shared_ptr<distribute::Deal> deal);

  std::shared_ptr<distribute::Deal> deal_;
  distribute::ItemExchange slots_;
  std::vector<std::uint32_t> place_;  // 8 · batch + lane of every slot that is received
  std::vector<problem::CentralBatch> batches_;
  std::vector<problem::ImpulseBatch> impulse_;
  std::vector<problem::Tile> phases_;
};

}  // namespace talus::certify::detail
