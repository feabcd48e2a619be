#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/problem/solution.hpp>

namespace talus::solve::detail {

/// Keeps the history of a run where it is asked for; else it costs one test per iteration.
class History {
 public:
  History() = default;
  /// Takes the memory beforehand, so that an iteration takes none.
  History(bool is_kept, Index max_iterations) : is_kept_(is_kept) {
    if (!is_kept) return;
    const auto room = static_cast<std::size_t>(std::min(max_iterations, kLongest)) + 1;
    history_.residual.reserve(room);
    history_.energy.reserve(room);
  }

  [[nodiscard]] bool is_kept() const { return is_kept_; }

  /// @param energy NaN where the method does not compute it.
  void add(Real residual, Real energy = std::numeric_limits<Real>::quiet_NaN()) {
    if (!is_kept_) return;
    history_.residual.push_back(residual);
    if (!std::isnan(energy)) history_.energy.push_back(energy);
  }

  [[nodiscard]] Index size() const { return static_cast<Index>(history_.residual.size()); }
  /// As it stands, without the spare memory.
  [[nodiscard]] problem::SolveHistory get() const { return history_; }

 private:
  static constexpr Index kLongest = 1 << 20;  // entries that memory is taken for beforehand
  bool is_kept_ = false;
  problem::SolveHistory history_;
};

}  // namespace talus::solve::detail
