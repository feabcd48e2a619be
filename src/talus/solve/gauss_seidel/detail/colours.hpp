#pragma once

#include <cstdint>
#include <span>

#include <talus/parallel/executor.hpp>
#include <talus/problem/central_batch.hpp>
#include <talus/solve/gauss_seidel/detail/lane_sums.hpp>

namespace talus::solve::detail {

/// Calls visit(tile) for the numbers of all tiles: colours one after the other, the tiles of a
/// colour on all threads.
template <class Visit>
void for_colours(std::span<const std::uint32_t> colours, const Visit& visit) {
  for (std::size_t c = 0; c + 1 < colours.size(); ++c) {
    const Index first = colours[c];
    parallel::for_each(colours[c + 1] - first, [&](Index t) { visit(first + t); });
  }
}

/// Sum of eight lanes in a fixed order.
inline double total(const double (&lane)[problem::kLanes]) {
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

}  // namespace talus::solve::detail
