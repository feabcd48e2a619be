#pragma once

#include <vector>

#include <talus/linalg/rank.hpp>
#include <talus/math/vector.hpp>

namespace talus::linalg {

/// Which of dependent rows are kept.
enum class RowChoice : unsigned char {
  earliest,         ///< those that do not depend on the rows before them
  best_conditioned  ///< the largest pivot at each step: Cholesky with diagonal pivoting
};

/// A largest set of independent rows of J, from the Gram matrix J M⁻¹ Jᵀ, by Cholesky. A row whose
/// pivot falls to tolerance.relative of its diagonal depends on those taken before it; one with the
/// diagonal 0 is never independent.
/// @param gram n×n, symmetric, positive semidefinite. @return one per row. Cost O(n³).
[[nodiscard]] std::vector<bool> independent_rows(MatX gram, RankTolerance tolerance,
                                                 RowChoice choice);

}  // namespace talus::linalg
