#include <talus/certify/cone_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/nearest.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::ConeProblem;

enum class Law { associated, exact };

/// Sums of squares over the blocks, in the scaled rows but for the plain ones.
struct Sums {
  Real natural = 0, plain = 0, primal = 0, dual = 0, r = 0, free = 0, power = 0;
};

/// One block's rows of everything, scaled or not.
struct Rows {
  VecX r, u, b, lower, upper;
  Real rolling = 0;
};

/// û − u: what the exact law adds to the normal velocity.
Real desaxce_shift(const Cone& cone, const Rows& rows) {
  if (cone.kind == ConeKind::friction) return cone.friction * rows.u.tail(rows.u.size() - 1).norm();
  if (cone.kind == ConeKind::rolling)
    return cone.friction * rows.u.segment(1, 2).norm() + rows.rolling * rows.u.segment(3, 2).norm();
  return 0;
}

VecX nearest(const Cone& cone, const Rows& rows, VecX point) {
  detail::move_to_nearest(cone, rows.rolling, rows.lower, rows.upper, point);
  return point;
}

/// ‖r − P_K(r − u)‖² of one block.
Real natural_square(const Cone& cone, const Rows& rows) {
  return (rows.r - nearest(cone, rows, rows.r - rows.u)).squaredNorm();
}

/// The part of u outside the dual of the directions in which the set is unbounded, squared.
Real dual_square(const Cone& cone, const Rows& rows) {
  if (cone.kind == ConeKind::free) return rows.u.squaredNorm();
  if (cone.kind != ConeKind::box) return nearest(cone, rows, -rows.u).squaredNorm();
  Real sum = 0;
  for (Index i = 0; i < rows.u.size(); ++i)
    if (std::isinf(rows.u[i] > 0 ? rows.lower[i] : rows.upper[i])) sum += rows.u[i] * rows.u[i];
  return sum;
}

Real power(const Cone& cone, const Rows& rows) {
  if (cone.kind != ConeKind::box) return std::abs(rows.r.dot(rows.u));
  Real sum = 0;
  for (Index i = 0; i < rows.u.size(); ++i) {
    const Real bound = rows.u[i] > 0 ? rows.lower[i] : rows.upper[i];
    if (rows.u[i] != 0 && !std::isinf(bound)) sum += std::abs(rows.u[i] * (rows.r[i] - bound));
  }
  return sum;
}

Real ratio(Real numerator, Real denominator) {
  return numerator == 0 ? Real(0) : numerator / denominator;
}

Certificate judge(const ConeProblem& problem, const VecX& r, Law law) {
  TALUS_DEMAND(r.size() == problem.size());
  const VecX root = problem::cone_scale(problem).cwiseSqrt();
  const VecX u = problem.W * r + problem.b;
  Sums sums;
  Certificate c;
  Real worst = -1;
  Rows plain, scaled;
  for (std::size_t k = 0; k < problem.cones.size(); ++k) {
    const Cone& cone = problem.cones[k];
    const auto part = [&](const VecX& x) { return x.segment(cone.first, cone.size); };
    const auto scale = part(root).array();
    plain.r = part(r);
    plain.u = part(u);
    plain.b = part(problem.b);
    if (cone.kind == ConeKind::box) {
      plain.lower = part(problem.lower);
      plain.upper = part(problem.upper);
    }
    plain.rolling = cone.rolling;
    if (law == Law::exact) plain.u[0] += desaxce_shift(cone, plain);

    scaled.r = plain.r.array() / scale;
    scaled.u = plain.u.array() * scale;
    scaled.b = plain.b.array() * scale;
    if (cone.kind == ConeKind::box) {
      scaled.lower = plain.lower.array() / scale;
      scaled.upper = plain.upper.array() / scale;
    }
    scaled.rolling =
        cone.kind == ConeKind::rolling ? cone.rolling * scale[0] / scale[cone.size - 1] : 0;

    const Real natural = natural_square(cone, scaled);
    sums.natural += natural;
    sums.plain += natural_square(cone, plain);
    sums.primal += (scaled.r - nearest(cone, scaled, scaled.r)).squaredNorm();
    sums.dual += dual_square(cone, scaled);
    sums.r += scaled.r.squaredNorm();
    sums.free += nearest(cone, scaled, -scaled.b).squaredNorm();
    sums.power += power(cone, scaled);
    c.worst_velocity = std::max(c.worst_velocity, std::sqrt(natural) / scale[0]);
    if (natural > worst) {
      worst = natural;
      c.worst_contact = static_cast<Index>(k);
    }
  }
  const Real size = std::sqrt(sums.r > 0 ? sums.r : sums.free);
  c.natural_map = ratio(std::sqrt(sums.natural), size);
  c.plain = ratio(std::sqrt(sums.plain), std::max({problem.b.norm(), r.norm(), u.norm()}));
  c.primal = ratio(std::sqrt(sums.primal), size);
  c.dual = ratio(std::sqrt(sums.dual), size);
  c.complementarity = sums.r > 0 ? sums.power / sums.r : Real(0);
  c.worst_share = worst > 0 ? worst / sums.natural : Real(0);
  c.is_finite = r.allFinite() && u.allFinite();
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.worst_velocity, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

}  // namespace

Certificate certify(const ConeProblem& problem, const VecX& r) {
  return judge(problem, r, Law::associated);
}

Certificate certify(const problem::BoxQp& problem, const VecX& x) {
  ConeProblem cones{problem.H, problem.g, {}, problem.lower, problem.upper};
  for (Index i = 0; i < problem.size(); ++i) cones.cones.push_back({ConeKind::box, i, 1});
  return judge(cones, x, Law::associated);
}

Certificate certify(const problem::RollingFrictionContact& problem, const VecX& r) {
  ConeProblem cones{problem.W, problem.b, {}, {}, {}};
  for (Index i = 0; i < problem.contact_count(); ++i)
    cones.cones.push_back({ConeKind::rolling, 5 * i, 5, problem.friction[i], problem.rolling[i]});
  return judge(cones, r, Law::exact);
}

Certificate certify(const problem::BilateralContact& problem, const VecX& r) {
  ConeProblem cones{problem.W, problem.b, {}, {}, {}};
  const Index p = problem.equality_count, d = problem.dimension;
  for (Index i = 0; i < p; ++i) cones.cones.push_back({ConeKind::free, i, 1});
  for (Index i = 0; i < problem.contact_count(); ++i)
    cones.cones.push_back({ConeKind::friction, p + d * i, d, problem.friction[i]});
  return judge(cones, r, Law::exact);
}

}  // namespace talus::certify
