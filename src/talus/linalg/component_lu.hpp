#pragma once

#include <memory>
#include <vector>

#include <talus/linalg/dense.hpp>
#include <talus/linalg/sparse_factor.hpp>

namespace talus::linalg {

/// LU of a square sparse matrix that falls apart into independent parts, such as the mass matrix of
/// free bodies: the connected components of its pattern are factorised one by one, dense where they
/// are small. A right-hand side touches only the components it meets, so that A⁻¹ B stays sparse.
/// Deterministic. Cost: one pass over A, and per component of n unknowns n³ or a sparse LU.
class ComponentLu {
 public:
  using Rows = SparseRows;
  using Columns = SparseColumns;

  /// @param A n×n. @return false if a component is singular: a pivot is exactly 0 or not finite.
  [[nodiscard]] bool factorise(const Rows& A);

  /// A⁻¹ b. @param b n numbers.
  [[nodiscard]] VecX solve(const VecX& b) const;
  /// A⁻¹ B; entries that come out exactly 0 are not stored. @param B n×k.
  [[nodiscard]] Columns solve(const Columns& B) const;

  [[nodiscard]] Index component_count() const { return static_cast<Index>(parts_.size()); }

 private:
  struct Part {
    std::vector<Index> rows;  // of A, rising
    PartialPivLu dense;
    std::unique_ptr<SparseLu> sparse;  // of large parts
    [[nodiscard]] VecX solve(const VecX& b) const;
  };
  std::vector<Part> parts_;
  std::vector<Index> part_of_, place_in_part_;  // of each row
};

}  // namespace talus::linalg
