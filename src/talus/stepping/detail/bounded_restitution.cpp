#include <talus/stepping/detail/bounded_restitution.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <talus/base/disjoint_sets.hpp>

namespace talus::stepping::detail {
namespace {

using problem::SolveStatus;

constexpr int kHalvings = 10;

/// Of the restitutions asked for: the energy is not raised by the low one.
struct Share {
  Real low = 0, high = 1;
  [[nodiscard]] Real middle() const { return (low + high) / 2; }
};

/// v_B + s_B × arm_B − v_A − s_A × arm_A.
Vec3 relative_velocity(const problem::ContactView& contact,
                       std::span<const problem::BodyVelocity> velocity) {
  const problem::BodyVelocity &a = velocity[contact.body_a], &b = velocity[contact.body_b];
  return b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a);
}

bool is_movable(const problem::RigidContact& problem, Index body) {
  return problem.bodies[body].inverse_mass > 0;
}

/// A body of the contact that forces move.
Index mover(const problem::RigidContact& problem, const problem::ContactView& contact) {
  return is_movable(problem, contact.body_a) ? contact.body_a : contact.body_b;
}

/// What the impulses of each set do to the kinetic energy beyond the tolerance, by root.
std::vector<Real> raised(const problem::RigidContact& problem,
                         const driver::RigidContactSolution& solution, Real tolerance,
                         DisjointSets& struck) {
  std::vector<Real> work(problem.bodies.size(), 0);
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const Vec3 r = problem::impulse_of(problem, solution.impulse, c);
    if (r.isZero(0)) continue;
    const problem::ContactView contact = problem::view(problem, c);
    const Vec3 before = relative_velocity(contact, problem.bodies);
    const Vec3 after = relative_velocity(contact, solution.velocity);
    work[struck.root(mover(problem, contact))] +=
        (r.dot(before + after) - tolerance * r.norm() * (before.norm() + after.norm())) / 2;
  }
  return work;
}

/// The same of the rows of a planar step.
VecX raised(const StepProblem& problem, const StepImpulses& answer, Real tolerance,
            DisjointSets& struck) {
  VecX work = VecX::Zero(answer.impulse.size());
  const auto normals = static_cast<Index>(problem.normals.size());
  for (Index j = 0; j < answer.impulse.size(); ++j) {
    const Index normal =
        j < normals ? j : problem.frictions[static_cast<std::size_t>(j - normals)].normal;
    if (normal >= 0 && !model::is_rigid(*problem.normals[static_cast<std::size_t>(normal)].law))
      continue;
    const Real impulse = answer.impulse[j], before = problem.b[j], after = answer.rate[j];
    const Real size = std::abs(impulse) * (std::abs(before) + std::abs(after));
    work[struck.root(j)] += (impulse * (before + after) - tolerance * size) / 2;
  }
  return work;
}

bool is_rebound(const StepNormal& normal) {
  return normal.shift < 0 && model::is_rigid(*normal.law);
}

}  // namespace

