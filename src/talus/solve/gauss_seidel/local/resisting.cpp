#include <talus/solve/gauss_seidel/local/resisting.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <talus/linalg/small.hpp>

namespace talus::solve {
namespace {

constexpr int kResistingSteps = 40;
constexpr int kHalvings = 6;
constexpr int kBrackets = 200;
constexpr int kAlternations = 400;
constexpr int kNewtonEvery = 4;  // turns before Newton is tried
/// ‖F‖ over the sizes that made it, at which round-off is reached.
constexpr Real kResistingRoundOff = 8e-15;

/// The contact with scaled rows.
struct Contact {
  Mat6 A;
  Vec6 b;
  ContactResistance limit;
};

/// F of one disc (rows `first`, first+1) and its derivative.
void disc_rows(const Contact& c, const Vec6& r, const Vec6& u, Eigen::Index first, Real coefficient,
               Vec6& F, Mat6& J) {
  const Vec2 q = (r - u).segment<2>(first);
  const Real radius = coefficient * std::max(r[0], Real(0)), size = q.norm();
  if (size <= radius) {
    F.segment<2>(first) = u.segment<2>(first);
    J.middleRows<2>(first) = c.A.middleRows<2>(first);
    return;
  }
  const Vec2 direction = q / size;
  const Mat2 across = (radius / size) * (Mat2::Identity() - direction * direction.transpose());
  F.segment<2>(first) = r.segment<2>(first) - radius * direction;
  J.middleRows<2>(first) = across * c.A.middleRows<2>(first);
  J.block<2, 2>(first, first) += Mat2::Identity() - across;
  if (r[0] > 0) J.block<2, 1>(first, 0) -= coefficient * direction;
}

/// F of the interval (the last row) and its derivative.
void interval_row(const Contact& c, const Vec6& r, const Vec6& u, Vec6& F, Mat6& J) {
  const Real q = r[5] - u[5], radius = c.limit.torsion * std::max(r[0], Real(0));
  J.row(5).setZero();
  if (std::abs(q) <= radius) {
    F[5] = u[5];
    J.row(5) = c.A.row(5);
    return;
  }
  F[5] = r[5] - std::copysign(radius, q);
  J(5, 5) = 1;
  if (r[0] > 0) J(5, 0) = -std::copysign(c.limit.torsion, q);
}

/// What Newton solves: the law, or the discs alone, r_N given.
enum class Unknowns { all, tangential };

Vec6 law(const Contact& c, Unknowns unknowns, const Vec6& r, Mat6& J) {
  const Vec6 u = c.A * r + c.b;
  Vec6 F;
  if (unknowns == Unknowns::tangential) {
    F[0] = 0;
    J.row(0).setZero();
    J(0, 0) = 1;
  } else if (r[0] - u[0] > 0) {
    F[0] = u[0];
    J.row(0) = c.A.row(0);
  } else {
    F[0] = r[0];
    J.row(0).setZero();
    J(0, 0) = 1;
  }
  disc_rows(c, r, u, 1, c.limit.friction, F, J);
  disc_rows(c, r, u, 3, c.limit.rolling, F, J);
  interval_row(c, r, u, F, J);
  return F;
}

/// ‖F(r)‖ relative to what cancels in it.
Real relative(const Contact& c, const Vec6& r, const Vec6& F) {
  return F.norm() / (c.b.norm() + (c.A.cwiseAbs() * r.cwiseAbs()).norm() + r.norm());
}

/// Damped Newton from r; leaves the best iterate there and returns its relative residual.
Real newton(const Contact& c, Unknowns unknowns, Vec6& r) {
  Mat6 J, other;
  Vec6 F = law(c, unknowns, r, J);
  Real best = relative(c, r, F);
  Vec6 best_r = r;
  for (int step = 0; step < kResistingSteps && best > kResistingRoundOff; ++step) {
    const Vec6 move = -linalg::lu_solve(J, F);  // J in ∂F, F of `alart_1991` with more discs
    if (!move.allFinite()) break;
    Vec6 next = r + move, next_F = law(c, unknowns, next, other);
    Real length = 1;
    for (int k = 0; k < kHalvings && next_F.norm() > F.norm(); ++k) {
      length /= 2;
      next = r + length * move;
      next_F = law(c, unknowns, next, other);
    }
    r = next;
    F = next_F;
    J = other;
    const Real residual = relative(c, r, F);
    if (residual < best) {
      best = residual;
      best_r = r;
    }
  }
  r = best_r;
  return best;
}

/// argmin ½ xᵀB x + cᵀx over ‖x‖ ≤ radius, B symmetric positive semidefinite: x = −(B + κI)⁻¹c with
/// the least κ ≥ 0 that fits, by Newton on 1/‖x(κ)‖ = 1/radius, which rises to its root from below.
Vec2 least_in_disc(const Mat2& B, const Vec2& c, Real radius) {
  if (radius <= 0) return Vec2::Zero();
  const Real tiny = 1e-14 * B.trace();
  Real shift = 0;
  for (int k = 0; k < 60; ++k) {
    const Mat2 K = B + (shift + tiny) * Mat2::Identity();
    const Mat2 inverse = K.inverse();
    Vec2 x = -inverse * c;
    const Real size = x.norm();
    if (size <= radius * (1 + 1e-15)) return x;
    const Real slope = x.dot(inverse * x);  // −½ d‖x‖²/dκ
    const Real move = (size / radius - 1) * size * size / slope;
    if (!(move > 1e-16 * shift)) return x * (radius / size);
    shift += move;
  }
  const Vec2 x = -(B + (shift + tiny) * Mat2::Identity()).inverse() * c;
  return x * std::min(Real(1), radius / x.norm());
}

/// r_T, r_R, r_S for a given normal impulse: the least of the convex function over the discs. By
/// turns, which always converges, and by Newton from there, which ends it.
void settle(const Contact& c, Real normal, Vec6& r) {
  r[0] = normal;
  for (int k = 0; k < kAlternations; ++k) {
    for (const Eigen::Index first : {Eigen::Index(1), Eigen::Index(3)}) {
      const Mat2 B = c.A.block<2, 2>(first, first);
      const Vec2 rest =
          (c.A.middleRows<2>(first) * r + c.b.segment<2>(first)) - B * r.segment<2>(first);
      r.segment<2>(first) =
          least_in_disc(B, rest, (first == 1 ? c.limit.friction : c.limit.rolling) * normal);
    }
    const Real rest = c.A.row(5).dot(r) + c.b[5] - c.A(5, 5) * r[5];
    const Real radius = c.limit.torsion * normal;
    r[5] = std::clamp(-rest / c.A(5, 5), -radius, radius);
    if (k % kNewtonEvery != kNewtonEvery - 1) continue;
    Vec6 next = r;
    if (newton(c, Unknowns::tangential, next) <= kResistingRoundOff) {
      r = next;
      return;
    }
  }
}

/// The root of u_N over r_N by bracketing and bisection. @param c with a symmetric A.
Vec6 bracket(const Contact& c) {
  const auto normal_velocity = [&](const Vec6& r) { return c.A.row(0).dot(r) + c.b[0]; };
  Vec6 r = Vec6::Zero();
  Real low = 0, high = -c.b[0] / c.A(0, 0);
  settle(c, high, r);
  for (int k = 0; k < kBrackets && normal_velocity(r) < 0; ++k) {
    low = high;
    high *= 2;
    settle(c, high, r);
  }
  for (int k = 0; k < kBrackets; ++k) {
    const Real middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    settle(c, middle, r);
    (normal_velocity(r) < 0 ? low : high) = middle;
  }
  return r;
}

/// size/Σ diagonal, 1 where that is nothing.
Real ratio(Real size, Real sum) { return sum > 0 ? size / sum : Real(1); }

}  // namespace

ResistingLocal solve_resisting(const Mat6& A, const Vec6& b, const ContactResistance& resistance,
                               const Vec6& previous) noexcept {
  if (b[0] >= 0) return {};
  const Real force = std::sqrt(ratio(3, A.diagonal().head<3>().sum()));
  const Real moment = std::sqrt(ratio(3, A.diagonal().tail<3>().sum()));
  Vec6 scale;
  scale << force, force, force, moment, moment, moment;
  Contact c{scale.asDiagonal() * A * scale.asDiagonal(),
            scale.cwiseProduct(b),
            {resistance.friction, resistance.rolling * force / moment,
             resistance.torsion * force / moment}};
  for (int i = 1; i < 6; ++i)
    if (c.A(i, i) == 0) c.A(i, i) = 1;  // a row of its own, at rest
  const Real size = c.b.norm();
  c.b /= size;
  scale *= size;

  Vec6 r = previous.cwiseQuotient(scale);
  if (!(r[0] > 0)) r = -linalg::lu_solve(c.A, c.b);  // stick
  if (!(r[0] > 0 && r.allFinite())) r << -c.b[0] / c.A(0, 0), 0, 0, 0, 0, 0;
  Real residual = newton(c, Unknowns::all, r);
  if (!(residual <= kResistingRoundOff)) {
    Vec6 other = bracket({(c.A + c.A.transpose()) / 2, c.b, c.limit});
    const Real other_residual = newton(c, Unknowns::all, other);
    if (!(other_residual >= residual)) {
      r = other;
      residual = other_residual;
    }
  }
  return {r.cwiseProduct(scale), residual};
}

}  // namespace talus::solve
