#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::stepping::detail {

/// Columns of G that are linearly independent, as many as there are, in ascending order: by
/// Householder QR with column pivoting of L⁻¹G, M = L Lᵀ, columns scaled to length 1; what is below
/// 1e-6 of the largest depends on the others.
[[nodiscard]] std::vector<Index> independent_columns(const MatX& G, const Eigen::LLT<MatX>& mass);

/// The x with the smallest ‖x‖₂ that has G x = force, for every column of `force`.
[[nodiscard]] MatX smallest_impulses(const MatX& G, const MatX& force);

}  // namespace talus::stepping::detail
