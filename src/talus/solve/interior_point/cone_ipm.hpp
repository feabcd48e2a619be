#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct ConeIpmOptions {
  Index max_iterations = 100;  ///< ≥ 0; one factorisation each
  bool keep_history = false;
};

/// Primal–dual interior point for a cone problem: few steps, whatever the condition of W.
///
/// A friction cone is the second-order cone of x = (μ r_N, r_T), its dual that of y = (u_N/μ, u_T);
/// a rolling cone is two of them with one normal, bounds are half-lines, free rows have u = 0. With
/// r inside, x = G r and u = Gᵀ y, a step solves the linearisation of x ∘ y = σ τ e in
/// Nesterov–Todd scaling H x = y,
///   (W + Gᵀ H G) dr = −(W r + b) + Gᵀ c,   dy = −y + c − H G dr,   c = σ τ x⁻¹ − second order,
/// τ the mean of x·y; a first solve with c = 0 gives the second-order term and σ = (τ_affine/τ)³ in
/// [10⁻⁴, 0.9] (Mehrotra 1992, key `mehrotra_1992`); one step length, 0.995 of the way to the
/// boundary (Nesterov & Todd 1998, key `nesterov_1998`), cut until no cone's x ∘ y is below 10⁻³ of
/// the mean. The problem is scaled as in detail/scaled_cones; both solves use one sparse LDLᵀ.
///
/// Assumes W symmetric positive semidefinite; of an unsymmetric W the symmetric part is factorised,
/// and the external residual does not accept the answer. W may be singular, on free rows too: there
/// 10⁻¹⁰ is added to the diagonal, a proximal term that vanishes at the answer.
/// @param external_residual must not be empty. @param r n, in: a candidate to beat (the path starts
/// at the same interior point whatever it is); out: the iterate (or r) with the smallest external
/// residual.
/// @return converged if external_residual(r) ≤ 1; stalled: steps became too short to move, or a
/// factorisation broke down; max_iterations, interrupted, numerical_error; residual = scaled
/// natural map. It is sure to reach some 1e-7, where the points of a cone are so near its boundary
/// that their determinants have lost their digits. Cost: one sparse LDLᵀ (one ordering for all) and
/// one product with W per iteration. Only the factorisation allocates. Deterministic.
[[nodiscard]] problem::SolveReport cone_ipm(const problem::ConeProblem& problem,
                                            const ConeIpmOptions& options,
                                            const ExternalResidual& external_residual,
                                            const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
