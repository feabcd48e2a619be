#pragma once

#include <string>

#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/bounded_friction.hpp>
#include <talus/problem/box_qp.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/mlcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::problem {

/// A problem in another form, and what the change of form changes in its solutions.
template <class Problem>
struct Conversion {
  Problem problem;
  std::string change;  ///< one line for people; empty: the same solutions, number by number
};

// Other classes as cone problems. The numbers W and b stay as they are, so a solution of one is a
// candidate of the other without any arithmetic; what the law loses is said in `change`. Arguments
// are valid (problem/validate). Cost: a copy.

/// K = {z ≥ 0}, whatever M is: the same solutions, for methods that take any matrix.
[[nodiscard]] ConeProblem as_cone_problem(const Lcp& problem);

/// K = {z ≥ 0}: the same solutions. Throws InputError unless M is symmetric
/// (|M_ij − M_ji| ≤ 1e-9 √(M_ii M_jj)) with M_ii ≥ 0: first-order methods minimise ½zᵀMz + qᵀz.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const Lcp& problem);

/// r = (x, z), K = ℝⁿ × {z ≥ 0}: the same solutions. Throws InputError unless [A C; D B] is
/// symmetric as above.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const Mlcp& problem);

/// K = [lower, upper] in one box: the same solutions.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const BoxQp& problem);

/// K = Π K_μ with u in the place of û: cone complementarity (Anitescu & Tasora 2010, key
/// `anitescu_2010`). It drops the De Saxcé term μ‖u_T‖ n, so a contact that slides also separates,
/// with u_N = μ‖u_T‖; the same solutions where nothing slides or μ = 0.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const FrictionContact& problem);

/// The same with rolling: a contact that slides or rolls separates with
/// u_N = μ‖u_T‖ + μ_r‖u_R‖.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const RollingFrictionContact& problem);

/// Free rows for the constraints, friction cones for the contacts, which lose the De Saxcé term.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const BilateralContact& problem);

/// K = [−bound, bound]: the same solutions. @param problem with d = 1; with d = 2 it throws
/// InputError: a disc is not among the kinds of cones.
[[nodiscard]] Conversion<ConeProblem> to_cone_problem(const BoundedFriction& problem);

}  // namespace talus::problem
