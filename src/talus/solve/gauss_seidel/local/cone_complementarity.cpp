#include <talus/solve/gauss_seidel/local/cone_complementarity.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/linalg/small.hpp>
#include <talus/solve/gauss_seidel/local/detail/sliding.hpp>

namespace talus::solve {
namespace {

using detail::kEigenvalueFloor;
using detail::kEps;
using detail::Sliding;

using Vec4 = Eigen::Matrix<Real, 4, 1>;

constexpr int kConeNewtonSteps = 200;  // doublings and bisections included
constexpr int kConePolishSteps = 5;
constexpr Real kSettled = 1e-7;  // relative step of λ that the polish ends
constexpr Real kNear = 1e-3;     // |‖r_T‖/(μ r_N) − 1| near the root

/// A − λG = L diag(pivots) Lᵀ in the order T2, T1, N. The tangential part is positive definite, so
/// this is stable, and the sign of the last pivot is that of the determinant.
struct Pencil {
  Real last, first, normal;        // pivots
  Real l_first, l_last, l_normal;  // T1 by T2, N by T2, N by T1

  Pencil(const Mat3& A, Real friction, Real lambda) {
    last = A(2, 2) + lambda;
    l_first = A(1, 2) / last;
    l_last = A(0, 2) / last;
    first = A(1, 1) + lambda - l_first * A(1, 2);
    const Real coupled = A(0, 1) - l_first * A(0, 2);
    l_normal = coupled / first;
    normal = A(0, 0) - lambda * friction * friction - l_last * A(0, 2) - l_normal * coupled;
  }
  [[nodiscard]] Vec3 solve(const Vec3& x) const {
    const Real y1 = x[1] - l_first * x[2];
    const Real r0 = (x[0] - l_last * x[2] - l_normal * y1) / normal;
    const Real r1 = y1 / first - l_normal * r0;
    return {r0, r1, x[2] / last - l_first * r1 - l_last * r0};
  }
  /// The null vector where the last pivot is zero, r_N = 1.
  [[nodiscard]] Vec3 null_vector() const { return {1, -l_normal, l_first * l_normal - l_last}; }
};

Real tangential(const Vec3& r) { return std::sqrt(r[1] * r[1] + r[2] * r[2]); }

/// λ at the root and r there.
struct Root {
  Real lambda = 0;
  Vec3 r = Vec3::Zero();
};

/// Where λ is known to the last bit and r is not: near det(A − λG) = 0, r moves along the one
/// eigenvector inside K_μ. The point of that line on the boundary of K_μ.
Vec3 on_boundary(const Vec3& r, const Vec3& line, Real friction) {
  const Vec3 G(friction * friction, -1, -1);
  const Real a = line.dot(G.cwiseProduct(line)), b = r.dot(G.cwiseProduct(line)),
             c = r.dot(G.cwiseProduct(r));
  const Real root = std::sqrt(std::max(Real(0), b * b - a * c));
  return r + ((b > 0 ? -c / (b + root) : (root - b) / a)) * line;
}

Root find_root(const Mat3& A, const Vec3& b, Real friction, Real guess) {
  Real low = 0, high = std::numeric_limits<Real>::infinity(), lambda = guess;
  Root last;
  for (int i = 0; i < kConeNewtonSteps; ++i) {
    const Pencil pencil(A, friction, lambda);
    if (pencil.normal == 0) {
      lambda *= 1 + 4 * kEps;
      continue;
    }
    const Vec3 r = pencil.solve(-b);
    last = {lambda, r};
    const Real size = tangential(r);
    const bool is_in_cone = r[0] > 0 && friction * r[0] >= size;
    const bool is_in_minus_cone = r[0] < 0 && -friction * r[0] >= size;
    const bool is_above = pencil.normal > 0 ? is_in_cone : !is_in_cone;
    (is_above ? high : low) = lambda;
    // Newton on ‖r_T‖/(μ r_N) = 1, which has no pole at det(A − λG) = 0, or on μ r_N/‖r_T‖ = 1,
    // which has none at r_N = 0; r' = (A − λG)⁻¹ G r.
    const Vec3 turn = pencil.solve(Vec3(friction * friction * r[0], -r[1], -r[2]));
    const Real ratio = size / (friction * r[0]);
    if (std::abs(ratio - 1) <= 4 * kEps) return last;
    const Real dratio =
        ratio * ((r[1] * turn[1] + r[2] * turn[2]) / (size * size) - turn[0] / r[0]);
    const bool is_steep = !(ratio > 0 && ratio < 2);
    const Real step = -(is_steep ? ratio : Real(1)) * (ratio - 1) / dratio;
    Real next = lambda > 1 ? lambda / (1 - step / lambda) : lambda + step;  // in 1/λ: flat far out
    const bool is_near = std::abs(ratio - 1) <= kNear;
    if (is_near && std::abs(next - lambda) <= kSettled * lambda) return last;
    if (is_in_minus_cone || !(next > low && next < high)) {
      next = std::isinf(high) ? 4 * lambda : low > 0 ? std::sqrt(low * high) : high / 16;
      if (high < 4 * low || high < std::numeric_limits<Real>::min()) next = low + (high - low) / 2;
      if (!(next > low && next < high)) {
        if (!is_near) last.r = on_boundary(r, pencil.null_vector(), friction);
        return last;
      }
    }
    lambda = next;
  }
  return last;
}

/// J⁻¹ f with J = [A − λG, −G r; ∂(‖r_T‖ − μ r_N)/∂r, 0]: by blocks, or as a whole near
/// det(A − λG) = 0.
Vec4 newton_step(const Mat3& A, Real friction, Real lambda, const Vec3& r, const Vec4& f) {
  constexpr Real kRegular = 1e-2;  // least share of A_NN in the last pivot
  const Vec3 G(friction * friction, -1, -1), turned = G.cwiseProduct(r);
  const Real norm = tangential(r);
  const Vec3 gradient(-friction, r[1] / norm, r[2] / norm);
  const Pencil pencil(A, friction, lambda);
  Vec4 move;
  if (std::abs(pencil.normal) > kRegular * A(0, 0)) {
    const Vec3 by_f = pencil.solve(f.head<3>()), by_lambda = pencil.solve(turned);
    move[3] = (f[3] - gradient.dot(by_f)) / gradient.dot(by_lambda);
    move.head<3>() = by_f + move[3] * by_lambda;
    return move;
  }
  Eigen::Matrix<Real, 4, 4> J;
  J.topLeftCorner<3, 3>() = A;
  J.topLeftCorner<3, 3>().diagonal() -= lambda * G;
  J.topRightCorner<3, 1>() = -turned;
  J.bottomLeftCorner<1, 3>() = gradient.transpose();
  J(3, 3) = 0;
  return linalg::lu_solve(J, f);
}

/// Newton on A r + b = λ G r, ‖r_T‖ = μ r_N, kept while its residual falls.
Vec3 polished_root(const Mat3& A, const Vec3& b, Real friction, const Root& root) {
  const Vec3 G(friction * friction, -1, -1);
  Vec3 r = root.r;
  const Real size = tangential(r);
  if (!(size > 0)) return {std::max(Real(0), -b[0] / A(0, 0)), 0, 0};
  r[0] = size / friction;
  Real lambda = root.lambda, best = std::numeric_limits<Real>::infinity();
  Vec3 best_r = r;
  for (int i = 0; i < kConePolishSteps; ++i) {
    const Real norm = tangential(r);
    Vec4 f;
    f << A * r + b - lambda * G.cwiseProduct(r), norm - friction * r[0];
    const Real error =
        f.head<3>().norm() + std::abs(f[3]) * (1 + std::abs(lambda) * (1 + friction));
    if (!(error < best)) break;
    best = error;
    best_r = r;
    if (error <= kEps * (b.norm() + r.norm())) break;
    const Vec4 move = newton_step(A, friction, lambda, r, f);
    if (!move.allFinite()) break;
    r -= move.head<3>();
    lambda -= move[3];
  }
  best_r[0] = tangential(best_r) / friction;
  return best_r;
}

LocalSolution cone_sphere_solution(const Mat3& A, const Vec3& b, Real friction) {
  const Real speed = std::sqrt(b[1] * b[1] + b[2] * b[2]), delta = A(1, 1);
  if (b[0] < 0 && speed * A(0, 0) <= -friction * b[0] * delta)
    return {Vec3(-b[0] / A(0, 0), -b[1] / delta, -b[2] / delta), ContactState::stick};
  const Real normal = (friction * speed - b[0]) / (A(0, 0) + friction * friction * delta);
  const Real factor = -friction * normal / speed;
  return {Vec3(normal, factor * b[1], factor * b[2]), ContactState::slip};
}

/// λ of the previous impulse, −u_T·r_T/‖r_T‖², or without one of the sphere most like A.
Real guess(const Mat3& A, const Vec3& b, Real friction, const Vec3& previous) {
  Real lambda = 0;
  if (previous[0] > 0 && tangential(previous) > 0) {
    const Vec3 u = A * previous + b;
    lambda = -(u[1] * previous[1] + u[2] * previous[2]) / previous.tail<2>().squaredNorm();
  } else {
    const Real delta = (A(1, 1) + A(2, 2)) / 2, speed = tangential(b);
    const Real normal = (friction * speed - b[0]) / (A(0, 0) + friction * friction * delta);
    lambda = speed / (friction * normal) - delta;
  }
  return lambda > 1e-6 && lambda < 1e6 ? lambda : Real(1);
}

}  // namespace

LocalSolution solve_cone_complementarity(const Mat3& A, const Vec3& b, Real friction,
                                         const Vec3& previous) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction + previous.sum())) return detail::not_a_number();
  if (b[0] >= friction * std::sqrt(b[1] * b[1] + b[2] * b[2])) return {};
  if (friction == 0) return detail::frictionless(A, b);
  if (detail::is_sphere_block(A)) return cone_sphere_solution(A, b, friction);
  const Mat3 symmetric = (A + A.transpose()) / 2;
  const Sliding s(symmetric, b, friction);
  if (detail::stick_is_feasible(s)) return detail::stick_solution(s, symmetric, b);

  // Without units, and with the shift of Â that sticking has seen.
  const Real scale = A.trace() / 3, size = b.norm();
  Mat3 matrix = symmetric / scale;
  matrix.diagonal().tail<2>().array() +=
      std::max(Real(0), kEigenvalueFloor - s.smallest_eigenvalue) * s.sigma / scale;
  const Vec3 velocity = b / size;
  const Real start = guess(matrix, velocity, friction, previous * (scale / size));
  const Vec3 r =
      polished_root(matrix, velocity, friction, find_root(matrix, velocity, friction, start));
  return {r * (size / scale), r[0] > 0 ? ContactState::slip : ContactState::open};
}

