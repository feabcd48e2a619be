#include <talus/certify/friction_contact_residual.hpp>

#include <algorithm>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/coulomb_residual.hpp>
#include <talus/certify/detail/coupled_blocks.hpp>
#include <talus/certify/detail/motion.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/certify/law_residual.hpp>

namespace talus::certify {
namespace {

Vec3 contact_part(const VecX& x, Index contact, Index d) {
  return d == 2 ? Vec3(x[2 * contact], x[2 * contact + 1], 0) : Vec3(x.segment<3>(3 * contact));
}

/// ρᵢ = d/tr A_ii from the diagonal of A.
VecX contact_masses(Index d, const VecX& diagonal) {
  VecX rho(diagonal.size() / d);
  for (Index i = 0; i < rho.size(); ++i)
    rho[i] = static_cast<Real>(d) / diagonal.segment(d * i, d).sum();
  return rho;
}

/// The diagonal blocks of W side by side, where the law needs them.
template <class Problem>
bool needs_blocks(const Problem& problem) {
  return problem.law == problem::FrictionLaw::maximum_dissipation && problem.dimension == 3;
}

MatX diagonal_blocks(const problem::FrictionContact& problem) {
  if (!needs_blocks(problem)) return {};
  MatX blocks = MatX::Zero(3, problem.b.size());
  for (Index row = 0; row < problem.W.outerSize(); ++row)
    for (problem::SparseMatrix::InnerIterator entry(problem.W, row); entry; ++entry)
      if (entry.col() / 3 == row / 3) blocks(row % 3, entry.col()) = entry.value();
  return blocks;
}

/// V and island of every contact from b, ρ and the sets of coupled contacts, d rows each.
std::vector<detail::ContactScale> scales_of(Index d, const VecX& rho, const VecX& b,
                                            Real force_speed, DisjointSets& coupled) {
  std::vector<detail::Demand> demands(rho.size());
  for (Index i = 0; i < rho.size(); ++i)
    demands[i] = {coupled.root(i), std::max(Real(0), -b[d * i]), b.segment(d * i, d).norm(), rho[i],
                  force_speed};
  const std::vector<Real> speeds = detail::velocity_scales(coupled.size(), demands);
  std::vector<detail::ContactScale> scales(rho.size());
  for (Index i = 0; i < rho.size(); ++i) scales[i] = {speeds[i], demands[i].island};
  return scales;
}

std::vector<detail::ContactScale> scales_of(const problem::FrictionContact& problem,
                                            const VecX& rho) {
  const Index d = problem.dimension;
  DisjointSets coupled =
      detail::coupled_blocks(rho.size(), detail::blocks_of_size(problem.b.size(), d), problem.W);
  return scales_of(d, rho, problem.b, problem.force_speed, coupled);
}

std::vector<detail::ContactScale> scales_of(const problem::GlobalFrictionContact& problem,
                                            const VecX& rho, const VecX& b) {
  const Index d = problem.dimension;
  DisjointSets coupled =
      detail::coupled_blocks(rho.size(), detail::blocks_of_size(b.size(), d), problem.M, problem.H);
  return scales_of(d, rho, b, 0, coupled);
}

/// @param blocks d×dm, or empty where the law needs none. @param scales V of every contact.
template <class Problem>
Certificate accumulate(const Problem& problem, const VecX& rho,
                       const std::vector<detail::ContactScale>& scales, const MatX& blocks,
                       const VecX& r, const VecX& u, const VecX& b, Real equation_of_motion) {
  const Index d = problem.dimension;
  const CertifiedLaw law{problem.law, problem.directions, d == 2};
  CoulombResidual residual(problem.friction.size());
  for (Index i = 0; i < problem.friction.size(); ++i) {
    const Vec3 own_r = contact_part(r, i, d), own_u = contact_part(u, i, d),
               own_b = contact_part(b, i, d);
    const Mat3 A = blocks.size() > 0 ? Mat3(blocks.middleCols<3>(3 * i)) : Mat3(Mat3::Zero());
    residual.add(law_errors(law, A, own_r, own_u, own_b, problem.friction[i], rho[i]), own_r, own_u,
                 own_b, rho[i], scales[i]);
  }
  return residual.finish(equation_of_motion);
}

}  // namespace

FrictionContactCertifier::FrictionContactCertifier(const problem::FrictionContact& problem)
    : problem_(problem),
      rho_(contact_masses(problem.dimension, problem.W.diagonal())),
      blocks_(diagonal_blocks(problem)),
      scales_(scales_of(problem, rho_)) {}

const Certificate& FrictionContactCertifier::operator()(const VecX& impulse) {
  TALUS_DEMAND_EQ(impulse.size(), problem_.b.size());
  if (has_certificate_ && impulse == r_) return certificate_;
  has_certificate_ = true;
  r_ = impulse;
  u_ = problem_.b;
  u_.noalias() += problem_.W * impulse;
  certificate_ = accumulate(problem_, rho_, scales_, blocks_, r_, u_, problem_.b, 0);
  return certificate_;
}

Certificate certify(const problem::FrictionContact& problem, const VecX& impulse) {
  return FrictionContactCertifier(problem)(impulse);
}

Certificate certify(const problem::GlobalFrictionContact& problem, const VecX& impulse,
                    const VecX& velocity) {
  const detail::Motion motion = detail::motion_of(problem.M, problem.H, problem.f, problem.w,
                                                  impulse, velocity, needs_blocks(problem) ? 3 : 0);
  if (!motion.is_regular) return {};
  const VecX rho = contact_masses(problem.dimension, motion.diagonal);
  return accumulate(problem, rho, scales_of(problem, rho, motion.b), motion.blocks, impulse,
                    motion.u, motion.b, motion.defect);
}

}  // namespace talus::certify
