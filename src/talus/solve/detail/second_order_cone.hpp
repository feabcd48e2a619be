#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/math/vector.hpp>

namespace talus::solve::detail {

// The second-order cone {z₀ ≥ ‖z_T‖} of dimension 2 or 3, for interior-point methods.

/// z₀² − ‖z_T‖², without cancellation of the squares.
template <class Vector>
Real determinant(const Vector& z) {
  const Real size = z.template tail<Vector::RowsAtCompileTime - 1>().norm();
  return (z[0] - size) * (z[0] + size);
}

/// (z₀, −z_T).
template <class Vector>
Vector mirrored(const Vector& z) {
  Vector w = -z;
  w[0] = z[0];
  return w;
}

/// z⁻¹ of the cone's algebra, z inside.
template <class Vector>
Vector inverse(const Vector& z) {
  return mirrored(z) / determinant(z);
}

/// Nesterov and Todd's scaling of two points inside: P symmetric, P x = P⁻¹ y.
template <class Vector>
struct NesterovTodd {
  static constexpr int d = Vector::RowsAtCompileTime;
  Vector w = Vector::Unit(0);
  Real eta = 1;  // P = η [w₀, w_Tᵀ; w_T, I + w_T w_Tᵀ/(1 + w₀)]

  NesterovTodd() = default;
  NesterovTodd(const Vector& x, const Vector& y) {
    const Real dx = determinant(x), dy = determinant(y);
    const Vector xn = x / std::sqrt(dx), yn = y / std::sqrt(dy);
    const Real gamma = std::sqrt((1 + xn.dot(yn)) / 2);
    w = (yn + mirrored(xn)) / (2 * gamma);
    eta = std::sqrt(std::sqrt(dy / dx));
  }

  /// H = P² = η²(2 w wᵀ − J): H x = y.
  [[nodiscard]] Eigen::Matrix<Real, d, d> square() const {
    Eigen::Matrix<Real, d, d> H = 2 * w * w.transpose() + Eigen::Matrix<Real, d, d>::Identity();
    H(0, 0) -= 2;
    return eta * eta * H;
  }
  [[nodiscard]] Vector apply(const Vector& z) const { return eta * boosted(w, z); }
  [[nodiscard]] Vector apply_inverse(const Vector& z) const {
    return boosted(mirrored(w), z) / eta;
  }

 private:
  static Vector boosted(const Vector& w, const Vector& z) {
    constexpr int t = d - 1;
    const Real along = w.template tail<t>().dot(z.template tail<t>());
    Vector result;
    result[0] = w[0] * z[0] + along;
    result.template tail<t>() =
        z.template tail<t>() + (z[0] + along / (1 + w[0])) * w.template tail<t>();
    return result;
  }
};

/// a ∘ b = (a·b, a₀ b_T + b₀ a_T).
template <class Vector>
Vector product(const Vector& a, const Vector& b) {
  Vector result = a[0] * b + b[0] * a;
  result[0] = a.dot(b);
  return result;
}

/// z with a ∘ z = b, a inside.
template <class Vector>
Vector quotient(const Vector& a, const Vector& b) {
  constexpr int t = Vector::RowsAtCompileTime - 1;
  const Real first =
      (a[0] * b[0] - a.template tail<t>().dot(b.template tail<t>())) / determinant(a);
  Vector z;
  z[0] = first;
  z.template tail<t>() = (b.template tail<t>() - first * a.template tail<t>()) / a[0];
  return z;
}

/// Largest step ≥ 0 that keeps z + step·dz in the cone, infinite if every step does.
template <class Vector>
Real step_to_boundary(const Vector& z, const Vector& dz) {
  constexpr int t = Vector::RowsAtCompileTime - 1;
  // det(z + s dz) = a s² + 2 b s + c
  const auto zt = z.template tail<t>(), dt = dz.template tail<t>();
  const Real a = dz[0] * dz[0] - dt.squaredNorm(), b = z[0] * dz[0] - zt.dot(dt),
             c = z[0] * z[0] - zt.squaredNorm();
  Real step = dz[0] < 0 ? -z[0] / dz[0] : std::numeric_limits<Real>::infinity();
  const Real discriminant = b * b - a * c;
  if (discriminant < 0) return step;  // det keeps its sign
  const Real q = b >= 0 ? -(b + std::sqrt(discriminant)) : -b + std::sqrt(discriminant);
  for (const Real root : {a != 0 ? q / a : Real(-1), q != 0 ? c / q : Real(-1)})
    if (root > 0) step = std::min(step, root);
  return step;
}

}  // namespace talus::solve::detail
