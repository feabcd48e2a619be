#pragma once

#include <algorithm>
#include <cmath>

#include <talus/math/vector.hpp>

namespace talus::solve::detail {

/// The law of the moment of a contact, about its normal and its tangents (m_S, m_R1, m_R2), with
/// Alart and Curnier's equation (key `alart_1991`, ρ = 1) and its generalised Jacobian:
///   F_S = m_S − P_[−μ_s p, μ_s p](z_S),   F_R = m_R − P_disc(μ_r p)(z_R),   z = m − w,
/// p = max(0, z_N) of the contact's force.
struct ResistingMoment {
  Real torsion = 0, rolling = 0;  ///< μ_s, μ_r

  [[nodiscard]] Vec3 project(const Vec3& z, Real pressure) const {
    Vec3 point = z;
    const Real bound = torsion * pressure, radius = rolling * pressure;
    point[0] = std::clamp(z[0], -bound, bound);
    const Real size = z.tail<2>().norm();
    if (size > radius) point.tail<2>() *= radius / size;
    return point;
  }

  /// Linearised to dm = e − B dw + g dp where the contact is closed, z_N > 0.
  /// @param v w with the proximal term, w + α (m − m_k), α > 0. @param closed z_N. @param pressure
  /// p as it is: dp is what changes it.
  void linearise(const Vec3& m, const Vec3& v, Real alpha, Real closed, Real pressure, Mat3& B,
                 Vec3& e, Vec3& g) const {
    B.setZero();
    g.setZero();
    e = -m;
    const Vec3 z = m - v;
    if (torsion > 0 && std::abs(z[0]) <= torsion * closed) {  // v + dw + α dm = 0
      B(0, 0) = 1 / alpha;
      e[0] = -B(0, 0) * v[0];
    } else if (torsion > 0) {
      g[0] = std::copysign(torsion, z[0]);
      e[0] += g[0] * pressure;
    }
    const Real size = z.tail<2>().norm(), radius = rolling * closed;
    if (rolling > 0 && size <= radius) {
      B.bottomRightCorner<2, 2>().diagonal().setConstant(1 / alpha);
      e.tail<2>() = -v.tail<2>() / alpha;
    } else if (rolling > 0) {  // (I − A) dm + A (dw + α dm) = μ_r (p + dp) d − m
      const Vec2 direction = z.tail<2>() / size;
      const Mat2 across = radius / size * (Mat2::Identity() - direction * direction.transpose());
      const Mat2 inverse = (Mat2::Identity() - (1 - alpha) * across).inverse();
      B.bottomRightCorner<2, 2>() = inverse * across;
      g.tail<2>() = inverse * (rolling * direction);
      e.tail<2>() = inverse * (rolling * pressure * direction - m.tail<2>());
    }
  }
};

}  // namespace talus::solve::detail
