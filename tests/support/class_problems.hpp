#pragma once

#include <talus/base/random.hpp>
#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/bounded_friction.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/mlcp.hpp>
#include <talus/problem/rolling_contact.hpp>

#include "support/contact_problems.hpp"
#include "support/lcp_families.hpp"

namespace talus::test {

VecX random_direction(Random& random, Index n);

/// A set of any kind with its bounds, some of them infinite, some without room.
struct RandomSet {
  problem::Cone cone;
  VecX lower, upper;

  explicit RandomSet(Random& random);

  /// A point of the set, half of the time on its boundary; no projection is asked.
  [[nodiscard]] VecX member(Random& random) const;

  /// How far a point is from fulfilling what makes it a member; 0 for members.
  [[nodiscard]] Real excess(const VecX& p) const;
};

/// A cone problem and a solution of it, known because b was made from it.
struct SolvedCones {
  problem::ConeProblem problem;
  VecX r, u;
};

/// G Gᵀ + shift·I, G n×columns: symmetric, positive semidefinite if shift = 0.
MatX random_gram(Random& random, Index n, Index columns, Real shift);

/// r and u of one block that solve it: inside, at the boundary or at the apex, drawn at random.
/// @param is_exact whether u is to obey the exact law (û in the dual cone) or the associated one.
void draw_solution(Random& random, const problem::Cone& cone, bool is_exact, VecX& lower,
                   VecX& upper, VecX& r, VecX& u);

/// A random product of `blocks` sets of every kind, with a solution.
SolvedCones random_cones(Random& random, Index blocks, bool is_exact = false);

/// Contacts of one kind (exact law) as a cone problem with a solution; `equalities` rows of kind
/// free come first.
SolvedCones random_contacts(Random& random, problem::ConeKind kind, Index size, Index equalities,
                            Index contacts);

struct SolvedRolling {
  problem::RollingFrictionContact problem;
  VecX r;
};

SolvedRolling random_rolling(Random& random, Index contacts);

struct SolvedBilateral {
  problem::BilateralContact problem;
  VecX r;
};

SolvedBilateral random_bilateral(Random& random, Index d, Index equalities, Index contacts);

/// Global problem of contacts that slide and roll, each between two neighbours in a ring of bodies
/// of 6 coordinates, the first against the ground.
problem::GlobalRollingFrictionContact random_global_rolling(Random& random, Index bodies,
                                                            Index contacts);

/// Global problem of contacts as random_global with `constraints` between neighbours, dependent
/// ones if there are more than coordinates.
problem::GlobalBilateralContact random_global_bilateral(Random& random, Index d, Index bodies,
                                                        Index constraints, Index contacts);

struct SolvedBounded {
  problem::BoundedFriction problem;
  VecX r;
};

/// Joints with friction of given bounds; about half of them slip.
SolvedBounded random_bounded(Random& random, Index d, Index joints);

struct SolvedMlcp {
  problem::Mlcp problem;
  VecX x, z;
};

/// A mixed LCP with any matrices and a solution; [A C; −Cᵀ B] with B positive definite if
/// `is_monotone`.
SolvedMlcp random_mlcp(Random& random, Index n, Index m, bool is_monotone = false);

/// The same cone problem in other units: r of row k is multiplied by unit[k], u by energy/unit[k];
/// rows that one norm joins must have one unit, but for the two of a rolling block.
problem::ConeProblem in_units(const problem::ConeProblem& problem, const VecX& unit, Real energy);

/// Random units of the rows, `decades` each way: one per row, one per friction block, two per
/// rolling block.
VecX random_units(Random& random, const problem::ConeProblem& problem, Real decades);

}  // namespace talus::test
