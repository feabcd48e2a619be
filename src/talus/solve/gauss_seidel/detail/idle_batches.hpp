#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <talus/distribute/hand_overs.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/problem/central_batch.hpp>

namespace talus::solve::detail {

/// Batches whose contacts bear nothing, which most sweeps leave out. One that has once been found
/// to bear something is never left out again in the same solve: so their number falls until none
/// of them matters, and no contact comes and goes for ever.
class IdleBatches {
 public:
  /// Nothing is idle until find() is called.
  void start() { is_idle_.clear(); }
  /// Whether it is worth looking: nothing has been looked for, or something was found.
  [[nodiscard]] bool may_be_any() const { return is_idle_.empty() || is_any_; }
  /// Finds those whose impulses are 0, and would be by extrapolation.
  /// @param old impulses of the sweep before, or nothing where there is no extrapolation.
  /// @param hand_overs where tiles are shared, each rank looks at its own.
  /// @return whether there are any, on any rank.
  template <class T>
  bool find(std::span<const problem::Tile> tiles,
            std::span<const problem::ImpulseBatchOf<T>> impulse,
            std::span<const problem::ImpulseBatchOf<T>> old,
            const distribute::HandOvers& hand_overs) {
    const bool is_first = is_idle_.empty();
    is_idle_.resize(impulse.size(), 0);
    const auto look_at = [&](Index t) {
      if (t >= static_cast<Index>(tiles.size())) return;  // other contacts
      for (std::uint32_t k = tiles[t].first; k < tiles[t].end; ++k) {
        const bool may_be = is_first || is_idle_[k] != 0;
        is_idle_[k] = may_be && is_zero(impulse[k]) && (old.empty() || is_zero(old[k])) ? 1 : 0;
      }
    };
    if (hand_overs.is_shared())
      hand_overs.for_each_own(look_at);
    else
      parallel::for_each(static_cast<Index>(tiles.size()), look_at);
    is_any_ = hand_overs.agree(std::find(is_idle_.begin(), is_idle_.end(), 1) != is_idle_.end());
    return is_any_;
  }
  /// One per batch.
  [[nodiscard]] const unsigned char* data() const { return is_idle_.data(); }

 private:
  template <class T>
  static bool is_zero(const problem::ImpulseBatchOf<T>& batch) {
    for (const auto& row : batch.r)
      for (const T r : row)
        if (r != 0) return false;
    return true;
  }
  std::vector<unsigned char> is_idle_;
  bool is_any_ = false;
};

}  // namespace talus::solve::detail
