#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/box_qp.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::certify {

/// Certificate of a candidate r for a cone problem, u = W r + b recomputed here.
///
/// The rows may carry different units (forces beside moments, joints beside contacts), so r and ρû
/// of Certificate become r̃ = r/√ρ and ũ = √ρ u with ρ = problem::cone_scale, and K becomes K̃, the
/// same cones in the scaled rows. All numbers of a sum then have one unit and every ratio has none:
///   natural_map     ‖r̃ − P_K̃(r̃ − ũ)‖ / ‖r̃‖, where r = 0 over ‖P_K̃(−b̃)‖: the largest over islands,
///                   which are blocks that W couples, or M and H
///   plain           ‖r − P_K(r − u)‖ / max(‖b‖, ‖r‖, ‖u‖)
///   primal          ‖r̃ − P_K̃(r̃)‖ over all ‖r̃‖, where r = 0 over ‖P_K̃(−b̃)‖
///   dual            ‖P_K̃(−ũ)‖ = ‖ũ − P_K̃*(ũ)‖ over the same; in a box the part of ũ that only a
///                   missing bound could hold: u < 0 without an upper one, u > 0 without a lower
///                   one
///   complementarity Σ|rᵢ·uᵢ| / Σ r̃·r̃; in a box |uₖ| times the distance to the bound it presses on
///   violation       largest error of a contact over the V of docs/adr/0019, in velocities; of
///   other
///                   rows of r̃ − P(…) over max(dₖ, d̄), dₖ how fast ũₖ has to change
///                   where r = 0 (in a box the bound that is nearest), d̄ the root mean square of
///                   those of its island that are not 0. Free of r, as V is
///   worst_velocity  largest ‖r̃ᵢ − P(…)‖/√ρ of a block, in the unit of its first row
///   worst_contact   the block (index into cones) with the largest share.
/// Violations are less what rounding makes of velocities.
/// The problem must be valid (problem/validate); r has its size and may be anything, NaN included
/// (is_finite is then false). Cost: one product with W.
[[nodiscard]] Certificate certify(const problem::ConeProblem& problem, const VecX& r);

/// The same for a bound-constrained QP: K = [lower, upper], u = H x + g. worst_contact is a row.
[[nodiscard]] Certificate certify(const problem::BoxQp& problem, const VecX& x);

/// The same for the exact law of contacts that slide and roll: u is replaced by
/// û = u + (μ‖u_T‖ + μ_r‖u_R‖) n. worst_contact is a contact.
[[nodiscard]] Certificate certify(const problem::RollingFrictionContact& problem, const VecX& r);

/// The same for bilateral constraints with exact Coulomb contacts: û on the contacts, u = 0 on the
/// constraints. worst_contact counts the constraints first, one by one, then the contacts.
[[nodiscard]] Certificate certify(const problem::BilateralContact& problem, const VecX& r);

/// The same for the global form: u = Hᵀ v + w from the given v, which must also satisfy
/// M v = H r + f (equation_of_motion). A_ii for the scale and b = Hᵀ M⁻¹ f + w come from its own
/// factorisation of M, a singular one gives is_finite = false. Cost: one sparse LU and 5m solves.
[[nodiscard]] Certificate certify(const problem::GlobalRollingFrictionContact& problem,
                                  const VecX& impulse, const VecX& velocity);

/// The same with constraints: impulse = (λ, r), M v = H r + G λ + f, and Gᵀ v + b = 0 among the
/// rows of the natural map. worst_contact counts the constraints first.
[[nodiscard]] Certificate certify(const problem::GlobalBilateralContact& problem,
                                  const VecX& impulse, const VecX& velocity);

}  // namespace talus::certify
