#pragma once

#include <talus/problem/central_batch.hpp>

namespace talus::solve::detail {

/// Sums over the contacts of a tile, one per lane.
struct alignas(64) LaneSums {
  double change[problem::kLanes] = {};  ///< ‖Δr‖²
  double size[problem::kLanes] = {};    ///< ‖r‖²
};

}  // namespace talus::solve::detail
