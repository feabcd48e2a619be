#pragma once

#include <functional>

#include <talus/problem/cone_problem.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

/// A solver of cone problems with its options bound: pgs, apgd, spg, admm, …
using ConeSolver = std::function<problem::SolveReport(const problem::ConeProblem& problem,
                                                      const ExternalResidual& external_residual,
                                                      const StopRequest& should_stop, VecX& r)>;

struct DesaxceOptions {
  Index max_iterations = 200;  ///< cone problems, ≥ 0
  Real tightening = 0.1;       ///< inner tolerance over the outer residual, in (0, 1)
  Real smallest = 1e-14;       ///< inner tolerance that is never undercut, > 0
  bool keep_history = false;
};

/// Exact Coulomb friction as a sequence of cone problems: the De Saxcé fixed point.
///
/// With û = u + μ‖u_T‖ n Coulomb's law is K ∋ r ⟂ û ∈ K* (De Saxcé & Feng 1998, key
/// `desaxce_1998`). An iteration freezes s = μ‖u_T‖ of the last u, solves the cone problem
///   K ∋ r ⟂ W r + (b + s n) ∈ K*
/// with the given solver and takes s from the new u = W r + b (Acary, Cadoux, Lemaréchal & Malick
/// 2011, key `acary_2011`). The inner problem is solved to `tightening` times the outer residual,
/// both natural maps of the problem scaled as in detail/scaled_cones.
///
/// Assumes of W what the inner solver assumes. The cone problems have solutions if one with s > 0
/// has; the sequence is a contraction for small μ and is not proved to converge for large.
/// @param problem valid, 2-D or 3-D. @param inner must not be empty. @param external_residual of
/// the Coulomb problem; must not be empty. @param r dm, in: any start; out: the iterate with
/// the smallest external residual, or r.
/// @return converged if external_residual(r) ≤ 1; stalled: the inner solver moves nothing any more
/// or the residual has stopped falling; max_iterations, interrupted, numerical_error. iterations =
/// cone problems, so the history has one residual for each; residual = scaled natural map of
/// Coulomb's law; counts: with those of the inner solver. Deterministic if the inner solver is.
[[nodiscard]] problem::SolveReport desaxce(const problem::FrictionContact& problem,
                                           const DesaxceOptions& options, const ConeSolver& inner,
                                           const ExternalResidual& external_residual,
                                           const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
