#pragma once

#include <vector>

#include <talus/base/random.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::test {

/// The nearest point of a cone found the slow way: r_N' by bisection of the derivative of the
/// distance, the tangential parts shortened to it. Shares nothing with math/cone_projection.
VecX slow_projection(const problem::Cone& cone, const VecX& lower, const VecX& upper,
                     const VecX& z);

/// √(Σ ‖rᵢ − P(rᵢ − ρᵢ uᵢ)‖²/ρᵢ) / √(Σ ρᵢ‖bᵢ‖²), ρᵢ = size/tr W_ii of each block (of each row of
/// scalar blocks): the natural map without units.
Real natural_map(const problem::ConeProblem& problem, const VecX& r);

/// ½ rᵀWr + bᵀr.
Real energy(const problem::ConeProblem& problem, const VecX& r);

/// A cone problem whose velocities at the solution are known, and one of its solutions.
struct KnownProblem {
  problem::ConeProblem problem;
  VecX r, u;
};

/// Symmetric positive semidefinite W = JᵀJ of the given rank (rows of J), eigenvalues spread by the
/// random J only, and b = u − W r with r = P_K(z), u = r − z for a random z: r solves it, and u is
/// the only velocity that does.
KnownProblem known_problem(Random& random, std::vector<problem::Cone> cones, Index rank);

std::vector<problem::Cone> friction_cones(Random& random, Index count, Index dimension,
                                          Real largest_friction);

/// The relaxation of a frictional problem: the same numbers, associated law.
problem::ConeProblem relaxed(const problem::FrictionContact& problem);

/// The natural map of exact Coulomb friction, scaled as natural_map.
Real coulomb_natural_map(const problem::FrictionContact& problem, const VecX& r);

}  // namespace talus::test