Index bound_restitution(problem::RigidContact& problem, const driver::Options& options,
                        std::span<const ContactTurn> turns,
                        driver::RigidContactSolution& solution) {
  std::vector<std::pair<Index, Real>> rebounds;  // contacts with the biases that restitution made
  const auto turn_of = [&](Index c) { return turns.empty() ? ContactTurn{} : turns[c]; };
  DisjointSets struck(static_cast<Index>(problem.bodies.size()));
  for (Index c = 0; c < problem.contact_count(); ++c) {
    if (problem::impulse_of(problem, solution.impulse, c).isZero(0)) continue;
    const problem::ContactView contact = problem::view(problem, c);
    if (const Real bias = contact.bias - turn_of(c).normal; bias < 0)
      rebounds.emplace_back(c, bias);
    if (is_movable(problem, contact.body_a) && is_movable(problem, contact.body_b))
      struck.join(contact.body_a, contact.body_b);
  }
  if (rebounds.empty()) return 0;
  std::vector<Real> work = raised(problem, solution, options.tolerance, struck);
  std::map<Index, Share> shares;  // by root
  for (Index i = 0; i < struck.size(); ++i)
    if (work[i] > 0) shares.emplace(i, Share{});
  if (shares.empty()) return 0;

  std::vector<Vec3> slip;
  for (const problem::Resistance& resistance : problem.resistance)
    slip.push_back(resistance.slip_bias -
                   turn_of(problem.central.size() + static_cast<Index>(slip.size())).slip);
  const auto share_of = [&](Index c) {
    return shares.find(struck.root(mover(problem, problem::view(problem, c))));
  };
  Index sweeps = 0;
  const auto solve_with = [&](const auto& value_of) {
    for (const auto& [c, bias] : rebounds)
      if (const auto found = share_of(c); found != shares.end())
        problem::set_bias(problem, c, turn_of(c).normal + value_of(found->second) * bias);
    for (std::size_t k = 0; k < slip.size(); ++k) {
      const Index c = problem.central.size() + static_cast<Index>(k);
      if (const auto found = share_of(c); found != shares.end())
        problem.resistance[k].slip_bias = turn_of(c).slip + value_of(found->second) * slip[k];
    }
    driver::solve(problem, options, solution.impulse, solution);
    sweeps += solution.report.iterations;
  };
  for (int k = 0; k < kHalvings; ++k) {
    solve_with([](const Share& share) { return share.middle(); });
    work = raised(problem, solution, options.tolerance, struck);
    for (auto& [root, share] : shares) (work[root] > 0 ? share.high : share.low) = share.middle();
  }
  solve_with([](const Share& share) { return share.low; });
  return sweeps;
}

VecX bound_restitution(StepProblem& problem, Real tolerance,
                       const std::function<StepImpulses()>& solve, StepImpulses& answer) {
  const Index rows = answer.impulse.size(), normals = static_cast<Index>(problem.normals.size());
  VecX left = VecX::Ones(normals);
  if (answer.status != SolveStatus::converged ||
      std::none_of(problem.normals.begin(), problem.normals.end(), is_rebound))
    return left;
  DisjointSets struck(rows);
  for (Index j = 0; j < rows; ++j)
    for (Index i = 0; i < j; ++i)
      if (problem.G(i, j) != 0 && answer.impulse[i] != 0 && answer.impulse[j] != 0)
        struck.join(i, j);
  const VecX work = raised(problem, answer, tolerance, struck);
  std::map<Index, Share> shares;  // by root
  for (Index j = 0; j < rows; ++j)
    if (work[j] > 0) shares.emplace(j, Share{});
  if (shares.empty()) return left;

  const std::vector<StepNormal> normals_asked = problem.normals;
  const std::vector<StepFriction> frictions_asked = problem.frictions;
  const auto solve_with = [&](const auto& value_of) {
    for (Index j = 0; j < rows; ++j) {
      const auto found = shares.find(struck.root(j));
      if (found == shares.end()) continue;
      const auto at = static_cast<std::size_t>(j < normals ? j : j - normals);
      if (j >= normals)
        problem.frictions[at].restitution =
            value_of(found->second) * frictions_asked[at].restitution;
      else if (is_rebound(normals_asked[at]))
        problem.normals[at].shift = value_of(found->second) * normals_asked[at].shift;
      if (j < normals) left[j] = value_of(found->second);
    }
    answer = solve();
  };
  for (int k = 0; k < kHalvings; ++k) {
    solve_with([](const Share& share) { return share.middle(); });
    const VecX now = raised(problem, answer, tolerance, struck);
    for (auto& [root, share] : shares)
      (answer.status != SolveStatus::converged || now[root] > 0 ? share.high : share.low) =
          share.middle();
  }
  solve_with([](const Share& share) { return share.low; });
  return left;
}

}  // namespace talus::stepping::detail
