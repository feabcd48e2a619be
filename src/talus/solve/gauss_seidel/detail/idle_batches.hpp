#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <talus/parallel/executor.hpp>
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
  /// Nothing is idle until find() is called.
  void start() { is_idle_.clear(); }
  /// Whether it is worth looking: nothing has been looked for, or something was found.
  [[nodiscard]] bool may_be_any() const { return is_idle_.empty() || is_any_; }
  /// Finds those that bear nothing, neither now nor by extrapolation.
  /// @param count batches. @param bears whether a batch bears something.
  /// @return whether there are any.
  template <class Bears>
  bool find(std::span<const problem::Tile> tiles, std::size_t count, const Bears& bears) {
    if (is_idle_.empty()) is_idle_.assign(count, 1);
    parallel::for_each(static_cast<Index>(tiles.size()), [&](Index t) {
      for (std::uint32_t k = tiles[t].first; k < tiles[t].end; ++k)
        if (bears(k)) is_idle_[k] = 0;
    });
    is_any_ = std::find(is_idle_.begin(), is_idle_.end(), 1) != is_idle_.end();
    return is_any_;
  }
  /// One per batch.
  [[nodiscard]] const unsigned char* data() const { return is_idle_.data(); }

 private:
  std::vector<unsigned char> is_idle_;
  bool is_any_ = false;
};

}  // namespace talus::solve::detail
