#pragma once

#include <limits>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

struct IpmOptions {
  Index max_factorisations = 60;  ///< ≥ 1
  /// The derivative of the De Saxcé term is reduced by so much after each short step (down to a
  /// half), in [0, 1]: 0 is Newton's own derivative, 0.1 helps where steps become short.
  Real damping = 0;
  /// Without the De Saxcé term: the path is that of the cone problem (convex for a symmetric W).
  /// The answer is the point of it with the smallest external residual, from which Newton finds
  /// Coulomb's in jams.
  bool is_associated = false;
  /// Factorisations in which the best external residual or τ must have been halved, ≥ 1; else the
  /// run ends.
  Index patience = std::numeric_limits<Index>::max();
  bool keep_history = false;
};

/// Primal–dual interior point for exact Coulomb friction, the De Saxcé term coupled into Newton.
///
/// In x = (μ r_N, r_T) and y = (û_N/μ, u_T), both in the second-order cone K, the law is
///   y = W_x x + c + ‖y_T‖ e₁,   x ∘ y = 0,   W_x = D⁻¹ W D⁻¹, c = D⁻¹ b, D = diag(μ, 1, 1),
/// and a step solves its linearisation in Nesterov–Todd scaling, H x = y,
///   (W_x + G H) dx = G(−y + σ τ x⁻¹) + y − W_x x − c − ‖y_T‖ e₁,   G = I − e₁ (0, y_Tᵀ/‖y_T‖),
/// τ = x·y/m, σ = (τ_affine/τ)³ in [10⁻⁴, 0.9] (Mehrotra 1992, key `mehrotra_1992`), one step
/// length, 0.995 of the way to the boundary of the cones (Nesterov & Todd 1998, key
/// `nesterov_1998`). Both right-hand sides go through one factorisation of the blocks of all
/// contacts. The start is x = y = 0.1 e of the problem scaled as in detail/scaled_contacts, and
/// does not depend on a guess. A contact with μ = 0 is a half-line cone. The method reaches about
/// 1e-7 and is no oracle: with friction the problem is not convex.
/// @param problem valid, 2-D or 3-D, symmetric or not. @param external_residual evaluated after
/// every step.
/// @param r in: a candidate to beat, dm; out: the iterate (or r) with the smallest
/// external residual.
/// @return converged if external_residual(r) ≤ 1, stalled when steps have become too short to move
/// or the matrix is singular to round-off, max_iterations, interrupted, numerical_error where
/// external_residual(r) is then not finite; iterations = factorisations, residual = τ.
/// Cost per factorisation: linalg/block_lu on all contacts. Deterministic.
[[nodiscard]] problem::SolveReport ipm(const problem::FrictionContact& problem,
                                       const IpmOptions& options,
                                       const ExternalResidual& external_residual,
                                       const StopRequest& should_stop, VecX& r);

}  // namespace talus::solve
