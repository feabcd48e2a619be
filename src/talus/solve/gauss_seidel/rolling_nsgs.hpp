#pragma once

#include <talus/problem/rolling_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct RollingNsgsOptions {
  Index max_iterations = 10000;  ///< sweeps, ≥ 0
  Real gate = 1e-8;              ///< own residual at which the external one is evaluated first
  bool keep_history = false;
};

/// Non-linear block Gauss–Seidel for contacts that slide and roll, exact law.
///
/// One sweep visits the contacts in order and replaces rᵢ by the solution of its one-contact
/// problem (local/rolling). Its own residual is the natural map of the scaled rows, each contact
/// taken just before it is relaxed: √Σ‖x − P(x − ŵ)‖²/‖x‖, x = r/√ρ (problem/scale). Where it meets
/// the gate the external residual is computed, and the gate lowered until it is within tolerance. W
/// may be unsymmetric and rank-deficient; convergence is not proved, and slow on hyperstatic
/// problems.
/// @param external_residual must not be empty. @param r in: any start, 5m; out: the answer.
/// @return converged if external_residual(r) ≤ 1 · stalled: a whole sweep changed no bit ·
/// max_iterations ·
///   interrupted · numerical_error. iterations = sweeps.
/// Cost per sweep: one product with W, one local solve per contact. Nothing is allocated in it.
/// Deterministic: a fixed order, one thread. Source: `jourdan_1998`, with the law of `acary_2021`.
[[nodiscard]] problem::SolveReport rolling_nsgs(const problem::RollingFrictionContact& problem,
                                                const RollingNsgsOptions& options,
                                                const ExternalResidual& external_residual,
                                                const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
