#include <talus/driver/detail/lcp_islands.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/problem/row_islands.hpp>

namespace talus::driver::detail {
namespace {

using problem::Lcp;
using problem::LcpRay;
using problem::SolveReport;
using problem::SolveStatus;
using Rows = std::vector<Index>;

Real residual_ratio(const Lcp& lcp, const VecX& z, const Options& options) {
  return over_tolerance(certify::certify(lcp, z), options);
}

SolveReport solve_one(const Lcp& lcp, const Options& options, VecX& z) {
  const auto external_residual = [&](const VecX& at) { return residual_ratio(lcp, at, options); };
  return run_by_name(lcp_solvers(), lcp, lcp.size(), options, external_residual, z);
}

/// Numbers of some rows in the place of all n, 0 elsewhere.
VecX in_place(const VecX& own, const Rows& rows, Index n) {
  VecX all = VecX::Zero(n);
  all(rows) = own;
  return all;
}

std::shared_ptr<const LcpRay> in_place(const LcpRay& own, const Rows& rows, Index n) {
  LcpRay ray = own;
  ray.z = in_place(own.z, rows, n);
  ray.direction = in_place(own.direction, rows, n);
  ray.covering = in_place(own.covering, rows, n);
  return std::make_shared<const LcpRay>(std::move(ray));
}

void append(const std::vector<Real>& own, std::vector<Real>& all) {
  all.insert(all.end(), own.begin(), own.end());
}

/// Adds an island's report to that of all.
void add_island(SolveReport&& own, const Rows& rows, Index n, SolveReport& all) {
  all.iterations += own.iterations;
  all.counts += own.counts;
  all.residual = std::max(all.residual, own.residual);
  append(own.history.residual, all.history.residual);
  append(own.history.energy, all.history.energy);
  std::move(own.stages.begin(), own.stages.end(), std::back_inserter(all.stages));
  if (own.status == SolveStatus::converged ||
      (all.status != SolveStatus::converged && own.status != SolveStatus::interrupted))
    return;
  all.status = own.status;
  all.detail = fmt::format("island of row {}, {} rows: {}", rows.front(), rows.size(), own.detail);
  all.ray = own.ray ? in_place(*own.ray, rows, n) : nullptr;
}

}  // namespace

SolveReport solve_lcp_by_islands(const Lcp& lcp, const Options& options, VecX& z) {
  const Index n = lcp.size();
  DisjointSets coupled(n);
  problem::join_rows(lcp.M, coupled);
  const std::vector<Rows> islands = problem::members_of(coupled);
  if (islands.size() == 1) return solve_one(lcp, options, z);
  const VecX start = z;
  SolveReport all;
  all.status = SolveStatus::converged;
  Options own_options = options;
  for (const Rows& rows : islands) {
    const Lcp island{lcp.M(rows, rows), lcp.q(rows)};
    VecX own = z(rows);
    if (residual_ratio(island, own, options) <= 1) continue;
    own_options.max_iterations = options.max_iterations - all.iterations;
    if (own_options.max_iterations < 1) {
      if (all.status == SolveStatus::converged) all.status = SolveStatus::max_iterations;
      break;
    }
    SolveReport report = solve_one(island, own_options, own);
    if (report.status == SolveStatus::unsupported) {
      z = start;
      return report;
    }
    const bool is_over = report.status == SolveStatus::interrupted;
    z(rows) = own;
    add_island(std::move(report), rows, n, all);
    if (is_over) break;
  }
  if (all.status == SolveStatus::converged)
    all.detail = fmt::format("{} islands, {} iterations", islands.size(), all.iterations);
  return all;
}

}  // namespace talus::driver::detail
