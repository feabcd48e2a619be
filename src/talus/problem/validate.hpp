#pragma once

#include <string>

#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/bounded_friction.hpp>
#include <talus/problem/box_qp.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/mlcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::problem {

// The door: what a solver may take for granted is checked here, once. Each function throws
// InputError with one diagnostic per mistake: the quantity as place, what was found, what is
// allowed, a hint. `file` names the source in the message and may be empty. Cost O(non-zeros).

/// M square of the size of q, everything finite.
void validate(const Lcp& lcp, const std::string& file = "");

/// d ∈ {2, 3}; W dm×dm and b dm; everything finite; μ ≥ 0; W_NN > 0 and W_TT ≥ 0 in every diagonal
/// block.
void validate(const FrictionContact& problem, const std::string& file = "");

/// d ∈ {2, 3}; M n×n, H n×dm, f n, w dm; everything finite; μ ≥ 0. That M is non-singular and every
/// contact moves something is found by LocalForm (problem/convert).
void validate(const GlobalFrictionContact& problem, const std::string& file = "");

/// A n×n, C n×m, D m×n, B m×m; everything finite. That x can be eliminated is found by
/// EliminatedMlcp (problem/convert_mlcp).
void validate(const Mlcp& problem, const std::string& file = "");

/// H square of the size of g, symmetric (|H_ij − H_ji| ≤ 1e-9 √(H_ii H_jj)), H_ii ≥ 0; everything
/// finite but the bounds; lower ≤ upper, lower < ∞, upper > −∞, none NaN.
void validate(const BoxQp& problem, const std::string& file = "");

/// W n×n; cones in order, covering the rows once, friction of 2 or 3 rows, rolling of 5; μ, μ_r
/// finite and ≥ 0; W_NN > 0 in friction and rolling blocks, W_kk ≥ 0 elsewhere; bounds as in BoxQp,
/// on the rows of boxes.
void validate(const ConeProblem& problem, const std::string& file = "");

/// W 5m×5m and b 5m; everything finite; μ, μ_r ≥ 0; W_NN > 0, the rest of the diagonal ≥ 0.
void validate(const RollingFrictionContact& problem, const std::string& file = "");

/// d ∈ {2, 3}, p ≥ 0; W (p+dm)×(p+dm) and b p+dm; everything finite; μ ≥ 0; diagonal ≥ 0 on the
/// constraints, as in FrictionContact on the contacts. That the constraints agree with each other
/// is found by ContactForm (problem/convert_bilateral).
void validate(const BilateralContact& problem, const std::string& file = "");

/// M n×n, H n×5m, f n, w 5m; everything finite; μ, μ_r ≥ 0. What else is asked of M and H is found
/// by LocalForm.
void validate(const GlobalRollingFrictionContact& problem, const std::string& file = "");

/// As GlobalFrictionContact; G n×p, b p.
void validate(const GlobalBilateralContact& problem, const std::string& file = "");

/// d ∈ {1, 2}; W dm×dm and b dm; everything finite; bounds ≥ 0; W_kk > 0.
void validate(const BoundedFriction& problem, const std::string& file = "");

}  // namespace talus::problem
