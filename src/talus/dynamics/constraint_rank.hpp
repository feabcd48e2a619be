#pragma once

#include <span>
#include <vector>

#include <talus/dynamics/multibody_row.hpp>

namespace talus::dynamics {

/// The Gram matrix of rows of length 1, by which they depend on each other or not: a property of
/// the rows alone, which no choice of masses, units or reference points changes.
///
/// Moments of a body are taken about the point about which those of its rows are least, near its
/// joints, and over a length: the root mean square of what is left of them, its radius of gyration
/// at least. So rows of one joint are as independent when its body is far away, and of a heavy body
/// on a light one as of equal ones. Rows of what no force moves are 0. O(rows²).
/// @param rows in the plane or in space; of generalized coordinates, which have no points: their
/// metric is M⁻¹. @param couplings in space, after them.
[[nodiscard]] MatX constraint_gram(std::span<const JacobianRow> rows,
                                   std::span<const MultibodyRow> couplings, const MassMatrix& mass);

/// A largest set of rows that are clearly independent, each 1e-3 of its length away from the span
/// of the others: Cholesky of constraint_gram() with diagonal pivoting. Those of a mechanism that
/// passes a singular position are nearer there. One per row. O(rows³).
[[nodiscard]] std::vector<bool> independent_constraints(std::span<const JacobianRow> rows,
                                                        const MassMatrix& mass);

}  // namespace talus::dynamics
