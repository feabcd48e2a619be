#pragma once

#include <algorithm>
#include <limits>

#include <talus/base/types.hpp>

namespace talus::linalg {

/// What counts as linearly dependent. A rank-revealing factorisation brings out pivots pᵢ (of U in
/// P A Q = L U, of R in A P = Q R) or singular values; those with
///   |pᵢ| ≤ relative · maxⱼ |pⱼ|
/// are round-off, and the number of the others is the rank (Golub & Van Loan 2013, §5.4, key
/// `golub_2013`). Rows and columns should be scaled to about one size before.
struct RankTolerance {
  Real relative = 0;  ///< 0: the machine epsilon times the smaller of rows and columns
  [[nodiscard]] Real of(Index rows, Index columns) const {
    return relative > 0
               ? relative
               : std::numeric_limits<Real>::epsilon() * static_cast<Real>(std::min(rows, columns));
  }
};

/// Entries as exact as the numbers they are stored in.
inline constexpr RankTolerance kStoredRank{0};
/// Entries about 1 that carry the round-off of a few products: blocks of scaled problems.
inline constexpr RankTolerance kScaledRank{1e-12};
/// Pivots of a Gram matrix J M⁻¹ Jᵀ with unit diagonal, which are squares: distances of 3e-6.
inline constexpr RankTolerance kGramRank{1e-11};
/// Gradients of closed chains, computed at coordinates that meet the constraints to round-off.
inline constexpr RankTolerance kChainRank{1e-10};
/// Gradients at coordinates that meet the constraints to the error of a time step only.
inline constexpr RankTolerance kGradientRank{1e-6};

}  // namespace talus::linalg
