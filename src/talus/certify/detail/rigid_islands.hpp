#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <talus/base/unwritten.hpp>
#include <talus/certify/detail/add_by_islands.hpp>
#include <talus/certify/detail/central_residual.hpp>
#include <talus/certify/detail/contact_islands.hpp>
#include <talus/certify/detail/island_sums.hpp>
#include <talus/certify/detail/kept_rows.hpp>
#include <talus/certify/detail/slot_share.hpp>
#include <talus/math/simd.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify::detail {

/// Of all lanes, added in their order.
[[nodiscard]] inline double total(const double (&lane)[problem::kLanes]) {
  double sum = 0;
  for (const double x : lane) sum += x;
  return sum;
}

/// J v + bias n of a general contact for the bodies' velocities given [m/s], world.
[[nodiscard]] Vec3 relative_velocity(const problem::GeneralContact& contact,
                                     const std::vector<problem::BodyVelocity>& bodies);

/// Trace of a general contact's block A [1/kg].
[[nodiscard]] Real block_trace(const problem::RigidContact& problem,
                               const problem::GeneralContact& contact);

/// A general contact's block in world axes, without compliance: Σ m⁻¹ 1 − [a]ₓ S [a]ₓ over its two
/// sides.
[[nodiscard]] Mat3 block(const problem::RigidContact& problem,
                         const problem::GeneralContact& contact);

/// S = (1 + D⁻¹ C)⁻¹, D what a block gives way by along n, and across it in the mean. A velocity u
/// that a contact with the compliance C misses its law by takes an impulse (D + C)⁻¹ u to mend,
/// which bodies feel as S u: all of it where the law is rigid, next to nothing where it is soft. S
/// is symmetric.
/// @param compliance that of problem::Resistance.
[[nodiscard]] Mat3 felt_share(const Mat3& block, const Vec3& n, const Mat3& compliance);

/// Numbers of the contacts of a rigid problem, in the slots of its central batches (8 · batch +
/// lane), general contacts behind them, rows behind those.
class SlotNumbers {
 public:
  /// What they are is not known before they are written; what ranks do not write takes no memory.
  void resize(Index slots) {
    resize_unwritten(batches_, static_cast<std::size_t>(slots / problem::kLanes + 1));
  }
  [[nodiscard]] Real* data() { return batches_.front().of; }
  [[nodiscard]] const Real* data() const { return batches_.front().of; }
  [[nodiscard]] Real operator[](Index slot) const { return data()[slot]; }

 private:
  struct alignas(64) Batch {
    Real of[problem::kLanes];
  };
  UnwrittenList<Batch> batches_;  // never empty once resized
};

/// The islands of a rigid problem, bodies that contacts and rows join through movable ones, and
/// what does not depend on its impulses: ρ and V of every contact and row (velocity_scale.hpp).
/// Ranks share this without rows: each has ρ and V of the tiles of its slots only.
class RigidIslands {
 public:
  /// The problem outlives this object. Cost: one pass over the contacts, in lanes, and one over
  /// their numbers. @param rows of the problem. @param simd the answer does not depend on it.
  RigidIslands(const problem::RigidContact& problem, const KeptRows& rows, Simd simd);

  [[nodiscard]] const std::shared_ptr<const ContactIslands>& shape() const { return contacts_; }
  /// Whose slots are judged by whom.
  [[nodiscard]] SlotShare share() const {
    return problem_.rows.empty() ? share_ : SlotShare(contacts_->slot_runs(), count(), nullptr);
  }
  [[nodiscard]] Index slot_count() const { return static_cast<Index>(contacts_->of_slot().size()); }
  /// First slot of the general contacts.
  [[nodiscard]] Index first_general() const { return first_general_; }
  /// ρ of every slot [kg]; 0 in empty ones, and where nothing moves.
  [[nodiscard]] const SlotNumbers& rho() const { return rho_; }
  /// 1/V of every slot [s/m].
  [[nodiscard]] const SlotNumbers& inverse_scale() const { return inverse_scale_; }
  /// Σ ‖b‖² over the central contacts [m²/s²].
  [[nodiscard]] Real central_free2() const { return central_free2_; }
  [[nodiscard]] Index count() const { return static_cast<Index>(stake_.size()); }
  [[nodiscard]] std::uint32_t island(Index slot) const { return contacts_->of_slot()[slot]; }
  /// Whether nothing in an island approaches or is pulled by cohesion or drag: impulses of 0 are an
  /// answer, unless slip opens contacts (cone complementarity).
  [[nodiscard]] bool is_idle(Index island) const { return is_idle_[island] != 0; }
  /// Island of a movable body; −1 for bodies without contacts and immovable ones.
  [[nodiscard]] std::int32_t island_of_body(Index body) const { return contacts_->of_body()[body]; }

