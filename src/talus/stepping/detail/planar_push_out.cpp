#include <talus/stepping/detail/planar_push_out.hpp>

#include <algorithm>
#include <cmath>

#include <talus/dynamics/planar_delassus.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/problem/row_islands.hpp>
#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {

using problem::SolveStatus;

/// A gap that the joints hold, or that nothing can move, is not pushed.
void PlanarPushOut::add(const dynamics::JacobianRow& normal, Index contact, Real wanted) {
  considered_.insert(contact);
  dynamics::ConstraintFactor::Response response;
  solver_.constrained_response(normal, response);
  if (response.is_zero()) return;
  rows_.push_back(normal);
  responses_.push_back(std::move(response));
  wanted_.push_back(wanted);
}

/// Displaces the bodies, island by island; those of which nothing is taken back by nothing.
SolveStatus PlanarPushOut::displace(Index body_count, VecX& q) const {
  const problem::SparseMatrix G = dynamics::planar_delassus(rows_, responses_, body_count);
  DisjointSets sets(G.rows());
  problem::join_rows(G, sets);
  const auto wanted = VecX::Map(wanted_.data(), G.rows());
  std::vector<Index> place(rows_.size(), -1);
  for (const std::vector<Index>& island : problem::members_of(sets)) {
    problem::Lcp lcp{MatX(), wanted(island)};
    if (lcp.q.minCoeff() >= 0) continue;
    lcp.M = MatX(problem::block_of(G, island, place));
    const driver::LcpSolution solution = driver::solve(lcp, {});
    if (solution.report.status != SolveStatus::converged) return solution.report.status;
    for (std::size_t j = 0; j < island.size(); ++j)
      responses_[static_cast<std::size_t>(island[j])].add_to(q, solution.z[static_cast<Index>(j)]);
  }
  return SolveStatus::converged;
}

SolveStatus PlanarPushOut::apply(const dynamics::System& machine, Real time,
                                 const dynamics::BiasLaw& law, Real slop_share, Real left,
                                 const VecX& before, const std::vector<Taken>& taken, VecX& q) {
  constexpr int kMostRounds = 20;
  constexpr Real kSameSide = 0.9;  // cosine of the angle between the normals of one side
  const auto slop_of = [&](Index contact) {
    const auto [a, b] = machine.bodies_of(contact);
    const Real size = std::min(machine.size(a), machine.size(b));
    return std::isfinite(size) ? slop_share * size : 0;
  };
  const auto wanted = [&](Index contact, Real gap) {
    return law.step_size * dynamics::push_bias(law, gap, left * slop_of(contact));
  };
  considered_.clear();
  rows_.clear();
  responses_.clear();
  wanted_.clear();
  still_ = VecX::Zero(q.size());
  const auto is_rigid = [&](Index i) { return model::is_rigid(machine.law(i).normal); };
  const auto is_deep = [&](Index i) {
    const auto [a, b] = machine.bodies_of(i);
    const Real gap = machine.gap(i, q);
    const Real most = tolerance::kMostOverlap * std::min(machine.size(a), machine.size(b));
    return gap < -slop_of(i) && (gap < -most || machine.gap(i, before) < -slop_of(i));
  };
  bool is_any_deep = false;
  const VecX no_margin = VecX::Zero(machine.body_count());
  std::vector<Index> near;
  machine.near_contacts(q, no_margin, near);
  is_any_deep = std::any_of(near.begin(), near.end(), [&](Index i) {
    return is_rigid(i) && machine.gap_bound(i, q) < 0 && is_deep(i);
  });
  dynamics::ContactTerms there;
  std::vector<Taken> kept;
  for (Taken one : taken) {
    machine.contact(one.contact, q, still_, there);
    if (there.direction.dot(one.direction) >= kSameSide)
      one = {one.contact, there.normal, there.direction, there.gap};
    is_any_deep = is_any_deep || one.gap < -slop_of(one.contact);
    kept.push_back(one);
  }
  if (!is_any_deep) return SolveStatus::not_run;

  machine.take_mass(q);
  machine.constraints(time, q, still_, constraints_);
  solver_.factorise(constraints_.rows, machine.mass());
  for (const Taken& one : kept) add(one.normal, one.contact, wanted(one.contact, one.gap));
  VecX moved = q;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t known = rows_.size();
    machine.near_contacts(moved, no_margin, near);
    for (const Index i : near) {
      if (considered_.contains(i) || !is_rigid(i)) continue;
      if (machine.gap_bound(i, moved) > 0 || machine.gap(i, moved) > 0) continue;
      machine.contact(i, q, still_, there);
      add(there.normal, i, wanted(i, there.gap));
    }
    if (rows_.size() == known && round > 0) break;
    moved = q;
    if (const SolveStatus status = displace(machine.body_count(), moved);
        status != SolveStatus::converged)
      return status;
  }
  q = moved;
  return SolveStatus::converged;
}

}  // namespace talus::stepping::detail
