#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct FischerBurmeisterOptions {
  Index max_iterations = 200;  ///< Newton steps, ≥ 0
  bool keep_history = false;
};

/// Semismooth Newton method on the Fischer–Burmeister function, for (mixed) linear complementarity
/// problems.
///
///   Φᵢ(x) = √(xᵢ² + uᵢ²) − xᵢ − uᵢ = 0 on nonnegative rows,   Φᵢ = −uᵢ on free rows,
///   uᵢ = (W x + b)ᵢ/‖row i of W‖
/// (Fischer 1992, key `fischer_1992`) on the problem scaled as in detail/scaled_cones. A step
/// solves V d = −Φ, V in ∂Φ, by sparse LU; the step length is halved until ψ = ½‖Φ‖² falls by
/// the Armijo condition (De Luca, Facchinei & Kanzow 1996, key `deluca_1996`). Where V is singular,
/// or its direction does not go downhill or not far, the step is Levenberg's, (VᵀV + λI) d = −VᵀΦ
/// with λ = ‖Φ‖² kept in [10⁻¹⁴, 10⁻²], which always goes downhill.
///
/// W may be unsymmetric, indefinite and rank-deficient; for P₀ matrices a stationary point of ψ is
/// a solution, for others the method can stall at one that is not. Takes free and nonnegative rows.
/// @param external_residual must not be empty. @param r n, in: any start; out: the iterate (or r)
/// with the smallest external residual, whose negative parts are cut off.
/// @return converged if external_residual(r) ≤ 1; stalled: no step lowers ψ; unsupported: a cone of
/// another kind; max_iterations, interrupted, numerical_error. residual = scaled natural map. Cost:
/// one sparse LU (unordered pattern once) and one product with W per step; the factorisation
/// allocates. Deterministic.
[[nodiscard]] problem::SolveReport fischer_burmeister(const problem::ConeProblem& problem,
                                                      const FischerBurmeisterOptions& options,
                                                      const ExternalResidual& external_residual,
                                                      const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
