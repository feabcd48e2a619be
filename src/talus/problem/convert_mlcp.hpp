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
///
/// Entries of M below 64 ε of the terms that cancel in them, in energy, are 0: what the equations
/// hold altogether has no response, not one that is round-off and has a sign. So are the entries of
/// q in rows whose M_ii is 0 that way. The terms of M_ii are
///   S_ii = (|B| + |D||X| + |Y|(|C| + |A||X|))_ii,   X = −A⁻¹C, Y = D A⁻¹,
/// the last ones those that the error of X comes from; M_ij is compared with √(S_ii S_jj), q_i with
/// √S_ii times the largest of the same terms of any q_k over √S_kk. Units change no
/// outcome, and entries that A does not reach stay as they are.
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
