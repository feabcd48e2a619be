#pragma once

#include <talus/math/vector.hpp>

namespace talus::linalg {

/// Aitken's relaxation of a fixed point x = g(x) by the last two residuals r = g(x) − x
/// (`irons_1969`):
///   x ← x + ω r,   ω ← −ω r_last·(r − r_last)/‖r − r_last‖².
/// Converges in one more step for one affine equation, where plain iteration may need hundreds or
/// swing for ever. Nothing allocates after the first start of a size.
class AitkenRelaxation {
 public:
  void start(Index size) {
    last_.resize(size);
    factor_ = 1;
    is_first_ = true;
  }
  /// @param residual g(x) − x. @param x in and out.
  void step(const VecX& residual, VecX& x) {
    if (!is_first_) {
      const Real change = (residual - last_).squaredNorm();
      if (change > 0) factor_ *= -last_.dot(residual - last_) / change;
    }
    is_first_ = false;
    last_ = residual;
    x += factor_ * residual;
  }

 private:
  VecX last_;
  Real factor_ = 1;
  bool is_first_ = true;
};

}  // namespace talus::linalg
