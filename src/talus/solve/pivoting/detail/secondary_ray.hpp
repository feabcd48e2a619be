#pragma once

#include <talus/problem/lcp.hpp>
#include <talus/solve/pivoting/detail/lemke_tableau.hpp>

namespace talus::solve::detail {

/// The ray on which Lemke's method ends where no row leaves: the basic solution, and how it changes
/// when `entering` grows; the direction's largest entry is 1. Verified: violation and
/// proves_infeasible come from M and q, not from the tableau.
/// @param M, q, covering what the tableau was reset with, scaled so that entries are near 1.
[[nodiscard]] problem::LcpRay secondary_ray(const LemkeTableau& tableau, Index entering,
                                            const MatX& M, const VecX& q, const VecX& covering);

}  // namespace talus::solve::detail
