#include <talus/laws/solve_polyhedral.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/base/error.hpp>
#include <talus/certify/worse_of.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/problem/convert_mlcp.hpp>
#include <talus/problem/row_islands.hpp>

namespace talus::laws {
namespace {

using problem::PolyhedralContact;
using problem::SolveStatus;

PolyhedralAnswer failed(const std::string& detail, Index rows) {
  PolyhedralAnswer answer;
  answer.impulse = VecX::Zero(rows);
  answer.report.status = SolveStatus::numerical_error;
  answer.report.detail = detail;
  return answer;
}

bool is_finite(const problem::Mlcp& p) {
  return p.A.allFinite() && p.B.allFinite() && p.C.allFinite() && p.D.allFinite() &&
         p.a.allFinite() && p.b.allFinite();
}

/// Solves (the mixed LCP through the LCP where there are no equations) and returns (x, z).
driver::MlcpSolution solve_by_class(const problem::Mlcp& mlcp, const driver::Options& options) {
  if (mlcp.free_count() > 0) return driver::solve(mlcp, options);
  driver::LcpSolution inner = driver::solve(problem::Lcp{mlcp.B, mlcp.b}, options);
  return {VecX(0), std::move(inner.z), std::move(inner.w), std::move(inner.report),
          inner.certificate};
}

/// Tangent rows of each contact, then of each joint.
std::vector<Index> tangent_counts(const PolyhedralContact& problem) {
  std::vector<Index> counts;
  for (const MatX& directions : problem.contact_directions) counts.push_back(directions.rows());
  for (const MatX& directions : problem.joint_directions) counts.push_back(directions.rows());
  return counts;
}

/// An island: its rows, rising, and its contacts and joints, these behind all contacts.
struct Island {
  std::vector<Index> rows, owners;
};

std::vector<Island> islands_of(const PolyhedralContact& problem) {
  DisjointSets sets(problem.b.size());
  problem::join_rows(problem.W, sets);
  std::vector<Index> owner(static_cast<std::size_t>(problem.b.size()), -1);  // of first rows
  Index row = problem.bilateral_count, next = 0;
  for (const Index tangents : tangent_counts(problem)) {
    const Index rows = tangents + (next < problem.contact_count() ? 1 : 0);
    if (rows > 0) owner[static_cast<std::size_t>(row)] = next;
    for (Index i = 1; i < rows; ++i) sets.join(row, row + i);
    row += rows;
    ++next;
  }
  std::vector<Island> islands;
  for (std::vector<Index>& rows : problem::members_of(sets)) {
    Island island;
    for (const Index i : rows)
      if (const Index of = owner[static_cast<std::size_t>(i)]; of >= 0) island.owners.push_back(of);
    island.rows = std::move(rows);
    islands.push_back(std::move(island));
  }
  return islands;
}

/// @param place −1 for each row; the same afterwards.
PolyhedralContact polyhedral_part_of(const PolyhedralContact& problem, const Island& island,
                                     std::vector<Index>& place) {
  PolyhedralContact part;
  part.W = problem::block_of(problem.W, island.rows, place);
  part.b = problem.b(island.rows);
  part.bilateral_count =
      std::lower_bound(island.rows.begin(), island.rows.end(), problem.bilateral_count) -
      island.rows.begin();
  const Index contacts = problem.contact_count();
  std::vector<Real> friction, bound;
  for (const Index of : island.owners) {
    if (of < contacts) {
      part.contact_directions.push_back(problem.contact_directions[static_cast<std::size_t>(of)]);
      friction.push_back(problem.friction[of]);
    } else {
      part.joint_directions.push_back(
          problem.joint_directions[static_cast<std::size_t>(of - contacts)]);
      bound.push_back(problem.bound[of - contacts]);
    }
  }
  part.friction = VecX::Map(friction.data(), static_cast<Index>(friction.size()));
  part.bound = VecX::Map(bound.data(), static_cast<Index>(bound.size()));
  return part;
}

/// An island's answer, and what the statistics of the whole LCP are made of.
struct IslandAnswer : PolyhedralAnswer {
  Index unknowns = 0;
  Real residual_squared = 0, offset_squared = 0, cone_violation = 0;
  std::shared_ptr<const problem::Lcp> unsolved = nullptr;
};

IslandAnswer solve_lcp(const PolyhedralContact& problem, const driver::Options& options) {
  const Index rows = problem.b.size();
  const problem::PolyhedralMlcp form = problem::to_mlcp(problem);
  const problem::Mlcp& mlcp = form.mlcp;
  if (!is_finite(mlcp)) return {failed("the LCP of the step is not finite", rows)};
  driver::MlcpSolution solution;
  try {
    solution = solve_by_class(mlcp, options);
  } catch (const InputError& error) {  // the constraints depend on each other: no wrong input here
    return {failed("bilateral constraints: " + error.diagnostics().front().message, rows)};
  }
  IslandAnswer answer;
  answer.report = std::move(solution.report);
  answer.certificate = solution.certificate;
  Index& worst = answer.certificate.worst_contact;
  if (worst >= 0) worst = form.owner[worst];
  answer.impulse.resize(rows);
  answer.impulse << solution.x, form.impulse * solution.z;
  answer.unknowns = mlcp.complementary_count();
  answer.residual_squared = solution.z.cwiseMin(solution.w).squaredNorm();
  answer.offset_squared = mlcp.b.squaredNorm();
  answer.cone_violation = problem::cone_violation(problem, solution.z);
  if (answer.report.status != SolveStatus::converged)
    answer.unsolved = std::make_shared<problem::Lcp>(problem::eliminate_free(mlcp).lcp);
  return answer;
}

IslandAnswer solve_polyhedral_island(PolyhedralContact problem, const driver::Options& options) {
  IslandAnswer answer = solve_lcp(problem, options);
  const Index rows = problem.b.size();
  if (answer.report.status == SolveStatus::converged || rows == 0 ||
      !drop_noise(VecX::Constant(rows, problem.b.lpNorm<Eigen::Infinity>()), problem.b))
    return answer;
  IslandAnswer again = solve_lcp(problem, options);
  again.report.iterations += answer.report.iterations;
  return again;
}

/// Puts the answer of an island in its place in that of all.
void put_in_place(const Island& island, IslandAnswer&& one, PolyhedralAnswer& all) {
  all.impulse(island.rows) = one.impulse;
  Index& worst = one.certificate.worst_contact;
  if (worst >= 0) worst = island.owners[static_cast<std::size_t>(worst)];
  all.certificate = certify::worse_of(all.certificate, one.certificate, 0);
  all.report.iterations += one.report.iterations;
  const bool is_error = one.report.status == SolveStatus::numerical_error;
  if (all.report.status != SolveStatus::converged &&
      !(is_error && all.report.status != SolveStatus::numerical_error))
    return;
  all.report.status = one.report.status;
  all.report.detail = std::move(one.report.detail);
  all.report.ray = std::move(one.report.ray);
}

}  // namespace

bool drop_noise(const VecX& of, VecX& b) {
  bool any = false;
  for (Index i = 0; i < b.size(); ++i) {
    if (b[i] == 0 || std::abs(b[i]) > tolerance::kRateRounding * of[i]) continue;
    b[i] = 0;
    any = true;
  }
  return any;
}

PolyhedralAnswer solve_polyhedral(const PolyhedralContact& problem, const driver::Options& asked,
                                  LcpStatistics& statistics) {
  driver::Options options = asked;
  options.solver = "lemke";
  const std::vector<Island> islands = islands_of(problem);
  std::vector<PolyhedralContact> parts;
  parts.reserve(islands.size());
  std::vector<Index> place(static_cast<std::size_t>(problem.b.size()), -1);
  for (const Island& island : islands) parts.push_back(polyhedral_part_of(problem, island, place));
  std::vector<IslandAnswer> answers(islands.size());
  parallel::for_each(static_cast<Index>(islands.size()), [&](Index i) {
    answers[i] = solve_polyhedral_island(std::move(parts[i]), options);
  });

  PolyhedralAnswer all;
  all.report.status = SolveStatus::converged;
  all.certificate.is_finite = true;
  all.impulse = VecX::Zero(problem.b.size());
  LcpStatistics sum;
  Real residual = 0, offset = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    IslandAnswer& one = answers[i];
    sum.largest += one.unknowns;
    sum.pivots += one.report.iterations;
    sum.cone_violation = std::max(sum.cone_violation, one.cone_violation);
    if (!sum.unsolved) sum.unsolved = one.unsolved;
    residual += one.residual_squared;
    offset += one.offset_squared;
    put_in_place(islands[i], std::move(one), all);
  }
  if (all.report.status == SolveStatus::numerical_error)
    return failed(all.report.detail, problem.b.size());
  sum.count = islands.empty() ? 0 : 1;
  sum.most_pivots = sum.pivots;
  sum.residual = std::sqrt(residual) / (1 + std::sqrt(offset));
  statistics.add(sum);
  return all;
}

}  // namespace talus::laws
