#pragma once

#include <talus/problem/central_batch.hpp>

namespace talus::solve::detail {

/// Eight pairs of bodies that share no movable body. Row first + p holds the contact p of each. An
/// empty lane belongs to the row behind the last body.
struct PairBatch {
  std::uint32_t body_a[problem::kLanes], body_b[problem::kLanes];
  std::uint32_t first = 0, end = 0;  ///< rows of contacts
};

}  // namespace talus::solve::detail
