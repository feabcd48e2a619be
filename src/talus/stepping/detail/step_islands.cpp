#include <talus/stepping/detail/step_islands.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/worse_of.hpp>
#include <talus/driver/solve.hpp>
#include <talus/laws/contact_step.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/problem/row_islands.hpp>
#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {
namespace {

using problem::SolveStatus;

constexpr std::size_t kManyContacts = 24, kMostNamed = 4, kMostSqueezed = 400;

Index normals_of(const laws::StepProblem& problem) {
  return static_cast<Index>(problem.normals.size());
}

/// The rows of each island, rising; islands in the order of their first rows.
std::vector<std::vector<Index>> step_islands(const laws::StepProblem& problem) {
  const Index count = problem.b.size(), normals = normals_of(problem);
  DisjointSets sets(count);
  problem::join_rows(problem.G, sets);
  for (std::size_t f = 0; f < problem.frictions.size(); ++f) {
    const laws::StepFriction& friction = problem.frictions[f];
    const Index row = normals + static_cast<Index>(f);
    if (friction.normal >= 0) sets.join(row, friction.normal);
    for (Index j = 0; j < count && friction.first_reaction >= 0; ++j)
      if (!problem.L.block<2, 1>(friction.first_reaction, j).isZero(0)) sets.join(row, j);
  }
  return problem::members_of(sets);
}

laws::StepProblem part_of(const laws::StepProblem& problem, const std::vector<Index>& rows,
                          std::vector<Index>& place) {
  const Index normals = normals_of(problem);
  laws::StepProblem part;
  part.h = problem.h;
  part.theta = problem.theta;
  part.is_midpoint = problem.is_midpoint;
  part.G = problem::block_of(problem.G, rows, place);
  part.b = problem.b(rows);
  part.turn = problem.turn.size() > 0 ? VecX(problem.turn(rows)) : VecX();
  part.lambda = problem.lambda;
  part.L = problem.L(Eigen::all, rows);
  const laws::StepBodies& bodies = problem.bodies;
  part.bodies = {{}, bodies.mass, bodies.place, bodies.free, bodies.force_speed};
  if (!bodies.rows.empty())
    for (const Index row : rows)
      part.bodies.rows.push_back(bodies.rows[static_cast<std::size_t>(row)]);
  for (const Index row : rows) {
    if (row < normals) {
      part.normals.push_back(problem.normals[static_cast<std::size_t>(row)]);
      continue;
    }
    laws::StepFriction friction = problem.frictions[static_cast<std::size_t>(row - normals)];
    if (friction.normal >= 0)
      friction.normal = static_cast<Index>(
          std::lower_bound(rows.begin(), rows.end(), friction.normal) - rows.begin());
    part.frictions.push_back(friction);
  }
  return part;
}

laws::StepImpulses solve_island(const laws::StepProblem& island, const driver::Options& options,
                                const VecX& guess) {
  const bool may_iterate = options.solver == "auto" && laws::is_contact_problem(island);
  if (may_iterate && island.normals.size() > kManyContacts)
    return laws::solve_contacts(island, options, guess);
  laws::StepImpulses answer = solve(island);
  if (!may_iterate || answer.status == SolveStatus::converged ||
      find_squeeze(island, answer.unanswered))
    return answer;
  laws::StepImpulses other = laws::solve_contacts(island, options, VecX());
  return other.status == SolveStatus::converged ? other : answer;
}

/// "a and b, b and c", each once.
std::string names_of(const std::vector<Index>& normals, std::span<const dynamics::BodyPair> bodies,
                     const model::Model& model) {
  std::vector<std::pair<Index, Index>> pairs;
  pairs.reserve(normals.size());
  for (const Index i : normals) pairs.push_back(std::minmax(bodies[i].body_a, bodies[i].body_b));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::string names;
  for (std::size_t k = 0; k < std::min(pairs.size(), kMostNamed); ++k)
    names += (k > 0 ? ", " : "") + pair_name(model, pairs[k].first, pairs[k].second);
  return pairs.size() > kMostNamed
             ? fmt::format("{} and {} more pairs", names, pairs.size() - kMostNamed)
             : names;
}

}  // namespace

