#pragma once

#include <cmath>

#include <talus/math/vector.hpp>

namespace talus::solve::detail {

/// The natural map of one contact (ρ = 1) with the De Saxcé term s = μ‖u_T‖ held fixed, and its
/// generalised Jacobian: F = r − P_K(z), z = r − v − s e₁. With s fixed the problem is convex and
/// the derivative D of the projection symmetric, 0 ≤ D ≤ I.
template <int d>
struct LaggedDesaxce {
  using Vec = Eigen::Matrix<Real, d, 1>;
  using Block = Eigen::Matrix<Real, d, d>;
  static constexpr int t = d - 1;

  /// Where z lies: inside K (D = I), in the polar cone (D = 0), or between them.
  enum class Side : unsigned char { inside, polar, between };

  struct Projection {
    Vec point;
    Side side = Side::between;
  };

  static Projection project(const Vec& z, Real friction) {
    const Real size = z.template tail<t>().norm();
    if (size <= friction * z[0]) return {z, Side::inside};
    if (friction * size <= -z[0]) return {Vec::Zero(), Side::polar};
    Vec point;
    point[0] = (z[0] + friction * size) / (1 + friction * friction);
    point.template tail<t>() = friction * point[0] / size * z.template tail<t>();
    return {point, Side::between};
  }

  /// ‖F‖². @param shift s ≥ 0.
  static Real squared(const Vec& r, const Vec& v, Real shift, Real friction) {
    Vec z = r - v;
    z[0] -= shift;
    return (r - project(z, friction).point).squaredNorm();
  }

  /// Linearised rows P dv + Q dr = rhs with P = D, Q = I − D. False, and dr = −r, where D = 0.
  static bool linearise(const Vec& r, const Vec& v, Real shift, Real friction, Block& P, Block& Q,
                        Vec& rhs) {
    Vec z = r - v;
    z[0] -= shift;
    const Projection projection = project(z, friction);
    rhs = projection.point - r;
    if (projection.side == Side::polar) return false;
    P.setIdentity();
    if (projection.side == Side::between) {
      const Real size = z.template tail<t>().norm();
      const Eigen::Matrix<Real, t, 1> direction = z.template tail<t>() / size;
      Vec generator = Vec::Unit(0);
      generator.template tail<t>() = friction * direction;
      P = generator * generator.transpose() / (1 + friction * friction);
      P.template bottomRightCorner<t, t>() +=
          friction * projection.point[0] / size *
          (Eigen::Matrix<Real, t, t>::Identity() - direction * direction.transpose());
    }
    Q = Block::Identity() - P;
    return true;
  }
};

}  // namespace talus::solve::detail
