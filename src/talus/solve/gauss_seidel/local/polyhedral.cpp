#include <talus/solve/gauss_seidel/local/polyhedral.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/solve/gauss_seidel/local/detail/sliding.hpp>

namespace talus::solve {
namespace {

using detail::Sliding;

constexpr Real kPyramidRoundOff = 1e-12;  // violation at which a candidate still holds

/// A candidate y = x/s and how far it is from the law, relative to what it is made of.
struct Candidate {
  Vec2 y = Vec2::Zero();
  Real violation = 0;
};

/// Keeps the best candidate by the rule of the docstring.
struct Choice {
  const Sliding& s;
  const Mat3& A;
  const Vec3& b;
  const Vec3& previous;
  bool has_previous;
  Vec3 impulse = Vec3::Zero();
  Real violation = std::numeric_limits<Real>::infinity(), distance = 0, energy = 0;

  void offer(const Candidate& candidate) {
    if (candidate.violation > kPyramidRoundOff && !(candidate.violation < violation)) return;
    const Vec2 x = s.length * candidate.y;
    const Vec3 r(-(b[0] + A(0, 1) * x[0] + A(0, 2) * x[1]) / A(0, 0), x[0], x[1]);
    const Real far = has_previous ? (r - previous).norm() : Real(0);
    const Real change = detail::energy(A, b, r);
    const bool both_hold = candidate.violation <= kPyramidRoundOff && violation <= kPyramidRoundOff;
    if (both_hold && !(far < distance || (far == distance && change < energy))) return;
    impulse = r;
    violation = candidate.violation;
    distance = far;
    energy = change;
  }
};

Real positive(Real value) { return std::max(Real(0), value); }

}  // namespace

FrictionPolygon::FrictionPolygon(Index sides) {
  TALUS_DEMAND(sides >= 4 && sides % 2 == 0);
  const Real half = M_PI / static_cast<Real>(sides);
  for (Index j = 0; j < sides; ++j) {
    const Real corner = 2 * half * static_cast<Real>(j), normal = corner + half;
    corners_.emplace_back(std::cos(corner), std::sin(corner));
    normals_.emplace_back(std::cos(normal), std::sin(normal));
  }
  inner_radius_ = std::cos(half);
  half_side_ = std::sin(half);
}

LocalSolution solve_polyhedral(const Mat3& A, const Vec3& b, Real friction, const Vec3& previous,
                               const FrictionPolygon& polygon) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction + previous.sum())) return detail::not_a_number();
  if (b[0] >= 0) return {};
  if (friction == 0) return detail::frictionless(A, b);
  // In y = x/s: (Â/σ) y + h is u_T/(σ s), and μ r_N/s = t − e·y.
  const Sliding s(A, b, friction);
  const std::size_t sides = polygon.corners().size();
  const Real inner = polygon.inner_radius();

  bool is_stick = true;  // m·y* ≤ inner (t − e·y*) at every side, times det
  for (const Vec2& m : polygon.normals())
    is_stick = is_stick && m.dot(s.n0) + inner * s.e.dot(s.n0) <= inner * s.t * s.determinant;
  if (is_stick) return detail::stick_solution(s, A, b);

  // Slip along every side and at every corner of the polygon (`stewart_1996`, one contact).
  Choice choice{s, A, b, previous, !previous.isZero(0)};
  for (std::size_t j = 0; j < sides; ++j) {
    const Vec2 &corner = polygon.corners()[j], &m = polygon.normals()[j];
    const Vec2 &next = polygon.corners()[(j + 1) % sides],
               &last = polygon.corners()[(j + sides - 1) % sides];
    // Along the side: y = y* − κ Â⁻¹m with m·y = inner (t − e·y).
    const Vec2 direction = s.adjugate_times(m), row = m + inner * s.e;
    const Real across = row.dot(direction);
    const Real kappa = (row.dot(s.n0) - inner * s.t * s.determinant) / across;
    if (across != 0) {
      const Vec2 y = (s.n0 - kappa * direction) / s.determinant;
      const Real radius = s.t - s.e.dot(y), along = std::abs(m[0] * y[1] - m[1] * y[0]);
      const Real size = y.norm() + s.t;
      choice.offer({y, positive(-radius) / size +
                           positive(along - polygon.half_side() * radius) / size +
                           positive(-kappa) / (s.h_norm + std::abs(kappa))});
    }
    // At the corner: u_T must rise towards both neighbours.
    const Real w = 1 + s.e.dot(corner);
    if (w > 0) {
      const Vec2 y = (s.t / w) * corner, force = s.matrix * y + s.h;
      const Real size = y.norm() + s.h_norm;
      choice.offer(
          {y, (positive(-force.dot(next - corner)) + positive(-force.dot(last - corner))) / size});
    }
  }
  return {choice.impulse, ContactState::slip};
}

}  // namespace talus::solve
