#pragma once

#include <algorithm>
#include <cmath>

#include <talus/math/vector.hpp>

namespace talus::solve::detail {

/// The equation of Alart & Curnier (1991, key `alart_1991`) for one contact whose block is near the
/// identity (ρ = 1), and its generalised Jacobian:
///   F_N = r_N − max(0, z_N),   F_T = r_T − P_disc(μ max(0, z_N))(z_T),   z = r − v.
template <int d>
struct AlartCurnier {
  using Vec = Eigen::Matrix<Real, d, 1>;
  using Block = Eigen::Matrix<Real, d, d>;
  static constexpr int t = d - 1;

  /// ‖F(r, v)‖².
  static Real squared(const Vec& r, const Vec& v, Real friction) {
    const Vec z = r - v;
    const Real height = std::max(Real(0), z[0]), radius = friction * height;
    const Real size2 = z.template tail<t>().squaredNorm();
    const Real share = size2 <= radius * radius ? Real(1) : radius / std::sqrt(size2);
    return (r[0] - height) * (r[0] - height) +
           (r.template tail<t>() - share * z.template tail<t>()).squaredNorm();
  }

  /// Linearised rows P dv + Q dr = s where z_N > 0 (sticking or slipping). False, and dr = −r,
  /// where the contact is open.
  static bool linearise(const Vec& r, const Vec& v, Real friction, Block& P, Block& Q, Vec& s) {
    const Vec z = r - v;
    if (!(z[0] > 0)) {
      s = -r;
      return false;
    }
    P.setIdentity();
    Q.setZero();
    s = -v;
    const Real size = z.template tail<t>().norm(), radius = friction * z[0];
    if (size <= radius) return true;  // stick: v = 0
    const Eigen::Matrix<Real, t, 1> direction = z.template tail<t>() / size;
    const Eigen::Matrix<Real, t, t> across =
        radius / size * (Eigen::Matrix<Real, t, t>::Identity() - direction * direction.transpose());
    P.template bottomLeftCorner<t, 1>() = friction * direction;
    P.template bottomRightCorner<t, t>() = across;
    Q.template bottomLeftCorner<t, 1>() = -friction * direction;
    Q.template bottomRightCorner<t, t>() = Eigen::Matrix<Real, t, t>::Identity() - across;
    s.template tail<t>() = radius * direction - r.template tail<t>();
    return true;
  }
};

}  // namespace talus::solve::detail
