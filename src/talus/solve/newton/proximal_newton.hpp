#pragma once

#include <functional>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>

namespace talus::solve {

struct ProximalNewtonOptions {
  Real gate = 1e-8;                ///< on the residual of the report, > 0
  Index max_factorisations = 200;  ///< ≥ 1
  Real regularisation = 1e-3;      ///< first α of the proximal term, scaled problem, > 0
  Real decrease = 1e-2;  ///< factor of α after an outer step whose Newton converged, in (0, 1)
};

/// Proximal-point iteration around a semismooth Newton method, for exact Coulomb friction, 2-D and
/// 3-D.
///
/// The problem is scaled per contact, sᵢ = 1/√(tr W_ii/d), r = γ S r̃ with γ = ‖S b‖, so that blocks
/// are near the identity and α means the same everywhere. An outer step from r_k solves, by
/// undamped Newton steps,
///   F(r, v) = 0,   v = W r + b + α (r − r_k),
///   F_N = r_N − max(0, z_N),   F_T = r_T − P_{disc(μ max(0, z_N))}(z_T),   z = r − v      (Alart &
///   Curnier 1991,
/// key `alart_1991`), each on the contacts that are not open; α > 0 keeps the matrix regular where
/// W is rank-deficient, and falls as the outer steps succeed. A Newton run that grows or stagnates
/// is given up and repeated with a larger α instead of being damped. What is returned is the point
/// with the smallest ‖F(r, u)‖, u = W r + b, over all outer steps.
/// @param problem valid (problem/validate). @param r dm, in: starting impulse, feasible or not;
/// out: the answer.
/// @return converged if ‖F(r, u)‖ ≤ gate·‖r‖ (scaled; a claim: certify it), stalled when α grew
/// without progress,
///         max_iterations, interrupted, numerical_error; iterations = factorisations, residual =
///         ‖F‖/‖r‖.
/// @param should_stop polled before every factorisation; may be empty.
/// Cost per factorisation: dense LU up to 120 contacts in the active set, sparse LU beyond.
/// Deterministic.
[[nodiscard]] problem::SolveReport proximal_newton(const problem::FrictionContact& problem,
                                                   const ProximalNewtonOptions& options,
                                                   const std::function<bool()>& should_stop,
                                                   VecX& r);

}  // namespace talus::solve
