#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <talus/base/types.hpp>

namespace talus {

/// Sets of the numbers 0 … n − 1 without a common member, by a forest with path halving
/// (key `tarjan_1984`). A set is named by its smallest member, whatever the order of the joins.
class DisjointSets {
 public:
  explicit DisjointSets(Index count = 0) { start(count); }
  /// Every number is a set of its own. @param count n ≥ 0.
  void start(Index count) {
    parent_.resize(count);
    std::iota(parent_.begin(), parent_.end(), Index{0});
  }
  [[nodiscard]] Index size() const { return static_cast<Index>(parent_.size()); }
  /// The smallest member of the set of i, in [0, n). Cost: O(log n) amortised, nearly constant.
  [[nodiscard]] Index root(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Makes one set of those of a and b.
  void join(Index a, Index b) {
    a = root(a);
    b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<Index> parent_;
};

}  // namespace talus
