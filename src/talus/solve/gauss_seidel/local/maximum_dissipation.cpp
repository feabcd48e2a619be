#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/math/quartic.hpp>
#include <talus/solve/gauss_seidel/local/detail/sliding.hpp>

namespace talus::solve {
namespace {

using detail::kEps;
using detail::Sliding;

constexpr int kDirectionSteps = 100;  // bisections included
constexpr int kDirectionPolishSteps = 6;
constexpr int kQuarticPolishSteps = 4;

Vec2 turned(const Vec2& x) { return {-x[1], x[0]}; }  // J x

/// The tangential problem and what of it depends on x* = N(0)/det alone.
struct Boundary {
  const Sliding& s;
  Vec2 first;       // direction of x*
  Real visibility;  // μ r*_N/‖x*‖: a boundary point is seen from x* where d·first exceeds it

  explicit Boundary(const Sliding& sliding) : s(sliding) {
    const Real size = s.n0.norm();
    first = s.n0 / size;
    visibility = (s.t * s.determinant - s.e.dot(s.n0)) / size;
  }

  struct Slope {
    Real g = 0, dg = 0, w = 0;
  };
  /// g(φ), dg/dφ and w at the unit direction d.
  [[nodiscard]] Slope slope(const Vec2& d) const {
    const Vec2 jd = turned(d);
    const Real w = 1 + s.e.dot(d);
    const Vec2 force = s.t * (s.matrix * d) + w * s.h;
    const Vec2 along = turned(d + s.e);
    return {force.dot(along), (s.t * (s.matrix * jd) + s.e.dot(jd) * s.h).dot(along) - force.dot(d),
            w};
  }
  /// Size of the terms that cancel in g.
  [[nodiscard]] Real size(const Vec2& d) const {
    const Real w = std::abs(1 + s.e.dot(d));
    return (s.t * (s.matrix.cwiseAbs() * d.cwiseAbs()).norm() + w * s.h_norm) * (1 + s.e_norm);
  }
};

/// r from a direction of slip: Newton on Â y + h + κ(d + e) = 0, ‖y‖ + e·y = t, d = y/‖y‖, kept
/// while its residual falls.
LocalSolution polished_direction(const Sliding& s, const Vec2& direction, Real friction) {
  const Real w = 1 + s.e.dot(direction);
  // Along the direction E is least at `free`, which the solution does not exceed; near an asymptote
  // it is the better of the two starts.
  const Real free = -s.h.dot(direction) / direction.dot(s.matrix * direction);
  Real size = w > 0 ? s.t / w : free;
  if (free > 0) size = std::min(size, free);
  Vec2 y = size * direction;
  Vec2 normal = direction + s.e;
  Real kappa = -(s.matrix * y + s.h).dot(normal) / normal.squaredNorm();
  Real best = std::numeric_limits<Real>::infinity();
  Vec2 best_y = y;
  for (int i = 0; i < kDirectionPolishSteps; ++i) {
    const Real norm = y.norm();
    const Vec2 d = y / norm;
    normal = d + s.e;
    const Vec2 f1 = s.matrix * y + s.h + kappa * normal;
    const Real f2 = norm + s.e.dot(y) - s.t;
    const Real error = f1.norm() + std::abs(f2) * (1 + std::abs(kappa));
    if (!(error < best)) break;
    best = error;
    best_y = y;
    if (error <= kEps * (s.h_norm + norm + std::abs(kappa))) break;
    const Real bend = kappa / norm;  // Hessian of κ(‖y‖ + e·y) is (κ/‖y‖)(I − d dᵀ)
    const Mat2 K = s.matrix + bend * (Mat2::Identity() - d * d.transpose());
    const Real inverse = 1 / (K(0, 0) * K(1, 1) - K(0, 1) * K(1, 0));
    const auto solve = [&](const Vec2& x) {
      return Vec2(inverse * (K(1, 1) * x[0] - K(0, 1) * x[1]),
                  inverse * (K(0, 0) * x[1] - K(1, 0) * x[0]));
    };
    const Vec2 u1 = solve(f1), u2 = solve(normal);
    const Real delta = (f2 - normal.dot(u1)) / normal.dot(u2);
    if (!std::isfinite(delta)) break;
    y -= u1 + delta * u2;
    kappa += delta;
  }
  const Vec2 x = s.length * best_y;
  return {Vec3(x.norm() / friction, x[0], x[1]), ContactState::slip};
}

/// Direction at the half-angle tangent τ from `first`, turning towards `side`.
Vec2 direction_at(const Vec2& first, const Vec2& side, Real tau) {
  const Real inverse = 1 / (1 + tau * tau);
  return inverse * ((1 - tau) * (1 + tau) * first + 2 * tau * side);
}

/// Tangent of the middle of two half angles in [0, π/2]; high may be infinite.
Real middle_of(Real low, Real high) {
  const Real cos_low = 1 / std::sqrt(1 + low * low);
  const Real cos_high = 1 / std::sqrt(1 + high * high);
  const Real sin_high = std::isinf(high) ? Real(1) : high * cos_high;
  return (low * cos_low + sin_high) / (cos_low + cos_high);
}

/// The stationary point of E on the arc seen from x*.
Vec2 slip_direction(const Boundary& boundary, const Vec2& previous) {
  const Vec2& first = boundary.first;
  const Boundary::Slope start = boundary.slope(first);
  if (start.g == 0) return first;
  const Real sign = start.g < 0 ? 1 : -1;  // downhill
  const Vec2 side = sign * turned(first);
  const Real v = boundary.visibility;
  Real low = 0;
  Real high = v > -1 ? std::sqrt((1 - v) / (1 + v)) : std::numeric_limits<Real>::infinity();

  // With the angle counted downhill g < 0 before the root and g > 0 behind it.
  Real tau = -1;
  const Real across = previous.dot(side);
  if (across > 0) tau = across / (previous.norm() + previous.dot(first));
  if (!(tau > low && tau < high)) tau = -sign * start.g / start.dg / 2;  // Newton from φ₀
  if (!(tau > low && tau < high)) tau = middle_of(low, high);
  // Newton on g = 0, the stationarity of E on the boundary of `preclik_2017`.
  for (int i = 0; i < kDirectionSteps; ++i) {
    const Boundary::Slope at = boundary.slope(direction_at(first, side, tau));
    if (at.w <= 0 || sign * at.g > 0)
      high = tau;
    else
      low = tau;
    // Half the step of the angle, added by the theorem of tangents.
    const Real half = -sign * at.g / at.dg / 2;
    Real next = (tau + half) / (1 - tau * half);
    if (at.w <= 0 || !(next >= low && next <= high)) {
      next = middle_of(low, high);
      if (!(next > low && next < high)) break;
    } else if (std::abs(next - tau) <= 1e-8 * next * (1 + next * next)) {
      tau = next;  // quadratic: the polish ends it
      break;
    }
    tau = next;
  }
  return direction_at(first, side, tau);
}

/// What needs no search: true where r is the solution.
bool is_easy(const Mat3& A, const Vec3& b, Real friction, LocalSolution& solution) {
  solution = {};
  if (b[0] >= 0) return true;
  if (friction == 0) {
    solution = detail::frictionless(A, b);
    return true;
  }
  if (!detail::is_sphere_block(A)) return false;
  solution = detail::sphere_solution(A, b, friction);
  return true;
}

Mat3 symmetric_part(const Mat3& A) { return (A + A.transpose()) / 2; }

}  // namespace

LocalSolution solve_maximum_dissipation(const Mat3& A, const Vec3& b, Real friction,
                                        const Vec3& previous) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction + previous.sum())) return detail::not_a_number();
  LocalSolution solution;
  if (is_easy(A, b, friction, solution)) return solution;
  const Mat3 symmetric = symmetric_part(A);
  const Sliding s(symmetric, b, friction);
  if (detail::stick_is_feasible(s)) return detail::stick_solution(s, symmetric, b);
  const Vec2 direction = slip_direction(Boundary(s), Vec2(previous[1], previous[2]));
  return polished_direction(s, direction, friction);
}

