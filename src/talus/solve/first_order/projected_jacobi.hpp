#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct ProjectedJacobiOptions {
  Index max_iterations = 20000;  ///< ≥ 0
  bool keep_history = false;
};

/// Projected Jacobi for a cone problem: all blocks relaxed at once, with a damping that is found.
///
///   x⁺ = P_K(x − t (W x + b)) on the problem scaled as in detail/scaled_cones,
/// that is t times the inverse diagonal (blocks) in the problem's own units. t starts at 1,
/// Jacobi's own step, and is reduced until d·Wd ≤ 1.8 d·d/t for d = x⁺ − x, which makes the energy
/// ½ xᵀWx + bᵀx fall by at least 0.1 d·d/t in every iteration (Bertsekas 1999, key
/// `bertsekas_1999`, section 2.3); it never grows again.
///
/// Assumes W symmetric positive semidefinite. The simplest method, and the slowest.
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return converged if external_residual(r) ≤ 1; stalled: no progress above round-off;
/// max_iterations, interrupted, numerical_error; residual = scaled natural map. Cost: one product
/// with W and two projections per iteration. Nothing is allocated in an iteration. Deterministic.
[[nodiscard]] problem::SolveReport projected_jacobi(const problem::ConeProblem& problem,
                                                    const ProjectedJacobiOptions& options,
                                                    const ExternalResidual& external_residual,
                                                    const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
