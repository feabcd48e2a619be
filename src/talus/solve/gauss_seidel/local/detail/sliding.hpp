#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/solve/gauss_seidel/local/local_solution.hpp>

// What the laws of one contact in 3-D share: the tangential problem of a closing contact, sticking,
// and blocks whose solution is a closed form.

namespace talus::solve::detail {

inline constexpr Real kEps = std::numeric_limits<Real>::epsilon();
inline constexpr Real kSphereTolerance = 4 * kEps;   // block taken as diag(a, δ, δ)
inline constexpr Real kEigenvalueFloor = 0x1.0p-46;  // smallest eigenvalue of Â / its largest entry

/// The tangential problem in scaled unknowns y = x/s: (Â/σ + κI) y = −h, ‖y‖ + e·y = t.
struct Sliding {
  Mat2 matrix;                   // Â/σ
  Vec2 h;                        // b̂/(σ s)
  Vec2 e;                        // μ c_R/a
  Real t = 0;                    // β/s
  Real length = 1;               // s
  Real sigma = 0;                // largest entry of Â
  Real smallest_eigenvalue = 0;  // of Â/σ, before the shift to kEigenvalueFloor
  Real trace = 0, determinant = 0;
  Vec2 n0;  // N(0) = −adj(Â/σ) h
  Real h_norm = 0, e_norm = 0;

  Sliding(const Mat3& A, const Vec3& b, Real friction) {
    const Real a = A(0, 0), inverse_a = 1 / a;
    const Vec2 row(A(0, 1), A(0, 2)), column(A(1, 0), A(2, 0));
    matrix << A(1, 1) - column[0] * row[0] * inverse_a, A(1, 2) - column[0] * row[1] * inverse_a,
        A(2, 1) - column[1] * row[0] * inverse_a, A(2, 2) - column[1] * row[1] * inverse_a;
    sigma = std::max({std::abs(matrix(0, 0)), std::abs(matrix(0, 1)), std::abs(matrix(1, 0)),
                      std::abs(matrix(1, 1)), kEigenvalueFloor * std::abs(a)});
    matrix /= sigma;
    e = (friction * inverse_a) * row;
    h = (Vec2(b[1], b[2]) - (b[0] * inverse_a) * column) / sigma;
    t = -friction * b[0] * inverse_a;
    length = std::max(t, h.norm());
    h /= length;
    t /= length;
    shift_if_singular();
    n0 = -adjugate_times(h);
    h_norm = h.norm();
    e_norm = e.norm();
  }

  void shift_if_singular() {
    trace = matrix(0, 0) + matrix(1, 1);
    determinant = matrix(0, 0) * matrix(1, 1) - matrix(0, 1) * matrix(1, 0);
    smallest_eigenvalue = trace / 2 - std::sqrt(std::max(Real(0), trace * trace / 4 - determinant));
    // The eigenvalue by subtraction is good to a few eps, which is far below the floor.
    if (smallest_eigenvalue >= kEigenvalueFloor) return;
    matrix.diagonal().array() += kEigenvalueFloor - smallest_eigenvalue;
    trace = matrix(0, 0) + matrix(1, 1);
    determinant = std::max(matrix(0, 0) * matrix(1, 1) - matrix(0, 1) * matrix(1, 0),
                           kEigenvalueFloor * (trace - kEigenvalueFloor));
  }

