#pragma once

#include <optional>
#include <string>

#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// Of a square matrix, the first pair of entries with |A_ij − A_ji| > 1e-9 √|A_ii A_jj|, in words:
/// "expected a symmetric matrix, got … at (i, j) and … at (j, i)"; what is assembled differs by
/// round-off. Delassus operators J M⁻¹ Jᵀ and
/// mass matrices are symmetric but for gyroscopic terms, and most solvers of frictional contact
/// take them so; matrices of LCPs need not be. The certificate is of the matrix as it is.
[[nodiscard]] std::optional<std::string> asymmetry(const SparseMatrix& matrix);

}  // namespace talus::problem
