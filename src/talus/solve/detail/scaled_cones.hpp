#pragma once

#include <vector>

#include <talus/problem/cone_problem.hpp>

namespace talus::solve::detail {

/// Nearest point of one cone, in place; what is not a number stays so. @param x the whole vector;
/// rows cone.first … are changed.
/// @param lower,upper bounds of the whole vector, read where the cone is a box.
void project(const problem::Cone& cone, const VecX& lower, const VecX& upper, VecX& x);

/// A cone problem without units: W̃ = S W S, b̃ = S b/γ, r = γ S x, S diagonal and positive.
///
/// One number per row of free, nonnegative and box blocks, 1/√W_ii; one per friction block,
/// 1/√(tr W_ii/d), so that its cone keeps its shape; of a rolling block one for (N, T) and one for
/// R, which leaves a rolling cone with μ̃_r = μ_r s_N/s_R. Diagonal blocks are near the identity
/// (ρ = 1 is the right parameter everywhere), ‖b̃‖ = 1. A row without diagonal is scaled by its
/// largest coupling, or as the largest of the others if it has none. Absolute values are taken of
/// negative diagonals: they are kept, and it is for the methods to say what they assume of W.
struct ScaledCones {
  problem::SparseMatrix W;
  VecX b, scale;  // scale: s, one per row
  VecX lower, upper;
  std::vector<problem::Cone> cones;
  Real gamma = 1;

  /// @param problem valid; must outlive this.
  explicit ScaledCones(const problem::ConeProblem& problem);

  [[nodiscard]] Index size() const { return b.size(); }

  void to_scaled(const VecX& r, VecX& x) const;
  /// Bounds that x touches are met exactly.
  void to_original(const VecX& x, VecX& r) const;

  /// u = W x + b. u is not x.
  void velocity(const VecX& x, VecX& u) const;
  /// y = W x. y is not x.
  void multiply(const VecX& x, VecX& y) const;
  /// x ← P_K(x).
  void project(VecX& x) const;
  /// The natural map ‖x − P_K(x − u)‖. @param work overwritten, of the same size.
  Real natural_map(const VecX& x, const VecX& u, VecX& work) const;

  /// ‖W‖_∞, the largest row sum of absolute values: an upper bound of every eigenvalue.
  [[nodiscard]] Real row_sum_norm() const;

 private:
  const problem::ConeProblem* original_;
};

}  // namespace talus::solve::detail
