#pragma once

#include <span>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::dynamics {

/// The Delassus matrix of rows in the plane, or in generalized coordinates, with the constraints
/// kept, G = W B Wᵀ: entry (i, j) is row i times the response to row j, where they share a body
/// that moves.
/// @param responses of the rows (ConstraintFactor::constrained_response).
/// @return rising in each row; entries may be 0. Cost O(entries), and their number times n in n
/// generalized coordinates.
[[nodiscard]] problem::SparseMatrix planar_delassus(
    std::span<const JacobianRow> rows, std::span<const ConstraintFactor::Response> responses,
    Index body_count);

}  // namespace talus::dynamics
