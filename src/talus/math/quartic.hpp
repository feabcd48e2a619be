#pragma once

#include <array>

#include <talus/base/types.hpp>

namespace talus {

/// Real roots of a polynomial of degree at most four, rising, a double root once or twice.
struct QuarticRoots {
  std::array<Real, 4> root{};
  int count = 0;
};

/// Real roots of c₀ + c₁t + c₂t² + c₃t³ + c₄t⁴ in closed form (Ferrari's resolvent, then two
/// quadratics), without polish.
///
/// In double precision the roots are good to about √eps or worse where they are close together, and
/// a pair of nearly equal ones can be missed or invented: polish them, and handle a missing one
/// them. Leading coefficients below 1e-14 of the largest are taken as zero. All zero: no roots.
/// @param coefficients c₀ … c₄, finite.
[[nodiscard]] QuarticRoots real_quartic_roots(const std::array<Real, 5>& coefficients) noexcept;

}  // namespace talus
