#include <talus/problem/symmetry.hpp>

#include <cmath>

#include <fmt/format.h>

namespace talus::problem {

std::optional<std::string> asymmetry(const SparseMatrix& matrix) {
  constexpr Real kSymmetric = 1e-9;
  const SparseMatrix transposed = matrix.transpose();
  const SparseMatrix difference = matrix - transposed;
  const VecX diagonal = matrix.diagonal();
  for (Index i = 0; i < difference.outerSize(); ++i)
    for (SparseMatrix::InnerIterator entry(difference, i); entry; ++entry) {
      const Index row = entry.row(), column = entry.col();
      const Real size = std::sqrt(std::abs(diagonal[row] * diagonal[column]));
      if (std::abs(entry.value()) > kSymmetric * size)
        return fmt::format("expected a symmetric matrix, got {} at ({}, {}) and {} at ({}, {})",
                           matrix.coeff(row, column), row, column, matrix.coeff(column, row),
                           column, row);
    }
  return {};
}

}  // namespace talus::problem
