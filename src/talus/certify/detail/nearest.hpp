#pragma once

#include <Eigen/Core>

#include <talus/problem/cone_problem.hpp>

namespace talus::certify::detail {

/// Nearest point of one convex set, derived for the certificate alone: r ← P_K(r).
///
/// Friction and rolling are {‖x_k‖ ≤ μ_k n} for one or two groups k of rows beside the normal n.
/// For a given n the nearest x_k is x_k shortened to μ_k n, which leaves a convex function of n
/// whose derivative is n − r_N − Σ μ_k max(0, ‖r_k‖ − μ_k n): the least, over the subsets S of the
/// groups, of straight lines with rising slope. Its root is therefore the largest of their roots
///   n = max(0, max_S (r_N + Σ_S μ_k‖r_k‖)/(1 + Σ_S μ_k²)).
/// @param r the block's rows, scaled as the certificate scales them. @param lower,upper its bounds,
/// empty unless it is a box. @param rolling μ_r in the scaled rows.
void move_to_nearest(const problem::Cone& cone, Real rolling, const VecX& lower, const VecX& upper,
                     Eigen::Ref<VecX> r);

/// Nearest point of the ball of one joint, d = 1 or 2.
[[nodiscard]] VecX nearest_in_ball(const VecX& r, Real bound);

}  // namespace talus::certify::detail
