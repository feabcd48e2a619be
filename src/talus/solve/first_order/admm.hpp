#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct AdmmOptions {
  Index max_iterations = 10000;   ///< ≥ 0
  Real penalty = 0.01;            ///< first σ > 0, scaled problem
  Real relaxation = 1.6;          ///< α in (0, 2)
  Index max_factorisations = 20;  ///< ≥ 1; 1 keeps the penalty
  bool keep_history = false;
};

/// Alternating direction method of multipliers for a cone problem: one linear solve, one
/// projection.
///
/// With x the point of the equations, z that of the cones and y the scaled dual (u = −σ y),
///   (W + σ I) x⁺ = σ (z − y) − b,   x̂ = α x⁺ + (1 − α) z,   z⁺ = P_K(x̂ + y),   y⁺ = y + x̂ − z⁺
/// (Boyd et al. 2011, key `boyd_2011`, sections 3.1.1 and 3.4.3) on the problem scaled as in
/// detail/scaled_cones. W + σI is factorised once per penalty (sparse LDLᵀ, one ordering). σ is
/// multiplied by √(relative primal over relative dual residual) when that is beyond [½, 2]
/// (Stellato et al. 2020, key `stellato_2020`, section 5.2), asked at growing intervals so that it
/// settles.
///
/// Assumes W symmetric positive semidefinite; of an unsymmetric W the symmetric part is factorised,
/// and the external residual does not accept the answer.
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return converged if external_residual(r) ≤ 1; numerical_error: W + σI could not be factorised,
/// or not finite; stalled, max_iterations, interrupted; residual = scaled natural map of z. Cost:
/// one pair of triangular solves, one product with W, two projections per iteration. Nothing is
/// allocated in an iteration but where the penalty changes. Deterministic.
[[nodiscard]] problem::SolveReport admm(const problem::ConeProblem& problem,
                                        const AdmmOptions& options,
                                        const ExternalResidual& external_residual,
                                        const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
