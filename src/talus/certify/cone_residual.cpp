#include <talus/certify/cone_residual.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/motion.hpp>
#include <talus/certify/detail/nearest.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::ConeProblem;

enum class ConeLaw { associated, exact };

/// Sums of squares over the blocks, in the scaled rows but for the plain ones.
struct ConeSums {
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

/// @param u the velocities that belong to r. Of W the scale of the rows alone is taken.
Certificate judge(const ConeProblem& problem, const VecX& r, const VecX& u, ConeLaw law) {
  const VecX root = problem::cone_scale(problem).cwiseSqrt();
  ConeSums sums;
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
    if (law == ConeLaw::exact) plain.u[0] += desaxce_shift(cone, plain);

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
  c.natural_map = detail::ratio(std::sqrt(sums.natural), size);
  c.plain = detail::ratio(std::sqrt(sums.plain), std::max({problem.b.norm(), r.norm(), u.norm()}));
  c.primal = detail::ratio(std::sqrt(sums.primal), size);
  c.dual = detail::ratio(std::sqrt(sums.dual), size);
  c.complementarity = sums.r > 0 ? sums.power / sums.r : Real(0);
  c.worst_share = worst > 0 ? worst / sums.natural : Real(0);
  c.is_finite = r.allFinite() && u.allFinite();
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.worst_velocity, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

/// The local form: u = W r + b.
Certificate judge(const ConeProblem& problem, const VecX& r, ConeLaw law) {
  TALUS_DEMAND_EQ(r.size(), problem.size());
  return judge(problem, r, problem.W * r + problem.b, law);
}

/// The global form. A row of W = Hᵀ M⁻¹ H whose diagonal is 0 is empty, so the scale of the rows
/// needs the diagonal alone.
Certificate judge(std::vector<Cone> cones, const detail::Motion& motion, const VecX& r) {
  if (!motion.is_regular) return {};
  const Index n = motion.diagonal.size();
  problem::SparseMatrix W(n, n);
  W.setIdentity();
  W = motion.diagonal.asDiagonal() * W;
  Certificate certificate =
      judge({W, motion.b, std::move(cones), {}, {}}, r, motion.u, ConeLaw::exact);
  certificate.equation_of_motion = motion.defect;
  certificate.is_finite = certificate.is_finite && std::isfinite(motion.defect);
  return certificate;
}

std::vector<Cone> rolling_cones(const VecX& friction, const VecX& rolling) {
  std::vector<Cone> cones;
  for (Index i = 0; i < friction.size(); ++i)
    cones.push_back({ConeKind::rolling, 5 * i, 5, friction[i], rolling[i]});
  return cones;
}

/// A row of its own for each constraint, then the contacts.
std::vector<Cone> bilateral_cones(Index constraints, Index d, const VecX& friction) {
  std::vector<Cone> cones;
  for (Index i = 0; i < constraints; ++i) cones.push_back({ConeKind::free, i, 1});
  for (Index i = 0; i < friction.size(); ++i)
    cones.push_back({ConeKind::friction, constraints + d * i, d, friction[i]});
  return cones;
}

}  // namespace

Certificate certify(const ConeProblem& problem, const VecX& r) {
  return judge(problem, r, ConeLaw::associated);
}

Certificate certify(const problem::BoxQp& problem, const VecX& x) {
  ConeProblem cones{problem.H, problem.g, {}, problem.lower, problem.upper};
  for (Index i = 0; i < problem.size(); ++i) cones.cones.push_back({ConeKind::box, i, 1});
  return judge(cones, x, ConeLaw::associated);
}

Certificate certify(const problem::RollingFrictionContact& problem, const VecX& r) {
  return judge(
      ConeProblem{problem.W, problem.b, rolling_cones(problem.friction, problem.rolling), {}, {}},
      r, ConeLaw::exact);
}

Certificate certify(const problem::BilateralContact& problem, const VecX& r) {
  return judge(
      ConeProblem{problem.W,
                  problem.b,
                  bilateral_cones(problem.equality_count, problem.dimension, problem.friction),
                  {},
                  {}},
      r, ConeLaw::exact);
}

Certificate certify(const problem::GlobalRollingFrictionContact& problem, const VecX& impulse,
                    const VecX& velocity) {
  return judge(rolling_cones(problem.friction, problem.rolling),
               detail::motion_of(problem.M, problem.H, problem.f, problem.w, impulse, velocity),
               impulse);
}

Certificate certify(const problem::GlobalBilateralContact& problem, const VecX& impulse,
                    const VecX& velocity) {
  const Index p = problem.equality_count(), contacts = problem.H.cols();
  using ColumnMatrix = Eigen::SparseMatrix<Real, Eigen::ColMajor>;
  ColumnMatrix both(problem.M.rows(), p + contacts);
  both.leftCols(p) = ColumnMatrix(problem.G);
  both.rightCols(contacts) = ColumnMatrix(problem.H);
  VecX prescribed(p + contacts);
  prescribed << problem.b, problem.w;
  return judge(bilateral_cones(p, problem.dimension, problem.friction),
               detail::motion_of(problem.M, both, problem.f, prescribed, impulse, velocity),
               impulse);
}

}  // namespace talus::certify