  [[nodiscard]] Vec2 adjugate_times(const Vec2& x) const {
    return {matrix(1, 1) * x[0] - matrix(0, 1) * x[1], matrix(0, 0) * x[1] - matrix(1, 0) * x[0]};
  }
  [[nodiscard]] Vec2 numerator(Real kappa) const { return n0 - kappa * h; }
  [[nodiscard]] Real denominator(Real kappa) const { return determinant + kappa * (trace + kappa); }
  /// f(κ) of the docstring.
  [[nodiscard]] Real value(Real kappa) const {
    const Vec2 n = numerator(kappa);
    return n.norm() + e.dot(n) - t * denominator(kappa);
  }
  [[nodiscard]] Real slope(Real kappa) const {
    const Vec2 n = numerator(kappa);
    const Real norm = n.norm();
    return (norm > 0 ? -h.dot(n) / norm : Real(0)) - e.dot(h) - t * (trace + 2 * kappa);
  }
  /// A κ beyond every root, where f < 0: t κ² > (1 + ε)(‖N(0)‖ + κ‖h‖).
  [[nodiscard]] Real beyond_roots() const {
    const Real p = (1 + e_norm) / t;
    return 1.0001 * (p * h_norm + std::sqrt(p * n0.norm()));
  }
};

/// Sufficient for a unique slip: q(κ) = ‖y‖ + e·y falls for all κ ≥ 0 if (d + e)ᵀ(adj + κI) d > 0
/// for every unit d. Does not depend on b.
inline bool is_monotone(const Sliding& s) {
  const Real skew = std::abs(s.matrix(0, 1) - s.matrix(1, 0)) / 2;
  const Real radius =  // the entries are at most 1: no overflow
      Vec2(s.matrix(0, 0) - s.matrix(1, 1), s.matrix(0, 1) + s.matrix(1, 0)).norm() / 2;
  return s.e_norm * (s.trace / 2 + radius + skew) < s.trace / 2 - radius && s.e_norm < 1;
}

inline bool stick_is_feasible(const Sliding& s) {
  return s.n0.norm() + s.e.dot(s.n0) <= s.t * s.determinant;
}

inline LocalSolution stick_solution(const Sliding& s, const Mat3& A, const Vec3& b) {
  Vec2 y = s.n0 / s.determinant;
  // One step of refinement: Cramer's rule alone is not backward stable.
  y -= s.adjugate_times(s.matrix * y + s.h) / s.determinant;
  const Vec2 x = s.length * y;
  const Real normal = -(b[0] + A(0, 1) * x[0] + A(0, 2) * x[1]) / A(0, 0);
  return {Vec3(normal, x[0], x[1]), ContactState::stick};
}

inline LocalSolution frictionless(const Mat3& A, const Vec3& b) {
  return {Vec3(-b[0] / A(0, 0), 0, 0), ContactState::slip};
}

/// Where the block is diag(a, δ, δ) up to round-off.
inline bool is_sphere_block(const Mat3& A) {
  const Real a = kSphereTolerance * std::abs(A(0, 0)), d = kSphereTolerance * std::abs(A(1, 1));
  return std::abs(A(0, 1)) <= a && std::abs(A(0, 2)) <= a && std::abs(A(1, 0)) <= a &&
         std::abs(A(2, 0)) <= a && std::abs(A(1, 2)) <= d && std::abs(A(2, 1)) <= d &&
         std::abs(A(1, 1) - A(2, 2)) <= d && A(1, 1) > 0;
}

inline LocalSolution sphere_solution(const Mat3& A, const Vec3& b, Real friction) {
  const Real normal = -b[0] / A(0, 0);
  const Real limit = friction * normal;
  const Real slip_speed = std::sqrt(b[1] * b[1] + b[2] * b[2]);
  if (slip_speed <= limit * A(1, 1))
    return {Vec3(normal, -b[1] / A(1, 1), -b[2] / A(1, 1)), ContactState::stick};
  const Real factor = -limit / slip_speed;
  return {Vec3(normal, factor * b[1], factor * b[2]), ContactState::slip};
}

/// What comes out where NaN or infinity came in, so that no caller takes it for a solution.
inline LocalSolution not_a_number() {
  return {Vec3::Constant(std::numeric_limits<Real>::quiet_NaN()), ContactState::open};
}

inline Real energy(const Mat3& A, const Vec3& b, const Vec3& r) {
  return r.dot(A * r) / 2 + b.dot(r);
}

}  // namespace talus::solve::detail