LocalSolution2 solve_cone_complementarity_2d(const Mat2& A, const Vec2& b, Real friction) noexcept {
  if (!std::isfinite(A.sum() + b.sum() + friction))
    return {Vec2::Constant(std::numeric_limits<Real>::quiet_NaN()), ContactState::open};
  if (b[0] >= friction * std::abs(b[1])) return {};
  const Real a = A(0, 0), c = (A(0, 1) + A(1, 0)) / 2;
  if (friction == 0) return {Vec2(-b[0] / a, 0), ContactState::slip};
  const Real reduced =
      std::max(A(1, 1) - c * c / a, kEigenvalueFloor * std::max(std::abs(A(1, 1)), a));
  const Real stick = -(b[1] - b[0] / a * c) / reduced, normal = -(b[0] + c * stick) / a;
  if (std::abs(stick) <= friction * normal) return {Vec2(normal, stick), ContactState::stick};
  LocalSolution2 best;
  Real best_energy = 0;
  for (const Real side : {Real(1), Real(-1)}) {
    const Real along = b[0] + side * friction * b[1];  // bᵀℓ, ℓ = (1, ±μ)
    const Real stiffness =
        a + 2 * side * friction * c + friction * friction * (reduced + c * c / a);
    const Real energy = -along * along / (2 * stiffness);
    if (along >= 0 || energy >= best_energy) continue;
    best = {Vec2(1, side * friction) * (-along / stiffness), ContactState::slip};
    best_energy = energy;
  }
  return best;
}

}  // namespace talus::solve
