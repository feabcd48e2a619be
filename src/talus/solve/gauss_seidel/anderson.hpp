#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct AndersonOptions {
  Index max_iterations = 10000;  ///< sweeps, ≥ 0
  Index memory = 5;              ///< former sweeps that are combined, in [1, 10]
  bool keep_history = false;
};

/// Projected Gauss–Seidel accelerated by Anderson's method, with a safeguard.
///
/// With G one sweep of solve/gauss_seidel/pgs and f = G(x) − x, the next point is
///   x⁺ = P_K(G(x) − Σ γⱼ ΔGⱼ),   γ = argmin ‖f − Σ γⱼ Δfⱼ‖
/// over the last `memory` differences (Anderson 1965, key `anderson_1965`, type II of Walker & Ni
/// 2011, key `walker_2011`). A point whose own sweep moves farther than the one before it is
/// dropped together with the memory, and the iteration continues from the plain sweep's result: in
/// the worst case every other sweep is lost.
///
/// Assumes W symmetric positive semidefinite, as pgs does. Worth it where sweeps converge slowly
/// but linearly (hyperstatic stacks).
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return as pgs. iterations = sweeps.
/// Cost: one product with W and 2·memory vector operations per sweep. Nothing is allocated in a
/// sweep. Deterministic.
[[nodiscard]] problem::SolveReport anderson(const problem::ConeProblem& problem,
                                            const AndersonOptions& options,
                                            const ExternalResidual& external_residual,
                                            const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
