#pragma once

#include <talus/math/vector.hpp>

namespace talus::problem {

/// Mixed linear complementarity problem: find x (free) and z with
///
///   0 = A x + C z + a,   0 ≤ z ⟂ w = D x + B z + b ≥ 0.
/// No sign, symmetry or rank is assumed of any matrix; each is kept as given.
struct Mlcp {
  MatX A;  ///< n×n
  MatX C;  ///< n×m
  MatX D;  ///< m×n
  MatX B;  ///< m×m
  VecX a;  ///< n
  VecX b;  ///< m
  [[nodiscard]] Index free_count() const { return a.size(); }
  [[nodiscard]] Index complementary_count() const { return b.size(); }
};

}  // namespace talus::problem
