#pragma once

#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// Bound-constrained quadratic program: min ½ xᵀH x + gᵀx subject to lower ≤ x ≤ upper.
///
/// With H symmetric positive semidefinite its solutions are those of
///   y = H x + g,  xᵢ = lowerᵢ where yᵢ > 0,  xᵢ = upperᵢ where yᵢ < 0,  lower ≤ x ≤ upper.
/// Frictionless contact is H = W, g = b, lower = 0, upper = ∞.
struct BoxQp {
  SparseMatrix H;     ///< n×n, symmetric
  VecX g;             ///< n
  VecX lower, upper;  ///< n each, lower ≤ upper; −∞ and +∞ where there is no bound
  [[nodiscard]] Index size() const { return g.size(); }
};

}  // namespace talus::problem
