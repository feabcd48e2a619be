#pragma once

#include <string>

#include <talus/problem/lcp.hpp>
#include <talus/problem/mlcp.hpp>

namespace talus::problem {

/// A mixed LCP with x eliminated, x = −A⁻¹(C z + a):
///
///   0 ≤ z ⟂ M z + q ≥ 0,   M = B − D A⁻¹ C,   q = b − D A⁻¹ a.
/// The same solutions, x found from z. Round-off grows with the condition of A; symmetry of
/// [A C; D B] with D = −Cᵀ (a saddle) or D = Cᵀ passes on to M.
struct EliminatedMlcp {
  Lcp lcp;
  MatX response;       ///< −A⁻¹ C, n×m
  VecX rest;           ///< −A⁻¹ a, n
  std::string change;  ///< one line for people

  /// x for the z of a solution of `lcp`.
  [[nodiscard]] VecX free_part(const VecX& z) const { return response * z + rest; }
};

/// @param problem valid. @param file named in messages. Throws InputError if A is singular: its
/// reciprocal condition, rows and columns scaled, below 1e-13. Cost O(n³ + n²m + nm²).
[[nodiscard]] EliminatedMlcp eliminate_free(const Mlcp& problem, const std::string& file = "");

}  // namespace talus::problem
