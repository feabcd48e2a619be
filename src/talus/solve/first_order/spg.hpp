#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct SpgOptions {
  Index max_iterations = 20000;  ///< ≥ 0
  Index memory = 10;             ///< energies that the line search compares with, ≥ 1
  bool keep_history = false;
};

/// Spectral projected gradient for a cone problem, with a non-monotone line search.
///
/// SPG2 of Birgin, Martínez & Raydan (2000, key `birgin_2000`):
///   d = P_K(x − α u) − x,   x⁺ = x + λ d,   u = W x + b,
/// on the problem scaled as in detail/scaled_cones. α⁺ is one of the two spectral steps d·d/(d·Wd)
/// and d·Wd/(Wd·Wd) (Barzilai & Borwein 1988, key `barzilai_1988`): the smallest of the last three
/// shorter ones where the two differ by more than a factor τ that adapts, else the longer one
/// (Bonettini, Zanella & Zanni 2009, key `bonettini_2009`, section 2.2; measured: two to three
/// times fewer iterations than the longer step alone on rank-deficient problems). λ starts at 1 and
/// is reduced, by quadratic interpolation kept in [0.1, 0.5] of the last one, until the energy ½
/// xᵀWx + bᵀx is below the largest of the last `memory` ones by 10⁻⁴ λ |u·d|. Energies are summed
/// from their exact differences, which keeps the test meaningful near the solution.
///
/// Assumes W symmetric positive semidefinite. The energy does not fall in every iteration.
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return converged if external_residual(r) ≤ 1; stalled: no progress above round-off;
/// max_iterations, interrupted, numerical_error; residual = scaled natural map. Cost: one product
/// with W and two projections per iteration. Nothing is allocated in an iteration. Deterministic.
[[nodiscard]] problem::SolveReport spg(const problem::ConeProblem& problem,
                                       const SpgOptions& options,
                                       const ExternalResidual& external_residual,
                                       const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
