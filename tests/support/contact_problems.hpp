#pragma once
#include <vector>

#include <talus/base/random.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::test {

problem::SparseMatrix to_sparse(const MatX& dense);

/// Global problem of `contacts` random contacts between neighbours in a ring of bodies with 2d
/// coordinates each, the first against the ground: every contact but the first couples two bodies.
/// W is regular when contacts·d ≤ bodies·2d.
problem::GlobalFrictionContact random_global(Random& random, Index d, Index bodies, Index contacts,
                                             Real largest_friction);

/// The local form of a global problem by dense algebra: the reference for LocalForm.
problem::FrictionContact dense_local(const problem::GlobalFrictionContact& global);

problem::FrictionContact random_local(Random& random, Index d, Index bodies, Index contacts,
                                      Real largest_friction);

/// The problem with its contacts in the order given.
problem::FrictionContact permuted(const problem::FrictionContact& problem,
                                  const std::vector<Index>& order);

/// 0 … count−1 in a random order.
std::vector<Index> random_order(Random& random, Index count);

/// Orthogonal R that turns the tangents of each contact by an angle of its own (in the plane:
/// reverses them or not).
MatX tangent_rotation(Random& random, Index d, Index contacts);

/// T W Tᵀ.
problem::SparseMatrix congruent(const MatX& T, const problem::SparseMatrix& W);

/// The problem in other rows: u' = T u, r' = T⁻ᵀ r. A FrictionContact or RollingFrictionContact.
template <class LocalProblem>
LocalProblem transformed(const LocalProblem& problem, const MatX& T);

}  // namespace talus::test
