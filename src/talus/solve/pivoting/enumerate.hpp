#pragma once

#include <vector>

#include <talus/problem/lcp.hpp>

namespace talus::solve {

/// Every basic solution of a small LCP, by trying all complementary supports: the oracle of tests.
///
/// For each support α: M_αα z_α = −q_α, z = 0 elsewhere, kept if min(z̃, w̃) ≥ −tolerance (scaled as
/// in problem::lcp_scale and by max(1, ‖z̃‖)). Where no support gives a solution, singular blocks
/// are followed into all their basic solutions, where further wᵢ = 0 fix z_α, so that the list is
/// empty only if no solution exists.
/// @param lcp n ≤ 16. @param tolerance [-]. Cost O(2ⁿ n³), up to O(3ⁿ n³) with singular blocks.
/// Source: `murty_1988` §1.4 (complementary cones).
[[nodiscard]] std::vector<VecX> enumerate_lcp(const problem::Lcp& lcp, Real tolerance = 1e-9);

}  // namespace talus::solve
