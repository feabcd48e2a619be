#pragma once

#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::certify {

/// How far velocities u that are given beside impulses, as in solution files, are from those which
/// the impulses make:
///   ‖u − (W r + b)‖∞ / max(‖u‖∞, ‖b‖∞),
/// the largest over the units of the rows, less what rounding makes of the product; in global forms
/// with Hᵀ v + w for W r + b and |H|ᵀ|v| + |w| for b below. No impulses are in the denominator, so
/// that a self-stress hides nothing. ∞ where u is not finite. Sizes must agree (contract). Cost:
/// one product.
[[nodiscard]] Real velocity_residual(const problem::FrictionContact& problem, const VecX& impulse,
                                     const VecX& u);
[[nodiscard]] Real velocity_residual(const problem::RollingFrictionContact& problem,
                                     const VecX& impulse, const VecX& u);
/// @param impulse (λ, r). @param u of the contacts alone.
[[nodiscard]] Real velocity_residual(const problem::BilateralContact& problem, const VecX& impulse,
                                     const VecX& u);
/// w beside z; rows of other units are scaled by √ρ, ρ = problem::lcp_scale.
[[nodiscard]] Real velocity_residual(const problem::Lcp& problem, const VecX& z, const VecX& w);
/// Rows are scaled by √ρ, ρ = problem::cone_scale.
[[nodiscard]] Real velocity_residual(const problem::ConeProblem& problem, const VecX& r,
                                     const VecX& u);
/// u beside the velocities v of the system.
[[nodiscard]] Real velocity_residual(const problem::GlobalFrictionContact& problem, const VecX& v,
                                     const VecX& u);
[[nodiscard]] Real velocity_residual(const problem::GlobalBilateralContact& problem, const VecX& v,
                                     const VecX& u);
[[nodiscard]] Real velocity_residual(const problem::GlobalRollingFrictionContact& problem,
                                     const VecX& v, const VecX& u);

}  // namespace talus::certify