LocalSolution solve_maximum_dissipation_quartic(const Mat3& A, const Vec3& b,
                                                Real friction) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction)) return detail::not_a_number();
  LocalSolution solution;
  if (is_easy(A, b, friction, solution)) return solution;
  const Mat3 symmetric = symmetric_part(A);
  const Sliding s(symmetric, b, friction);
  if (detail::stick_is_feasible(s)) return detail::stick_solution(s, symmetric, b);
  const Boundary boundary(s);

  // g = k_CC C² + k_SC S C + k_SS S² + k_C C + k_S S + k_0, C = cos φ, S = sin φ; Â = [p q; q s].
  const Real p = s.matrix(0, 0), q = s.matrix(0, 1), r = s.matrix(1, 1), beta = s.t;
  const Real h1 = s.h[0], h2 = s.h[1], e1 = s.e[0], e2 = s.e[1], k_0 = e1 * h2 - e2 * h1;
  const Real k_cc = beta * q + e1 * h2, k_ss = -beta * q - e2 * h1;
  const Real k_sc = beta * (r - p) + e2 * h2 - e1 * h1;
  const Real k_c = beta * (q * e1 - p * e2) + h2 + k_0 * e1;
  const Real k_s = beta * (r * e1 - q * e2) - h1 + k_0 * e2;
  const QuarticRoots roots =
      real_quartic_roots({k_cc + k_c + k_0, 2 * (k_s + k_sc), -2 * k_cc + 4 * k_ss + 2 * k_0,
                          2 * (k_s - k_sc), k_cc - k_c + k_0});

  Vec2 best = boundary.first;
  Real best_size = std::numeric_limits<Real>::infinity();
  const auto consider = [&](Vec2 d) {
    for (int i = 0; i < kQuarticPolishSteps; ++i) {
      const Boundary::Slope at = boundary.slope(d);
      const Real half = -at.g / at.dg / 2;
      if (!std::isfinite(half)) break;
      d = direction_at(d, turned(d), half);
      d.normalize();
    }
    const Boundary::Slope at = boundary.slope(d);
    const Real size = std::abs(at.g) / boundary.size(d);
    if (at.w > 0 && d.dot(boundary.first) > boundary.visibility && size < best_size) {
      best = d;
      best_size = size;
    }
  };
  for (int i = 0; i < roots.count; ++i)
    consider(direction_at(Vec2(1, 0), Vec2(0, 1), roots.root[static_cast<std::size_t>(i)]));
  consider(Vec2(-1, 0));
  consider(boundary.first);
  return polished_direction(s, best, friction);
}

}  // namespace talus::solve
