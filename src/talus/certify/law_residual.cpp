#include <talus/certify/law_residual.hpp>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <talus/linalg/small.hpp>

namespace talus::certify {
namespace {

using problem::FrictionLaw;

constexpr int kBisections = 60;

/// Where −A⁻¹b lies: its direction and μ r_N/‖r_T‖, which are finite for a singular A too.
struct Unconstrained {
  Real angle = 0;
  Real ratio = 0;
  bool is_inside = false;
  Vec3 r = Vec3::Zero();
};

Unconstrained unconstrained(const Mat3& A, const Vec3& b, Real friction) {
  Unconstrained found;
  Mat3 adjugate;
  for (Index i = 0; i < 3; ++i)
    adjugate.col(i) = A.col((i + 1) % 3).cross(A.col((i + 2) % 3));  // A is symmetric
  Vec3 p = -(adjugate * b);                                          // −det(A) A⁻¹b
  const Real tiny = 1e-14 * A.squaredNorm() * b.norm();
  if (p.norm() > tiny) {
    found.r = -linalg::ldlt_solve(A, b);
    if (found.r.allFinite()) p = found.r;
    found.is_inside = A.determinant() > 0 && std::hypot(p[1], p[2]) <= friction * p[0];
  } else {  // rank 1: E falls for ever against the tangential force
    const Vec2 c(A(0, 1), A(0, 2));
    const Vec2 force = Vec2(b[1], b[2]) - b[0] / A(0, 0) * c;
    p << c.dot(force) / A(0, 0), -force[0], -force[1];
  }
  found.angle = std::atan2(p[2], p[1]);
  found.ratio = friction * p[0] / std::hypot(p[1], p[2]);
  return found;
}

/// r(φ) and the sign of dE/dφ.
struct ConicPoint {
  Vec3 r;
  Real slope;
  bool exists;
};

ConicPoint conic_point(const Mat3& A, const Vec3& b, Real friction, Real angle) {
  const Real C = std::cos(angle), S = std::sin(angle);
  const Real stiffness = A(0, 0) + friction * (A(0, 1) * C + A(0, 2) * S);
  const Real turn = friction * (A(0, 2) * C - A(0, 1) * S);
  const Real normal = -b[0] / stiffness;
  const Vec3 ray(1, friction * C, friction * S);
  const Vec3 r = normal * ray;
  const Vec3 move = Vec3(0, -friction * S, friction * C) - turn / stiffness * ray;  // r'/r_N
  return {r, (A * r + b).dot(move), stiffness > 0};
}

Vec3 polygon_velocity(const Vec3& u, Real friction, Index directions) {
  Real support = 0;  // of the polygon against u_T; it contains 0
  for (Index j = 0; j < directions; ++j) {
    const Real angle = 2 * M_PI * static_cast<Real>(j) / static_cast<Real>(directions);
    support = std::max(support, -std::cos(angle) * u[1] - std::sin(angle) * u[2]);
  }
  return u + Vec3(friction * support, 0, 0);
}

/// Errors of K ∋ r ⟂ w ∈ K* for a cone with this projection.
template <class Nearest>
ContactErrors cone_errors(const Vec3& r, const Vec3& w, const Vec3& b, Real rho,
                          const Nearest& nearest) {
  return {r - nearest(Vec3(r - rho * w)), r - nearest(Vec3(r - w)), r - nearest(r),
          rho * nearest(Vec3(-w)),        nearest(Vec3(-rho * b)),  std::abs(r.dot(w))};
}

}  // namespace

Vec3 nearest_in_polygon_cone(const Vec3& r, Real friction, Index directions) {
  const Real half = M_PI / static_cast<Real>(directions);
  const Real sector = std::floor(std::atan2(r[2], r[1]) / (2 * half));
  const Real middle = (2 * sector + 1) * half;
  const Real C = std::cos(middle), S = std::sin(middle);
  const Real outward = C * r[1] + S * r[2], along = C * r[2] - S * r[1];
  const auto point = [&](Real n, Real p, Real q) { return Vec3(n, C * p - S * q, S * p + C * q); };
  const Real slope = friction * std::cos(half), edge = friction * std::sin(half);
  if (r[0] >= 0 && outward <= slope * r[0]) return r;
  const Real n = (r[0] + slope * outward) / (1 + slope * slope);
  if (n > 0 && std::abs(along) <= edge * n) return point(n, slope * n, along);
  const Real m = (r[0] + slope * outward + edge * std::abs(along)) / (1 + friction * friction);
  if (!(m > 0)) return m <= 0 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Constant(m));
  return point(m, slope * m, along < 0 ? -edge * m : edge * m);
}

Vec3 most_dissipative(const Mat3& matrix, const Vec3& b, Real friction) {
  const Mat3 A = (matrix + matrix.transpose()) / 2;
  if (!std::isfinite(A.sum() + b.sum() + friction)) return Vec3::Constant(A.sum() + b.sum());
  if (b[0] >= 0) return Vec3::Zero();
  if (friction == 0) return {-b[0] / A(0, 0), 0, 0};
  const Unconstrained seen_from = unconstrained(A, b, friction);
  if (seen_from.is_inside) return seen_from.r;
  const Real side = conic_point(A, b, friction, seen_from.angle).slope > 0 ? -1 : 1;  // downhill
  Real low = 0, high = std::acos(std::clamp(seen_from.ratio, Real(-1), Real(1)));
  for (int i = 0; i < kBisections; ++i) {
    const Real angle = low + (high - low) / 2;
    if (!(angle > low && angle < high)) break;
    const ConicPoint point = conic_point(A, b, friction, seen_from.angle + side * angle);
    (point.exists && side * point.slope < 0 ? low : high) = angle;
  }
  return conic_point(A, b, friction, seen_from.angle + side * low).r;
}

ContactErrors law_errors(const CertifiedLaw& law, const Mat3& A, const Vec3& r, const Vec3& u,
                         const Vec3& b, Real friction, Real rho) {
  const auto in_cone = [&](const Vec3& x) { return nearest_in_friction_cone(x, friction); };
  switch (law.law) {
    case FrictionLaw::coulomb:
      break;
    case FrictionLaw::frictionless:
      return coulomb_errors(r, u, b, 0, rho);
    case FrictionLaw::cone_complementarity:
      return cone_errors(r, u, b, rho, in_cone);
    case FrictionLaw::polyhedral: {
      if (law.is_planar) break;
      ContactErrors errors = cone_errors(
          r, polygon_velocity(u, friction, law.directions), b, rho,
          [&](const Vec3& x) { return nearest_in_polygon_cone(x, friction, law.directions); });
      errors.normal = signorini_error(r[0], u[0], rho);
      return errors;
    }
    case FrictionLaw::maximum_dissipation: {
      if (law.is_planar) break;
      const Vec3 error = r - most_dissipative(A, u - A * r, friction);
      return {error,
              error,
              r - in_cone(r),
              Vec3(rho * std::min(Real(0), u[0]), 0, 0),
              in_cone(-rho * b),
              std::abs(r[0] * u[0]),
              signorini_error(r[0], u[0], rho)};
    }
  }
  return coulomb_errors(r, u, b, friction, rho);
}

}  // namespace talus::certify
