#include <talus/certify/cone_residual.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/certify/coulomb_residual.hpp>
#include <talus/certify/detail/coupled_blocks.hpp>
#include <talus/certify/detail/island_sums.hpp>
#include <talus/certify/detail/motion.hpp>
#include <talus/certify/detail/nearest.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::ConeProblem;

enum class ConeLaw { associated, exact };

/// Sums of squares over all blocks, in the scaled rows but for the plain ones, and of Σ|rᵢ·ûᵢ|.
struct ConeSums {
  Real plain = 0, primal = 0, dual = 0, power = 0;
};

/// One block's rows of everything, scaled or not.
struct Rows {
  VecX r, u, b, lower, upper;
  VecX size;  // of the terms of b
  Real rolling = 0;
};

bool is_contact(const Cone& cone) {
  return cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling;
}

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

/// r − P_K(r − u) of one block, without the difference where that is u, however large r is.
VecX natural(const Cone& cone, const Rows& rows) {
  const VecX point = rows.r - rows.u, near = nearest(cone, rows, point);
  VecX error = rows.r - near;
  if (is_contact(cone)) return near == point ? rows.u : error;
  for (Index k = 0; k < error.size(); ++k)
    if (near[k] == point[k]) error[k] = rows.u[k];
  return error;
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

/// What the rows of a block have to answer: how they move where nothing is applied that need not
/// be.
/// @param rows scaled, b of them. @return one per row ≥ 0; of a contact its approach, then zeros.
VecX demands(const Cone& cone, const Rows& rows) {
  VecX all = rows.b.cwiseAbs();
  if (cone.kind == ConeKind::nonnegative) all = (-rows.b).cwiseMax(0);
  if (cone.kind == ConeKind::box)
    for (Index k = 0; k < all.size(); ++k)
      if (rows.b[k] > 0 ? rows.lower[k] >= 0 : rows.upper[k] <= 0) all[k] = 0;
  if (!is_contact(cone)) return all;
  all.setZero();
  all[0] = std::max(Real(0), -rows.b[0]);
  return all;
}

/// The rows of a block, plain and scaled, without r and u.
struct Block {
  Rows plain, scaled;
  VecX root;    // √ρ
  VecX demand;  // of the scaled rows
};

std::vector<Block> blocks_of(const ConeProblem& problem, const VecX& b, const VecX& size) {
  const VecX root = problem::cone_scale(problem).cwiseSqrt();
  std::vector<Block> blocks;
  for (const Cone& cone : problem.cones) {
    const auto part = [&](const VecX& x) { return x.segment(cone.first, cone.size); };
    Block& block = blocks.emplace_back();
    block.root = part(root);
    const auto scale = block.root.array();
    Rows &plain = block.plain, &scaled = block.scaled;
    plain.b = part(b);
    scaled.b = plain.b.array() * scale;
    scaled.size = part(size).array() * scale;
    if (cone.kind == ConeKind::box) {
      plain.lower = part(problem.lower);
      plain.upper = part(problem.upper);
      scaled.lower = plain.lower.array() / scale;
      scaled.upper = plain.upper.array() / scale;
    }
    plain.rolling = cone.rolling;
    scaled.rolling =
        cone.kind == ConeKind::rolling ? cone.rolling * scale[0] / scale[cone.size - 1] : 0;
    block.demand = demands(cone, scaled);
  }
  return blocks;
}

/// What the blocks of one island have to answer: contacts in velocities, all rows in scaled ones.
struct IslandDemands {
  detail::IslandDemand contacts, rows;

  void add(const Cone& cone, const Block& block) {
    const Real rho = block.root[0] * block.root[0];
    if (is_contact(cone))
      contacts.add(block.demand[0] / block.root[0],
                   block.plain.b.head(std::min<Index>(cone.size, 3)).squaredNorm(), rho);
    for (Index k = 0; k < cone.size; ++k)
      if (!is_contact(cone) || k == 0)
        rows.add(block.demand[k], block.scaled.b[k] * block.scaled.b[k], 1);
  }
  /// V of each scaled row (docs/adr/0019); of a contact in its first place.
  [[nodiscard]] VecX scales(const Cone& cone, const Block& block) const {
    if (!is_contact(cone)) return block.demand.cwiseMax(rows.least_scale(0));
    Real least = block.root[0] * contacts.least_scale(0);
    if (contacts.approaching == 0) least = std::max(least, rows.least_scale(0));
    return block.demand.cwiseMax(least);
  }
};

/// How far the rows of a block are from their law, over V: the largest. A contact is judged as one,
/// and no better than its impulse is known.
/// @param normal how far its scaled rows are from Signorini's law; 0 under an associated law.
Real violation(const Cone& cone, const Rows& rows, const VecX& misses, Real normal,
               const VecX& scales) {
  if (is_contact(cone))
    return std::max({misses.norm(), normal, detail::kImpulseRoundOff * rows.r.norm()}) / scales[0];
  return (misses.array().abs() / scales.array()).maxCoeff();
}

/// What rounding makes of velocities.
Real rounding_of(const Rows& rows) {
  return detail::kVelocityRoundOff * (rows.u.norm() + rows.size.norm());
}

/// Errors, less what rounding makes of velocities.
VecX without_rounding(const VecX& errors, const Rows& rows) {
  const Real error = errors.norm();
  const Real above = error - rounding_of(rows);
  if (error == 0 || above < 0) return VecX::Zero(errors.size());
  return above / error * errors;  // NaN stays
}

/// @param u the velocities that belong to r. @param b where r = 0, or the bounds that are nearest.
/// @param size of the terms of b. @param coupled which blocks are of one island. Of W the scale of
/// the rows alone is taken.
Certificate judge(const ConeProblem& problem, const VecX& r, const VecX& u, const VecX& b,
                  const VecX& size, DisjointSets coupled, ConeLaw law) {
  const std::size_t count = problem.cones.size();
  std::vector<Block> blocks = blocks_of(problem, b, size);
  std::vector<IslandDemands> demanded(count);
  for (std::size_t k = 0; k < count; ++k)
    demanded[coupled.root(static_cast<Index>(k))].add(problem.cones[k], blocks[k]);

  ConeSums sums;
  std::vector<detail::IslandSum> islands(count);
  Certificate c;
  c.violation = 0;
  Real worst = -1;
  for (std::size_t k = 0; k < count; ++k) {
    const Cone& cone = problem.cones[k];
    Rows &plain = blocks[k].plain, &scaled = blocks[k].scaled;
    const auto scale = blocks[k].root.array();
    plain.r = r.segment(cone.first, cone.size);
    plain.u = u.segment(cone.first, cone.size);
    const Real rate = plain.u[0] * scale[0];  // of the normal
    if (law == ConeLaw::exact) plain.u[0] += desaxce_shift(cone, plain);
    scaled.r = plain.r.array() / scale;
    scaled.u = plain.u.array() * scale;

    const VecX errors = natural(cone, scaled), misses = without_rounding(errors, scaled);
    const Index own = coupled.root(static_cast<Index>(k));
    detail::IslandSum& island = islands[own];
    island.error += errors.squaredNorm();
    island.answer += scaled.r.squaredNorm();
    island.free += nearest(cone, scaled, -scaled.b).squaredNorm();
    const Real normal = law == ConeLaw::exact && is_contact(cone)
                            ? signorini_error(scaled.r[0], rate, 1) - rounding_of(scaled)
                            : 0;
    c.violation = std::max(c.violation, violation(cone, scaled, misses, normal,
                                                  demanded[own].scales(cone, blocks[k])));
    if (errors.squaredNorm() > worst) {
      worst = errors.squaredNorm();
      c.worst_contact = static_cast<Index>(k);
    }
    sums.plain += natural(cone, plain).squaredNorm();
    sums.primal += (scaled.r - nearest(cone, scaled, scaled.r)).squaredNorm();
    sums.dual += dual_square(cone, scaled);
    sums.power += power(cone, scaled);
    c.worst_velocity = std::max(c.worst_velocity, errors.norm() / scale[0]);
  }
  const detail::IslandVerdict verdict = detail::judge(islands);
  c.natural_map = verdict.natural_map;
  c.plain = detail::ratio(std::sqrt(sums.plain), std::max({problem.b.norm(), r.norm(), u.norm()}));
  c.primal = verdict.ratio(sums.primal);
  c.dual = verdict.ratio(sums.dual);
  c.complementarity = verdict.answer > 0 ? sums.power / verdict.answer : Real(0);
  if (worst > 0) c.worst_share = worst / islands[coupled.root(c.worst_contact)].error;
  c.is_finite = r.allFinite() && u.allFinite();
  for (const Real value : {c.natural_map, c.plain, c.primal, c.dual, c.complementarity,
                           c.worst_velocity, c.violation, c.worst_share})
    c.is_finite = c.is_finite && std::isfinite(value);
  return c;
}

/// The block of each row.
std::vector<Index> block_of_rows(const ConeProblem& problem) {
  std::vector<Index> block(static_cast<std::size_t>(problem.size()), 0);
  for (std::size_t k = 0; k < problem.cones.size(); ++k)
    std::fill_n(block.begin() + problem.cones[k].first, problem.cones[k].size,
                static_cast<Index>(k));
  return block;
}

/// What is applied at least: 0, in a box the bound that is nearest to it.
VecX least_applied(const ConeProblem& problem) {
  VecX least = VecX::Zero(problem.size());
  for (const Cone& cone : problem.cones)
    for (Index row = cone.first; cone.kind == ConeKind::box && row < cone.first + cone.size; ++row)
      least[row] = std::clamp(Real(0), problem.lower[row], problem.upper[row]);
  return least;
}

/// The local form: u = W r + b.
Certificate judge(const ConeProblem& problem, const VecX& r, ConeLaw law) {
  TALUS_DEMAND_EQ(r.size(), problem.size());
  const VecX least = least_applied(problem);
  return judge(problem, r, problem.W * r + problem.b, problem.W * least + problem.b,
               problem.W.cwiseAbs() * least.cwiseAbs() + problem.b.cwiseAbs(),
               detail::coupled_blocks(static_cast<Index>(problem.cones.size()),
                                      block_of_rows(problem), problem.W),
               law);
}

/// The global form. A row of W = Hᵀ M⁻¹ H whose diagonal is 0 is empty, so the scale of the rows
/// needs the diagonal alone.
Certificate judge(std::vector<Cone> cones, const problem::SparseMatrix& M,
                  const Eigen::SparseMatrix<Real, Eigen::ColMajor>& H, const detail::Motion& motion,
                  const VecX& r) {
  if (!motion.is_regular) return {};
  const Index n = motion.diagonal.size();
  problem::SparseMatrix W(n, n);
  W.setIdentity();
  W = motion.diagonal.asDiagonal() * W;
  const ConeProblem local{W, motion.b, std::move(cones), {}, {}};
  Certificate certificate = judge(
      local, r, motion.u, motion.b, motion.b.cwiseAbs(),
      detail::coupled_blocks(static_cast<Index>(local.cones.size()), block_of_rows(local), M, H),
      ConeLaw::exact);
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
  return judge(rolling_cones(problem.friction, problem.rolling), problem.M, problem.H,
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
  return judge(bilateral_cones(p, problem.dimension, problem.friction), problem.M, both,
               detail::motion_of(problem.M, both, problem.f, prescribed, impulse, velocity),
               impulse);
}

}  // namespace talus::certify
