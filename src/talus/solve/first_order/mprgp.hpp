#pragma once

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct MprgpOptions {
  Index max_iterations = 10000;  ///< ≥ 0
  Real proportion = 1;           ///< Γ > 0: how large the chopped gradient may be
  bool keep_history = false;
};

/// Modified proportioning with reduced gradient projections, for rows that are free or bounded.
///
/// Dostál & Schöberl (2005, key `dostal_2005`), Dostál (2009, key `dostal_2009`, algorithm 5.8).
/// With the free gradient φ (u on the rows strictly inside their bounds), the chopped gradient β
/// (the part of u that pulls a row off its bound) and the reduced free gradient φ̃ = (x − P(x −
/// ᾱφ))/ᾱ:
///  - ‖β‖² ≤ Γ² φ̃·φ: a conjugate gradient step on the free rows; where it would leave the set, the
///    part that stays in it and then an expansion x⁺ = P(x − ᾱ φ);
///  - else proportioning: an exact line search along −β, cut at the bounds;
/// ᾱ = 1.9/‖W‖ by a power iteration, made shorter should an expansion raise the energy. Works on
/// the problem scaled by W's diagonal, which is Jacobi preconditioning.
///
/// Assumes W symmetric positive semidefinite; then the energy ½ rᵀWr + bᵀr falls in every
/// iteration, and the number of iterations is bounded by the condition on the range of W. Takes
/// free, nonnegative and box rows only.
/// @param external_residual must not be empty. @param r n, in: any start, it is projected; out: the
/// iterate (or r) with the smallest external residual.
/// @return converged if external_residual(r) ≤ 1; unbounded: a direction without curvature or bound
/// along which the energy falls for ever; unsupported: a cone of another kind; stalled,
/// max_iterations, interrupted, numerical_error; residual = scaled natural map. Cost: one product
/// with W per iteration, two where one leaves the set, 20 at the start. Nothing is allocated in an
/// iteration. Deterministic.
[[nodiscard]] problem::SolveReport mprgp(const problem::ConeProblem& problem,
                                         const MprgpOptions& options,
                                         const ExternalResidual& external_residual,
                                         const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
