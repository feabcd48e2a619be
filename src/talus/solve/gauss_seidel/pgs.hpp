#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct PgsOptions {
  Index max_iterations = 10000;  ///< sweeps, ≥ 0
  Real relaxation = 1;           ///< ω in (0, 2)
  bool keep_history = false;
};

/// Projected Gauss–Seidel (SOR) for a cone problem.
///
/// A sweep visits the blocks in order: scalar rows (free, nonnegative, box) are solved exactly,
/// xᵢ ← P(xᵢ − ω uᵢ/W_ii) (Cryer 1971, key `cryer_1971`), cone blocks take a few projected gradient
/// steps on their own block (gauss_seidel/detail/cone_sweep). Works on the problem scaled as in
/// detail/scaled_cones.
///
/// Assumes W symmetric positive semidefinite: then the energy ½ rᵀWr + bᵀr falls with every sweep,
/// which proves convergence where a solution exists; linear, and slow for hyperstatic W.
/// Unsymmetric W is taken as it is: convergence is not proved but usual where the diagonal
/// dominates.
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return converged if external_residual(r) ≤ 1; stalled: no progress above round-off;
/// max_iterations, interrupted, numerical_error. iterations = sweeps, residual = scaled natural map
/// of the last sweep, each block taken just before it is relaxed. Cost: one product with W per
/// sweep. Nothing is allocated in a sweep. Deterministic.
[[nodiscard]] problem::SolveReport pgs(const problem::ConeProblem& problem,
                                       const PgsOptions& options,
                                       const ExternalResidual& external_residual,
                                       const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
