#pragma once

#include <functional>

#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>

namespace talus::solve {

struct LemkeOptions {
  Real tolerance = 1e-10;             ///< on the natural residual of lcp_natural_residual [-], > 0
  Index max_pivots = 10000;           ///< over all tries together, ≥ 1
  Index max_tries = 8;                ///< 1 … 8
  Real first_tie_tolerance = 1e-12;   ///< of the first try [-]; later tries have their own
  std::function<bool()> should_stop;  ///< polled before every pivot; empty = never
  bool keep_history = false;          ///< of z₀ of the scaled problem, which is 0 at the end
};

/// Natural residual of a candidate: ‖min(z̃, w̃)‖₂/‖z̃‖₂ with z̃ = z/√ρ, w̃ = √ρ(M z + q), ρ of
/// problem::lcp_scale; denominator ‖min(0, √ρ q)‖₂ where z = 0, and never
/// more than 10³ times the root mean square of the √ρ qᵢ < 0; 0/0 = 0. Free of units. NaN stays
/// NaN.
[[nodiscard]] Real lcp_natural_residual(const problem::Lcp& lcp, const VecX& scale, const VecX& z);

/// Solves an LCP by Lemke's method with lexicographic degeneracy resolution, and verifies the
/// answer.
///
/// 0 ≤ z ⟂ M z + q ≥ 0, by complementary pivoting on w − M z − d z₀ = q in the scaled unknowns
/// z̃, w̃, covering vector d = 1. Ties of the ratio test are broken by the rows of the basis inverse
/// (lexicographically), unless z₀ can leave. A fixed tie tolerance is unsafe in both directions, so
/// z is recomputed from the final basis by LU, projected to z ≥ 0, and its natural residual
/// verified; if it fails, or a ray is met, the method starts again with tie tolerances 1e-12,
/// 1e-10, 1e-14, 1e-8, then with seeded perturbed covering vectors. The best verified candidate is
/// returned.
///
/// @param lcp any M, square, and q, finite (not checked). @param z in: empty, or a guess, which is
///   returned with 0 pivots if it or the solution on its support is verified; out: the best
///   candidate.
/// @return status converged (residual ≤ tolerance) · ray_termination (a secondary ray that proves
///   the problem infeasible, or one in every try: no solution if M is copositive-plus, no statement
///   otherwise; the report has the ray, verified) · max_iterations ·
///   interrupted · stalled (a basis was reached but its residual is above the tolerance) ·
///   numerical_error (NaN). iterations: pivots over all tries. residual: the natural residual of z;
///   only that of candidates is known, so the history is of z₀: max(0, −q̃) at the start and its
///   value after every pivot. counts: products and factorisations of the candidates, not of pivots.
/// Cost: n(n+2) multiply-adds per pivot, one LU of the final basis; memory n² twice, allocated
/// before the pivots. Deterministic. Source: `lemke_1965`; lexicographic rule `cottle_2009` §4.9.
problem::SolveReport lemke(const problem::Lcp& lcp, const LemkeOptions& options, VecX& z);

}  // namespace talus::solve
