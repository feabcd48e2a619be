#pragma once

#include <algorithm>
#include <limits>

#include <talus/dynamics/system.hpp>
#include <talus/math/vector.hpp>

namespace talus::stepping::detail {

/// A spring k with a damper d along a rate w in a step of Moreau's schemes with θ:
///
///     λ = −h k (s + θ h w̄) − h d (w̄ − r),   w̄ = θ w' + (1 − θ) w
///
/// with the stretch s at the start of the step: the force of the end for θ = 1, the mean of start
/// and end for θ = 1/2, which conserves the energy of a spring. In terms of the stretch where the
/// step takes its rows, s_θ = s + (1 − θ) h w, that is λ = −pull − g w'. Stable however stiff.
/// @tparam K Real, or a matrix: k, d, g symmetric ≥ 0.
template <class K, class Vector = Real>
struct ImplicitSpring {
  K g;          ///< θ² h² k + θ h d
  Vector pull;  ///< h k s_θ − h d r + ((1 − θ) h d − (1 − θ)² h² k) w

  /// @param stretch s_θ; @param before w; @param rest_rate r.
  ImplicitSpring(Real h, Real theta, const K& k, const K& d, const Vector& stretch,
                 const Vector& before, const Vector& rest_rate)
      : g(theta * theta * h * h * k + theta * h * d),
        pull(h * (k * stretch) - h * (d * rest_rate) + ((1 - theta) * h) * (d * before) -
             ((1 - theta) * (1 - theta) * h * h) * (k * before)) {}
};

/// The spring of a row. @param v at the start of the step. g > 0 for any k or d that is not 0.
[[nodiscard]] inline ImplicitSpring<Real> implicit_spring(const dynamics::ElasticRow& spring,
                                                          Real h, Real theta, const VecX& v) {
  ImplicitSpring<Real> implicit(h, theta, spring.stiffness, spring.damping, spring.stretch,
                                spring.row.times(v), 0);
  implicit.g = std::max(implicit.g, std::numeric_limits<Real>::min());
  return implicit;
}

}  // namespace talus::stepping::detail
