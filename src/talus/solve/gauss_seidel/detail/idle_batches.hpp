#pragma once

#include <algorithm>
#include <vector>

#include <talus/problem/central_batch.hpp>

namespace talus::solve::detail {

inline bool is_zero(const problem::ImpulseBatch& batch) {
  for (const auto& row : batch.r)
    for (const double r : row)
      if (r != 0) return false;
  return true;
}

/// Batches whose contacts bear nothing, which most sweeps leave out. One that has once been found
/// to bear something is never left out again in the same solve: so their number falls until none
/// of them matters, and no contact comes and goes for ever.
class IdleBatches {
 public:
  /// Nothing has been looked at.
  void start(std::size_t batches) { state_.assign(batches, kUnknown); }
  /// Finds those of a tile that bear nothing, neither now nor by extrapolation; tiles do not share
  /// batches. @param bears (batch) whether it bears something.
  template <class Bears>
  void look_at(problem::Tile tile, const Bears& bears) {
    for (std::uint32_t k = tile.first; k < tile.end; ++k)
      if (state_[k] != kBears) state_[k] = bears(k) ? kBears : kIdle;
  }
  /// Whether there are any in the tiles that were looked at.
  [[nodiscard]] bool is_any() const {
    return std::find(state_.begin(), state_.end(), kIdle) != state_.end();
  }
  /// One per batch: not 0 where it is idle, if its tile was looked at.
  [[nodiscard]] const unsigned char* data() const { return state_.data(); }

 private:
  static constexpr unsigned char kBears = 0, kIdle = 1, kUnknown = 2;
  std::vector<unsigned char> state_;
};

}  // namespace talus::solve::detail
