#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::parallel {

/// Disjoint sets of the numbers 0 … n − 1, as DisjointSets, that all threads may join at once: a
/// root is hung below a smaller one by an exchange that fails where another thread was faster
/// (`jayanti_2021`). A set is named by its smallest member, whatever the order of the joins.
class SharedSets {
 public:
  /// Every number is a set of its own.
  explicit SharedSets(Index count) : parent_(static_cast<std::size_t>(count)) {
    for_ranges(count, kItemsPerTask<std::uint32_t>, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) parent_[i] = static_cast<std::uint32_t>(i);
    });
  }
  /// The smallest member of the set of i, once all joins are made; before, a member of it.
  [[nodiscard]] std::uint32_t root(std::uint32_t i) {
    for (std::uint32_t above = get(i); above != i; above = get(i)) {
      const std::uint32_t next = get(above);
      if (next != above) at(i).store(next, std::memory_order_relaxed);
      i = next;
    }
    return i;
  }
  /// Makes one set of those of a and b.
  void join(std::uint32_t a, std::uint32_t b) {
    if (get(a) == get(b)) return;  // most of those that are joined already
    for (;;) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      std::uint32_t own = a;
      if (at(a).compare_exchange_strong(own, b, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::atomic_ref<std::uint32_t> at(std::uint32_t i) { return std::atomic_ref(parent_[i]); }
  std::uint32_t get(std::uint32_t i) { return at(i).load(std::memory_order_relaxed); }

  std::vector<std::uint32_t> parent_;  // never larger than its number
};

}  // namespace talus::parallel
