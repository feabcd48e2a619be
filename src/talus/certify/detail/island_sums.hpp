#pragma once

#include <vector>

#include <talus/base/types.hpp>

namespace talus::certify::detail {

/// One island's sums in the energy norm, all in [J], and its worst contact.
struct IslandSum {
  Real error = 0;         ///< Σ ρᵢδᵢ²
  Real held = 0;          ///< the same over its constraints alone
  Real answer = 0;        ///< Σ ‖rᵢ‖²/ρᵢ
  Real free = 0;          ///< Σ ‖P_K(−ρᵢbᵢ)‖²/ρᵢ; only read where answer = 0
  Real work = 0;          ///< Σ |rᵢ·ûᵢ|, less what rounding makes
  Real stake = 0;         ///< Σ m V² over its bodies, V the largest of a body's contacts
  Real worst = -1;        ///< largest δᵢ/Vᵢ; −1 without contacts
  Index worst_slot = -1;  ///< where that is
  Real worst_error = 0;   ///< ρδ² there

  void look_at(Real violation, Index slot, Real slot_error) {
    if (!(violation > worst)) return;
    worst = violation;
    worst_slot = slot;
    worst_error = slot_error;
  }
  void add(const IslandSum& other) {
    error += other.error;
    held += other.held;
    answer += other.answer;
    free += other.free;
    work += other.work;
    stake += other.stake;
    look_at(other.worst, other.worst_slot, other.worst_error);
  }
  /// Whether the natural map needs `free`: there are errors and no impulses.
  [[nodiscard]] bool needs_free() const { return error > 0 && answer == 0; }
  /// √error/√answer, the denominator √free where answer = 0, or √held/√stake where that is larger;
  /// 0/0 = 0.
  [[nodiscard]] Real natural_map() const;
};

/// What the sums say of the islands together; 0 without islands.
struct IslandVerdict {
  Real natural_map = 0;  ///< the largest; NaN if one is
  Real work = 0;         ///< the largest work/stake; NaN if one is
  Real answer = 0;       ///< Σ ‖r‖²/ρ over all contacts
  Real denominator = 0;  ///< √answer, or √Σ free where that is 0

  /// √(Σ of squares) over the denominator; 0 where nothing presses or should.
  [[nodiscard]] Real ratio(Real squares) const;
};
[[nodiscard]] IslandVerdict judge(const std::vector<IslandSum>& islands);

}  // namespace talus::certify::detail
