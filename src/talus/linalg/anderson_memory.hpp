#pragma once

#include <talus/math/vector.hpp>

namespace talus::linalg {

/// What Anderson's method keeps of a fixed-point iteration x = G(x), with f = G(x) − x: the last
/// differences of f and G, and the point that they lead to,
///   x⁺ = G(x) − Σ γⱼ ΔGⱼ,   γ = argmin ‖f − Σ γⱼ Δfⱼ‖
/// (`anderson_1965`, type II of `walker_2011`), by the normal equations. Nothing allocates after
/// reset() to sizes that were there before.
class AndersonMemory {
 public:
  static constexpr int kMost = 10;  ///< differences that can be kept

  /// @param rows size of x. @param columns differences to keep, in [1, kMost] (contract).
  void reset(Index rows, Index columns);
  /// Forgets the differences.
  void clear() { used_ = next_ = 0; }
  /// Takes what f and G have changed by, from one point to the next; the oldest is forgotten.
  void push(const VecX& f, const VecX& last_f, const VecX& g, const VecX& last_g);
  /// @param x out: G itself where nothing is kept. O(rows × columns).
  void extrapolate(const VecX& f, const VecX& g, VecX& x) const;

 private:
  using Small = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
  MatX F_, G_;
  Small gram_;
  Index used_ = 0, next_ = 0;
};

}  // namespace talus::linalg
