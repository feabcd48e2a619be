#pragma once

#include <talus/base/random.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::test {

MatX random_matrix(Random& random, Index rows, Index columns);

/// Stewart–Trinkle LCP (β, c_n, λ) of `contacts` random contacts with k directions on a system of
/// `freedoms`, at rest with gravity-like loads: copositive, rank-deficient, degenerate.
problem::Lcp friction_lcp(Random& random, Index contacts, Index k, Index freedoms, Real mu);

/// q = w − M z for complementary z, w; one in three pairs is 0, 0: degenerate.
VecX feasible_q(Random& random, const MatX& M);

}  // namespace talus::test
