#include <talus/problem/polyhedral_contact.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <talus/base/contract.hpp>

namespace talus::problem {
namespace {

/// Where the parts of z begin.
struct Offsets {
  Index betas = 0, normals = 0, contact_slips = 0, joint_slips = 0, size = 0;
};

Offsets offsets_of(const PolyhedralContact& problem) {
  Offsets at;
  for (const MatX& directions : problem.contact_directions) at.betas += directions.cols();
  for (const MatX& directions : problem.joint_directions) at.betas += directions.cols();
  at.normals = at.betas;
  at.contact_slips = at.normals + problem.contact_count();
  at.joint_slips = at.contact_slips + problem.contact_count();
  at.size = at.joint_slips + problem.joint_count();
  return at;
}

using Entries = std::vector<Eigen::Triplet<Real>>;

/// Adds r_T = D β to the map; returns the number of rows.
Index add_directions(const MatX& directions, Index row, Index beta, Entries& entries) {
  for (Index i = 0; i < directions.rows(); ++i)
    for (Index j = 0; j < directions.cols(); ++j)
      if (directions(i, j) != 0)
        entries.emplace_back(static_cast<int>(row + i), static_cast<int>(beta + j),
                             directions(i, j));
  return directions.rows();
}

}  // namespace

MatX friction_directions(Index tangents, Index directions) {
  TALUS_DEMAND(tangents <= 2 && directions >= 2 && directions % 2 == 0);
  if (tangents == 0) return MatX(0, 0);
  if (tangents == 1) return (MatX(1, 2) << 1, -1).finished();
  MatX result(2, directions);
  for (Index j = 0; j < directions; ++j) {
    const Real angle = 2 * std::numbers::pi * static_cast<Real>(j) / static_cast<Real>(directions);
    result.col(j) << std::cos(angle), std::sin(angle);
  }
  return result;
}

PolyhedralMlcp to_mlcp(const PolyhedralContact& problem) {
  const Index equations = problem.bilateral_count, rows = problem.b.size() - equations;
  TALUS_DEMAND(problem.W.rows() == problem.b.size() && problem.W.cols() == problem.b.size());
  TALUS_DEMAND_EQ(problem.contact_directions.size(), problem.contact_count());
  TALUS_DEMAND_EQ(problem.joint_directions.size(), problem.joint_count());
  const Offsets at = offsets_of(problem);

  PolyhedralMlcp result;
  result.owner.resize(at.size);
  MatX coupling = MatX::Zero(at.size, at.size);  // μ, e and −eᵀ
  VecX offset = VecX::Zero(at.size);             // the bounds
  Entries entries;
  Index row = 0, beta = 0;
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const MatX& directions = problem.contact_directions[c];
    const Index k = directions.cols(), slip = at.contact_slips + c;
    entries.emplace_back(static_cast<int>(row), static_cast<int>(at.normals + c), 1);
    row += 1 + add_directions(directions, row + 1, beta, entries);
    coupling.block(beta, slip, k, 1).setOnes();
    coupling.block(slip, beta, 1, k).setConstant(-1);
    coupling(slip, at.normals + c) = problem.friction[c];
    std::fill_n(result.owner.begin() + beta, k, c);
    result.owner[at.normals + c] = result.owner[slip] = c;
    beta += k;
  }
  for (Index j = 0; j < problem.joint_count(); ++j) {
    const MatX& directions = problem.joint_directions[j];
    const Index k = directions.cols(), slip = at.joint_slips + j;
    row += add_directions(directions, row, beta, entries);
    coupling.block(beta, slip, k, 1).setOnes();
    coupling.block(slip, beta, 1, k).setConstant(-1);
    offset[slip] = problem.bound[j];
    std::fill_n(result.owner.begin() + beta, k, problem.contact_count() + j);
    result.owner[slip] = problem.contact_count() + j;
    beta += k;
  }
  TALUS_DEMAND(row == rows && beta == at.betas);
  result.impulse.resize(rows, at.size);
  result.impulse.setFromTriplets(entries.begin(), entries.end());

  const SparseMatrix& P = result.impulse;
  const MatX W(problem.W);
  Mlcp& mlcp = result.mlcp;
  mlcp.A = W.topLeftCorner(equations, equations);
  mlcp.C = W.topRightCorner(equations, rows) * P;
  mlcp.D = P.transpose() * W.bottomLeftCorner(rows, equations);
  const MatX half = W.bottomRightCorner(rows, rows) * P;
  mlcp.B = P.transpose() * half;
  mlcp.B += coupling;
  mlcp.a = problem.b.head(equations);
  mlcp.b = P.transpose() * problem.b.tail(rows) + offset;
  return result;
}

Real cone_violation(const PolyhedralContact& problem, const VecX& z) {
  const Offsets at = offsets_of(problem);
  TALUS_DEMAND_EQ(z.size(), at.size);
  Real worst = 0;
  for (Index i = 0; i < at.contact_slips; ++i) worst = std::max(worst, -z[i]);
  Index beta = 0;
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const Index k = problem.contact_directions[c].cols();
    worst = std::max(worst, z.segment(beta, k).sum() - problem.friction[c] * z[at.normals + c]);
    beta += k;
  }
  for (Index j = 0; j < problem.joint_count(); ++j) {
    const Index k = problem.joint_directions[j].cols();
    worst = std::max(worst, z.segment(beta, k).sum() - problem.bound[j]);
    beta += k;
  }
  return worst;
}

}  // namespace talus::problem
