#include <talus/solve/gauss_seidel/local/coulomb.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/solve/gauss_seidel/local/detail/sliding.hpp>

namespace talus::solve {
namespace {

using detail::energy;
using detail::frictionless;
using detail::is_monotone;
using detail::is_sphere_block;
using detail::kEigenvalueFloor;
using detail::kEps;
using detail::not_a_number;
using detail::Sliding;
using detail::sphere_solution;
using detail::stick_is_feasible;
using detail::stick_solution;

/// Interval of κ > 0 on which f is convex; empty (low = high) where f is concave everywhere.
struct ConvexPart {
  Real low = 0, high = 0;
};

/// f'' = m²‖h‖²/‖N‖³ − 2t with m the least ‖N‖ on the line N(κ): f is convex where ‖N‖³ <
/// m²‖h‖²/2t.
ConvexPart convex_part(const Sliding& s) {
  const Real cross = s.n0[0] * s.h[1] - s.n0[1] * s.h[0];
  const Real h2 = s.h.squaredNorm();
  if (!(h2 > 0)) return {};
  const Real m = std::abs(cross) / s.h_norm;
  if (h2 <= 2 * s.t * m) return {};
  const Real center = s.n0.dot(s.h) / h2;
  // Where ‖N‖ rises from κ = 0 on, the condition at 0 decides without the cube root.
  const Real at_zero = s.n0.norm();
  if (center <= 0 && at_zero * at_zero * at_zero * 2 * s.t >= cross * cross) return {};
  const Real radius = std::cbrt(cross * cross / (2 * s.t));
  const Real half = std::sqrt(std::max(Real(0), radius * radius - m * m)) / s.h_norm;
  const Real low = std::max(Real(0), center - half), high = std::max(Real(0), center + half);
  return low < high ? ConvexPart{low, high} : ConvexPart{};
}

/// Root between two points where f has opposite signs and f'' one sign: Newton from the end where
/// f·f'' ≥ 0 never leaves the bracket in exact arithmetic; bisection when round-off makes it do so.
Real bracketed_root(const Sliding& s, Real positive, Real negative, bool is_convex) {
  Real x = is_convex ? positive : negative;
  for (int i = 0; i < 200; ++i) {
    const Real f = s.value(x);
    (f > 0 ? positive : negative) = x;
    const auto [low, high] = std::minmax(positive, negative);
    Real next = x - f / s.slope(x);
    if (!(next >= low && next <= high)) next = low + (high - low) / 2;
    if (std::abs(next - x) <= 4 * kEps * std::abs(next) || !(low < high)) return next;
    x = next;
  }
  return x;
}

/// A point of (low, high) where f has the opposite of its sign at both ends, or −1 if there is
/// none: bisection on f' towards the only extremum of a convex or concave piece.
Real find_sign_change(const Sliding& s, Real low, Real high, bool is_convex) {
  const Real sign = is_convex ? 1 : -1;  // s.slope · sign rises
  if (!(sign * s.slope(low) < 0 && sign * s.slope(high) > 0)) return -1;
  for (int i = 0; i < 200 && high - low > 4 * kEps * high; ++i) {
    const Real middle = low + (high - low) / 2;
    if (sign * s.value(middle) < 0) return middle;
    (sign * s.slope(middle) < 0 ? low : high) = middle;
  }
  return -1;
}

struct Roots {
  std::array<Real, 4> kappa{};
  int count = 0;
  void add(Real value) {
    if (count < 4 && value > 0) kappa[static_cast<std::size_t>(count++)] = value;
  }
};

void roots_of_piece(const Sliding& s, Real low, Real high, bool is_convex, Roots& roots) {
  if (!(low < high)) return;
  const bool low_positive = s.value(low) > 0, high_positive = s.value(high) > 0;
  if (low_positive != high_positive) {
    roots.add(bracketed_root(s, low_positive ? low : high, low_positive ? high : low, is_convex));
  } else if (low_positive == is_convex) {
    const Real inside = find_sign_change(s, low, high, is_convex);
    if (inside < 0) return;
    roots.add(
        bracketed_root(s, low_positive ? low : inside, low_positive ? inside : low, is_convex));
    roots.add(
        bracketed_root(s, low_positive ? high : inside, low_positive ? inside : high, is_convex));
  }
}

/// All roots of f on κ > 0, rising.
Roots all_roots(const Sliding& s, const ConvexPart& convex) {
  Roots roots;
  const Real end = std::max(s.beyond_roots(), 2 * convex.high);
  roots_of_piece(s, 0, convex.low, false, roots);
  roots_of_piece(s, convex.low, convex.high, true, roots);
  roots_of_piece(s, convex.high, end, false, roots);
  return roots;
}

/// Newton on 1/q(κ) = 1/t from the direction of the previous impulse, for unique roots only;
/// −1 if it does not settle in a few steps.
Real newton_from(const Sliding& s, const Vec2& previous) {
  const Real previous_norm = previous.norm();
  Vec2 d = previous_norm > 0 ? Vec2(previous / previous_norm) : Vec2(-s.h / s.h_norm);
  const Real w = 1 + s.e.dot(d);
  if (!(w > 0)) return -1;
  Real kappa = -d.dot(s.matrix * d) - s.h.dot(d) * w / s.t;
  if (!(kappa > 0)) kappa = s.h_norm / s.t;
  for (int i = 0; i < 10; ++i) {
    const Real inverse = 1 / s.denominator(kappa);
    const Vec2 y = s.numerator(kappa) * inverse;
    const Real norm = y.norm();
    const Real q = norm + s.e.dot(y);
    const Vec2 dy = -(s.adjugate_times(y) + kappa * y) * inverse;
    const Real dq = y.dot(dy) / norm + s.e.dot(dy);
    const Real step = q * (s.t - q) / (s.t * dq);
    const Real next = kappa + step;
    if (!(next > 0) || !(q > 0) || !(dq < 0)) return -1;
    if (std::abs(step) <= 1e-9 * next) return next;  // quadratic: the polish finishes it
    kappa = next;
  }
  return -1;
}

/// r from a root κ: up to three Newton steps on (Â + κI) y = −h, ‖y‖ + e·y = t, whose residual,
/// unlike N/D, keeps its digits where Â is nearly singular or w nearly 0.
LocalSolution slip_solution(const Sliding& s, Real kappa, Real friction) {
  Vec2 y = s.numerator(kappa) / s.denominator(kappa);
  Real best = std::numeric_limits<Real>::infinity();
  Vec2 best_y = y;
  for (int i = 0; i < 4; ++i) {
    const Real norm = y.norm();
    const Vec2 f1 = s.matrix * y + s.h + kappa * y;
    const Real f2 = norm + s.e.dot(y) - s.t;
    const Real size = f1.norm() + std::abs(f2) * (1 + kappa);
    if (!(size < best)) break;
    best = size;
    best_y = y;
    if (i == 3 || size <= kEps * (s.h_norm + kappa * norm)) break;
    const Real inverse = 1 / s.denominator(kappa);
    const Vec2 u1 = (s.adjugate_times(f1) + kappa * f1) * inverse;
    const Vec2 u2 = (s.adjugate_times(y) + kappa * y) * inverse;
    const Vec2 normal = y / norm + s.e;
    const Real delta = (f2 - normal.dot(u1)) / normal.dot(u2);
    if (!std::isfinite(delta)) break;
    y -= u1 + delta * u2;
    kappa += delta;
  }
  const Vec2 x = s.length * best_y;
  return {Vec3(x.norm() / friction, x[0], x[1]), ContactState::slip};
}

}  // namespace

LocalSolution solve_coulomb(const Mat3& A, const Vec3& b, Real friction,
                            const Vec3& previous) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction + previous.sum())) return not_a_number();
  if (b[0] >= 0) return {};
  if (friction == 0) return frictionless(A, b);
  if (is_sphere_block(A)) return sphere_solution(A, b, friction);

  const Sliding s(A, b, friction);
  if (stick_is_feasible(s)) return stick_solution(s, A, b);

  const bool is_unique = is_monotone(s);
  const ConvexPart convex = is_unique ? ConvexPart{} : convex_part(s);
  if (is_unique || convex.low == convex.high) {
    const Real kappa = newton_from(s, Vec2(previous[1], previous[2]));
    if (kappa > 0) return slip_solution(s, kappa, friction);
  }
  const Roots roots = all_roots(s, is_unique ? convex_part(s) : convex);
  // Round-off on the boundary of sticking can hide the only root, which is then at κ = 0.
  if (roots.count == 0) return slip_solution(s, 0, friction);
  LocalSolution chosen;
  Real chosen_distance = 0, chosen_energy = 0;
  const bool has_previous = !previous.isZero(0);
  for (int i = roots.count - 1; i >= 0; --i) {
    LocalSolution candidate = slip_solution(s, roots.kappa[static_cast<std::size_t>(i)], friction);
    if (roots.count == 1) return candidate;
    const Real distance = has_previous ? (candidate.impulse - previous).norm() : Real(0);
    const Real change = energy(A, b, candidate.impulse);
    const bool is_better =
        distance < chosen_distance || (distance == chosen_distance && change < chosen_energy);
    if (i == roots.count - 1 || is_better) {
      chosen = candidate;
      chosen_distance = distance;
      chosen_energy = change;
    }
  }
  return chosen;
}