  /// Slot of a contact, or of a row where the number is the count of contacts and more.
  [[nodiscard]] Index slot_of(Index contact) const {
    const Index central = problem_.central.size();
    return contact < central ? problem_.central.slot[contact] : first_general_ + contact - central;
  }

  /// Sums of the islands, in the order of the slots of each lane. @param free ‖P_K(−ρb)‖²/ρ of a
  /// contact, by its number: called only where an island needs it. @param share each rank has the
  /// terms of its slots only.
  template <class Free>
  void sum(const ErrorTerms& terms, const CentralResidualKernels& kernels, const Free& free,
           const SlotShare& share, std::vector<IslandSum>& sums) const;

 private:
  void find_demands(const KeptRows& rows, const CentralResidualKernels& kernels,
                    SlotNumbers& approach, SlotNumbers& speed2);
  void sum_demands(const CentralResidualKernels& kernels, const SlotNumbers& approach,
                   const SlotNumbers& speed2);
  void find_scales(const CentralResidualKernels& kernels, const SlotNumbers& approach);

  const problem::RigidContact& problem_;
  std::shared_ptr<const ContactIslands> contacts_;
  Index first_general_ = 0;
  SlotShare share_;  // alone with rows: one rank may judge a machine
  SlotNumbers rho_, inverse_scale_;
  Real central_free2_ = 0;
  std::vector<Real> least_;  // V of every island's contacts at least
  std::vector<Real> stake_;  // IslandSum::stake of every island
  std::vector<unsigned char> is_idle_;
};

template <class Free>
void RigidIslands::sum(const ErrorTerms& terms, const CentralResidualKernels& kernels,
                       const Free& free, const SlotShare& share,
                       std::vector<IslandSum>& sums) const {
  sums.assign(stake_.size(), {});
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i].stake = stake_[i];
  add_by_islands(
      contacts_->slot_runs(),
      [&](Index begin, Index end) {
        ErrorSums lanes;
        kernels.sum_errors(terms, begin, end, lanes);
        IslandSum sum;
        sum.error = total(lanes.error);
        sum.answer = total(lanes.answer);
        sum.work = total(lanes.work);
        for (int l = 0; l < problem::kLanes; ++l)
          if (lanes.worst[l] > sum.worst ||
              (lanes.worst[l] == sum.worst && lanes.worst_slot[l] < sum.worst_slot)) {
            sum.worst = lanes.worst[l];
            sum.worst_slot = lanes.worst_slot[l];
          }
        if (sum.worst_slot >= 0) sum.worst_error = terms.error[sum.worst_slot];
        return sum;
      },
      sums, share.pieces());
  for (Index j = 0; j < problem_.rows.size(); ++j) {
    if (!problem_.rows.is_constraint(j)) continue;
    const Index slot = slot_of(problem_.contact_count() + j);
    sums[island(slot)].held += terms.error[slot];
  }
  std::vector<unsigned char> needs_free;
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i].needs_free()) {
      needs_free.resize(sums.size(), 0);
      needs_free[i] = 1;
    }
  if (needs_free.empty()) return;
  const Index count = problem_.contact_count() + problem_.rows.size();
  const std::span<const Index> bounds = contacts_->slot_runs().bounds();
  std::vector<Real> of_slot;  // where tiles are dealt out
  if (share.deal() != nullptr) {
    of_slot.resize(static_cast<std::size_t>(slot_count()), 0);
    for (Index c = 0; c < count; ++c) {
      const Index slot = slot_of(c);
      const auto tile = std::upper_bound(bounds.begin(), bounds.end(), slot) - bounds.begin() - 1;
      if (share.makes_tile(tile)) of_slot[slot] = free(c);
    }
    share.deal()->collect(std::span(of_slot),
                          [&](Index t, const auto& add) { add(bounds[t], bounds[t + 1]); });
  }
  for (Index c = 0; c < count; ++c) {
    const std::uint32_t island = this->island(slot_of(c));
    if (needs_free[island] != 0)
      sums[island].free += of_slot.empty() ? free(c) : of_slot[slot_of(c)];
  }
}

}  // namespace talus::certify::detail
