#pragma once

#include <talus/problem/central_batch.hpp>

namespace talus::solve::detail {

/// Sums over the contacts of a tile, one per lane.
struct alignas(64) LaneSums {
  double change[problem::kLanes] = {};  ///< ‖Δr‖²
  double size[problem::kLanes] = {};    ///< ‖r‖²
};

/// Sum of eight lanes in a fixed order.
inline double total(const double (&lane)[problem::kLanes]) {
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

}  // namespace talus::solve::detail
