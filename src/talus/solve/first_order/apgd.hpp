#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct ApgdOptions {
  Index max_iterations = 20000;  ///< ≥ 0
  bool keep_history = false;
};

/// Accelerated projected gradient descent for a cone problem, with adaptive step and restart.
///
/// Nesterov's method (1983, key `nesterov_1983`) as Mazhar et al. (2015, key `mazhar_2015`) use it:
///   x⁺ = P_K(y − (W y + b)/L),   y⁺ = x⁺ + β (x⁺ − x),   β = θ(1 − θ)/(θ² + θ⁺),
/// on the problem scaled as in detail/scaled_cones. L is an estimate of the Lipschitz constant:
/// doubled until d·Wd ≤ L d·d holds for d = x⁺ − y, lowered by a tenth after each iteration. The
/// momentum is dropped (θ = 1) when it points uphill, (W y + b)·(x⁺ − x) > 0 (O'Donoghue & Candès
/// 2015, key `odonoghue_2015`). Deviation from the source: an x⁺ with more energy than x is not
/// taken, the momentum is dropped instead; so the energy ½ xᵀWx + bᵀx never rises.
///
/// Assumes W symmetric positive semidefinite.
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return converged if external_residual(r) ≤ 1; stalled: no progress above round-off;
/// max_iterations, interrupted, numerical_error; residual = scaled natural map. Cost: one product
/// with W and two projections per iteration, one more each when L grows. Nothing is allocated in an
/// iteration. Deterministic.
[[nodiscard]] problem::SolveReport apgd(const problem::ConeProblem& problem,
                                        const ApgdOptions& options,
                                        const ExternalResidual& external_residual,
                                        const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