laws::StepImpulses solve_islands(const laws::StepProblem& problem, const driver::Options& options,
                                 const VecX& guess) {
  const std::vector<std::vector<Index>> islands = step_islands(problem);
  if (islands.empty()) return solve(problem);
  if (islands.size() == 1) return solve_island(problem, options, guess);
  const Index normals = normals_of(problem);
  laws::StepImpulses all;
  all.status = SolveStatus::converged;
  all.certificate.is_finite = true;
  all.impulse = VecX::Zero(problem.b.size());
  all.memory = VecX::Zero(static_cast<Index>(problem.frictions.size()));
  std::vector<Index> place(static_cast<std::size_t>(problem.b.size()), -1);
  for (const std::vector<Index>& rows : islands) {
    laws::StepImpulses one = solve_island(part_of(problem, rows, place), options,
                                          guess.size() > 0 ? VecX(guess(rows)) : VecX());
    all.impulse(rows) = one.impulse;
    Index friction = 0;
    for (const Index row : rows)
      if (row >= normals) all.memory[row - normals] = one.memory[friction++];
    for (const Index row : one.unanswered)
      all.unanswered.push_back(rows[static_cast<std::size_t>(row)]);
    Index& worst = one.certificate.worst_contact;
    if (worst >= 0) worst = rows[static_cast<std::size_t>(worst)];
    all.certificate = certify::worse_of(all.certificate, one.certificate, 0);
    if (all.status == SolveStatus::converged && one.status != SolveStatus::converged) {
      all.status = one.status;
      all.detail = std::move(one.detail);
      all.unsolved = std::move(one.unsolved);
    }
    all.is_iterated = all.is_iterated || one.is_iterated;
    all.pivots += one.pivots;
    all.solves += one.solves;
    all.largest = std::max(all.largest, one.largest);
  }
  all.rate = problem.G * all.impulse + problem.b;
  all.lambda = problem.lambda + problem.L * all.impulse;
  return all;
}

std::optional<Squeeze> find_squeeze(const laws::StepProblem& problem,
                                    const std::vector<Index>& rows) {
  std::vector<Index> rigid;
  for (const Index i : rows)
    if (i < normals_of(problem) &&
        model::is_rigid(*problem.normals[static_cast<std::size_t>(i)].law))
      rigid.push_back(i);
  if (rigid.empty() || rigid.size() > kMostSqueezed) return std::nullopt;
  std::vector<Index> place(static_cast<std::size_t>(problem.b.size()), -1);
  problem::Lcp lcp{MatX(problem::block_of(problem.G, rigid, place)), problem.b(rigid)};
  for (std::size_t k = 0; k < rigid.size(); ++k)
    lcp.q[static_cast<Index>(k)] += problem.normals[static_cast<std::size_t>(rigid[k])].shift;
  driver::Options options;
  options.solver = "lemke";
  options.tolerance = tolerance::kLcpTolerance;
  const driver::LcpSolution solution = driver::solve(lcp, options);
  if (!solution.report.ray || !solution.report.ray->proves_infeasible) return std::nullopt;
  const VecX& push = solution.report.ray->direction;
  Squeeze squeeze;
  for (std::size_t k = 0; k < rigid.size(); ++k)
    if (push[static_cast<Index>(k)] > tolerance::kLawMet * push.maxCoeff())
      squeeze.normals.push_back(rigid[k]);
  squeeze.speed = -push.dot(lcp.q) / push.sum();
  return squeeze;
}

std::string why_unanswered(const laws::StepProblem& problem, const laws::StepImpulses& answer,
                           std::span<const dynamics::BodyPair> bodies, const model::Model& model) {
  if (const auto squeeze = find_squeeze(problem, answer.unanswered))
    return fmt::format(
        "no motion of this step keeps {} apart: squeezed between what does not give way, they "
        "approach by {:.3g} m/s on average whatever the impulses ({})",
        names_of(squeeze->normals, bodies, model), squeeze->speed, answer.detail);
  std::vector<Index> normals, pressed;
  for (const Index row : answer.unanswered)
    if (row < normals_of(problem)) normals.push_back(row);
  if (normals.empty() || problem.frictions.empty()) return answer.detail;
  const auto is_prescribed = [&](Index body) {
    return body >= 0 && model.bodies[body].kind == model::BodyKind::kinematic;
  };
  for (const Index i : normals)
    if (is_prescribed(bodies[i].body_a) || is_prescribed(bodies[i].body_b)) pressed.push_back(i);
  if (pressed.empty())
    return fmt::format("no impulses were found for {} ({})", names_of(normals, bodies, model),
                       answer.detail);
  return fmt::format(
      "friction jams what a prescribed body presses, {}: without it there are impulses, with "
      "it "
      "none were found ({})",
      names_of(pressed, bodies, model), answer.detail);
}

}  // namespace talus::stepping::detail