CoulombSolutions enumerate_coulomb(const Mat3& A, const Vec3& b, Real friction) noexcept {
  CoulombSolutions all;
  const auto add = [&all](const LocalSolution& solution) {
    all.solutions[static_cast<std::size_t>(all.count++)] = solution;
  };
  if (b[0] >= 0) {
    add({});
  } else if (friction == 0) {
    add(frictionless(A, b));
  } else if (is_sphere_block(A)) {
    add(sphere_solution(A, b, friction));
  } else {
    const Sliding s(A, b, friction);
    if (stick_is_feasible(s)) add(stick_solution(s, A, b));
    const Roots roots = all_roots(s, convex_part(s));
    for (int i = roots.count - 1; i >= 0; --i)
      add(slip_solution(s, roots.kappa[static_cast<std::size_t>(i)], friction));
  }
  return all;
}

LocalSolution2 solve_coulomb_2d(const Mat2& A, const Vec2& b, Real friction,
                                const Vec2& previous) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction + previous.sum()))
    return {Vec2::Constant(std::numeric_limits<Real>::quiet_NaN()), ContactState::open};
  if (b[0] >= 0) return {};
  const Real a = A(0, 0);
  if (friction == 0) return {Vec2(-b[0] / a, 0), ContactState::slip};
  const Real reduced = A(1, 1) - A(1, 0) * A(0, 1) / a;
  const Real rhs = b[1] - b[0] / a * A(1, 0);
  const Real e = friction * A(0, 1) / a, limit = -friction * b[0] / a;
  // The floor of the docstring; without it a singular block would divide by zero.
  const Real tangential = std::max(reduced, kEigenvalueFloor * std::max(std::abs(A(1, 1)), a));
  const Real stick = -rhs / tangential;
  if (std::abs(stick) + e * stick <= limit)
    return {Vec2(-(b[0] + A(0, 1) * stick) / a, stick), ContactState::stick};
  // Slip opposes b̂; 1 + e d > 0 because stick on this side is outside the cone.
  const Real d = rhs > 0 ? -1 : 1;
  const Real slip = d * limit / (1 + e * d);
  return {Vec2(std::abs(slip) / friction, slip), ContactState::slip};
}

}  // namespace talus::solve
