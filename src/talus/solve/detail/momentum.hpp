#pragma once

#include <algorithm>
#include <cmath>

#include <talus/base/types.hpp>

namespace talus::solve::detail {

/// Weights of Nesterov's momentum (`nesterov_1983`): an iteration starts from r + β (r − r_old),
///   θ_{k+1} = (1 + √(1 + 4θ_k²))/2,   β_k = min(cap, (θ_k − 1)/θ_{k+1}).
class Momentum {
 public:
  /// β of the next iteration; 0 of the first one, and of the first one after drop().
  [[nodiscard]] Real next(Real cap) {
    const Real theta = (1 + std::sqrt(1 + 4 * theta_ * theta_)) / 2;
    const Real beta = std::min(cap, (theta_ - 1) / theta);
    theta_ = theta;
    return beta;
  }
  /// Begins anew (`odonoghue_2015`).
  void drop() { theta_ = 1; }

 private:
  Real theta_ = 1;
};

}  // namespace talus::solve::detail
