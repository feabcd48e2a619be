#pragma once

#include <talus/solve/detail/scaled_cones.hpp>

namespace talus::solve::detail {

/// One Gauss–Seidel sweep over the blocks of a scaled cone problem.
///
/// Rows of free, nonnegative and box blocks are solved one by one, xᵢ ← P(xᵢ − ω uᵢ/W_ii). The
/// blocks of friction and rolling cones take up to four projected gradient steps in place,
/// x_i ← P(x_i − ω u_i/λ), u_i kept up to date with W_ii, λ the largest eigenvalue of the symmetric
/// part of W_ii. With W symmetric positive semidefinite and ω in (0, 2) no step raises the energy
/// ½ xᵀWx + bᵀx.
class ConeSweep {
 public:
  struct Result {
    Real residual = 0;  ///< √Σ‖xᵢ − P(xᵢ − uᵢ)‖², each block just before it is relaxed
    Real energy_change = 0;  ///< of the whole sweep, for symmetric W
    bool has_changed = false;
  };

  explicit ConeSweep(const ScaledCones& problem);

  /// @param x feasible. Allocates nothing.
  Result run(Real relaxation, VecX& x) const;

 private:
  template <int d>
  void block(const problem::Cone& cone, Real relaxation, VecX& x, Result& result) const;

  const ScaledCones& problem_;
  VecX step_;                 // 1/W_ii per row, 1/λ per cone block on its first row
  std::vector<Real> blocks_;  // W_ii of the cone blocks, column by column
  std::vector<Index> place_;  // of each cone's block in blocks_
};

}  // namespace talus::solve::detail
