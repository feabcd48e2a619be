#include <talus/laws/impact.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/laws/painleve_proof.hpp>
#include <talus/laws/tolerances.hpp>

namespace talus::laws {
namespace {

constexpr Index kMostSequentialImpacts = 10000;

void check_impact(const ImpactProblem& problem) {
  const auto rows = static_cast<Index>(problem.normals.size() + problem.frictions.size());
  TALUS_DEMAND(problem.rate.size() == rows && problem.G.rows() == rows && problem.G.cols() == rows);
}

/// Takes an LCP's verdict into the answer; false if it has no solution.
bool take(const ContactForces& forces, ImpactAnswer& answer) {
  ++answer.solves;
  const bool is_worse = forces.certificate.natural_map >= answer.certificate.natural_map;
  if (answer.solves == 1 || is_worse) answer.certificate = forces.certificate;
  answer.status = forces.status;
  answer.detail = forces.detail;
  answer.unsolved = forces.unsolved;
  return forces.status == problem::SolveStatus::converged;
}

/// Λ and u⁺ = u⁻ + G Λ with the energy that goes with them.
void finish(const ImpactProblem& problem, ImpactAnswer& answer) {
  answer.rate = problem.rate + problem.G * answer.impulse;
  answer.energy = answer.impulse.dot(problem.rate + answer.rate) / 2;
}

/// What rounding leaves of the velocities before the impact.
Real noise_of(const ImpactProblem& problem) {
  Real largest = 0;
  for (Index i = 0; i < problem.rate.size(); ++i)
    if (problem.G(i, i) > 0)
      largest = std::max(largest, std::abs(problem.rate[i]) / std::sqrt(problem.G(i, i)));
  return tolerance::kImpactRounding * largest;
}

ContactLcp coulomb(const ImpactProblem& problem, VecX b) {
  ContactLcp contacts{problem.G, std::move(b), {}, noise_of(problem), true};
  for (const ImpactFriction& friction : problem.frictions) {
    const Real mu = friction.normal < 0 ? 0 : friction.friction;
    contacts.frictions.push_back({friction.normal, -mu, mu, -friction.bound, friction.bound});
  }
  return contacts;
}

/// Where Lemke's method finds nothing all states are tried: an answer, or the proof of none.
ContactForces solve_impact(const ContactLcp& contacts,
                           const std::vector<JointNormalForce>& joint_normals) {
  ContactForces forces = solve(contacts, joint_normals);
  return forces.status == problem::SolveStatus::converged ? forces
                                                          : solve_or_prove(contacts, joint_normals);
}

/// 0 ≤ ġ⁺ + ε_N ġ⁻ ⟂ Λ_N ≥ 0, −Λ_T ∈ μ Λ_N Sgn(γ⁺ + ε_T γ⁻) (`moreau_1988`).
void newton(const ImpactProblem& problem, ImpactAnswer& answer) {
  VecX b = problem.rate;
  Index row = 0;
  for (const ImpactNormal& normal : problem.normals) {
    b[row] += normal.restitution * std::min(problem.rate[row], Real(0));
    ++row;
  }
  for (const ImpactFriction& friction : problem.frictions) {
    b[row] += friction.restitution * problem.rate[row];
    ++row;
  }
  const ContactForces forces = solve_impact(coulomb(problem, std::move(b)), problem.joint_normals);
  if (take(forces, answer)) answer.impulse = forces.force;
}

/// Compression, 0 ≤ ġ_C ⟂ Λ_NC ≥ 0, then expansion, 0 ≤ ġ_E ⟂ Λ_NE − ε_N Λ_NC ≥ 0
/// (`pfeiffer_1996` §8).
void poisson(const ImpactProblem& problem, ImpactAnswer& answer) {
  const ContactForces compression =
      solve_impact(coulomb(problem, problem.rate), problem.joint_normals);
  if (!take(compression, answer)) return;
  const auto k = static_cast<Index>(problem.normals.size());
  VecX given = VecX::Zero(problem.rate.size());  // ε_N Λ_NC: what the expansion gives back at least
  for (Index i = 0; i < k; ++i) given[i] = problem.normals[i].restitution * compression.force[i];
  // Expansion in Λ_P = Λ_NE − ε_N Λ_NC ≥ 0; friction bounds ± μ Λ_NE = ± μ (Λ_P + given), the one
  // on the side of Λ_TC moved to ε_N ε_T Λ_TC.
  ContactLcp expansion{problem.G,
                       problem.rate + problem.G * (compression.force + given),
                       {},
                       noise_of(problem),
                       true};
  for (std::size_t f = 0; f < problem.frictions.size(); ++f) {
    const ImpactFriction& friction = problem.frictions[f];
    TALUS_DEMAND(friction.bound == 0);
    if (friction.normal < 0) {
      expansion.frictions.push_back({-1, 0, 0, 0, 0});
      continue;
    }
    const Real bound = friction.friction * given[friction.normal];
    const Real stored = friction.restitution * problem.normals[friction.normal].restitution *
                        compression.force[k + static_cast<Index>(f)];
    FrictionRow row{friction.normal, -friction.friction, friction.friction, -bound, bound};
    if (stored > 0) {
      row.lower_slope = 0;
      row.lower = std::min(stored, bound);
    }
    if (stored < 0) {
      row.upper_slope = 0;
      row.upper = std::max(stored, -bound);
    }
    expansion.frictions.push_back(row);
  }
  std::vector<JointNormalForce> joint_normals = problem.joint_normals;
  for (JointNormalForce& joint_normal : joint_normals) joint_normal.free = joint_normal.X * given;
  const ContactForces forces = solve_impact(expansion, joint_normals);
  if (take(forces, answer)) answer.impulse = compression.force + given + forces.force;
}

}  // namespace

ImpactAnswer simultaneous_impact(const ImpactProblem& problem) {
  check_impact(problem);
  ImpactAnswer answer;
  answer.impulse = VecX::Zero(problem.rate.size());
  if (problem.is_poisson)
    poisson(problem, answer);
  else
    newton(problem, answer);
  finish(problem, answer);
  return answer;
}

namespace {

/// The same contacts at other rates, without restitution.
ImpactProblem inelastic(const ImpactProblem& problem, const VecX& rate) {
  ImpactProblem rest = problem;
  rest.rate = rate;
  rest.is_poisson = false;
  for (ImpactNormal& normal : rest.normals) normal.restitution = 0;
  for (ImpactFriction& friction : rest.frictions) friction.restitution = 0;
  return rest;
}

/// The impact of one contact alone, its frictions and those of joints with it, and its rows.
std::pair<ImpactProblem, std::vector<Index>> impact_of_one(const ImpactProblem& problem,
                                                           Index contact, const VecX& rate) {
  const auto k = static_cast<Index>(problem.normals.size());
  std::vector<Index> rows{contact};
  ImpactProblem one;
  one.is_poisson = problem.is_poisson;
  one.normals.push_back(problem.normals[contact]);
  for (std::size_t f = 0; f < problem.frictions.size(); ++f) {
    if (problem.frictions[f].normal != contact && problem.frictions[f].normal >= 0) continue;
    rows.push_back(k + static_cast<Index>(f));
    one.frictions.push_back(problem.frictions[f]);
    one.frictions.back().normal = std::min<Index>(problem.frictions[f].normal, 0);
  }
  for (const JointNormalForce& joint_normal : problem.joint_normals) {
    one.joint_normals.push_back(joint_normal);
    one.joint_normals.back().X = joint_normal.X(Eigen::all, rows);
    const auto place = std::find(rows.begin(), rows.end(), k + joint_normal.friction);
    one.joint_normals.back().friction = static_cast<Index>(place - rows.begin()) - 1;
  }
  one.G = problem.G(rows, rows);
  one.rate = rate(rows);
  return {std::move(one), std::move(rows)};
}

}  // namespace

ImpactAnswer sequential_impact(const ImpactProblem& problem) {
  check_impact(problem);
  const auto k = static_cast<Index>(problem.normals.size());
  ImpactAnswer answer;
  answer.impulse = VecX::Zero(problem.rate.size());
  answer.status = problem::SolveStatus::converged;
  answer.certificate.is_finite = true;
  if (k == 0) {
    finish(problem, answer);
    return answer;
  }
  VecX rate = problem.rate;
  const Real fastest = std::max(-rate.head(k).minCoeff(), Real(0));
  // u ← u + G Λ of one contact after another, the fastest approach first.
  for (Index count = 0;; ++count) {
    Index worst = 0;
    const Real speed = -rate.head(k).minCoeff(&worst);
    if (speed <= tolerance::kClosedSpeed * fastest) break;
    if (speed < tolerance::kSlowApproach * fastest) {
      const ImpactAnswer last = simultaneous_impact(inelastic(problem, rate));
      ++answer.solves;
      answer.status = last.status;
      answer.detail = last.detail;
      answer.unsolved = last.unsolved;
      answer.impulse += last.impulse;
      break;
    }
    if (count == kMostSequentialImpacts) {
      answer.status = problem::SolveStatus::stalled;
      answer.detail = fmt::format("after {} impacts one after another a contact still approaches",
                                  kMostSequentialImpacts);
      break;
    }
    const auto [one, rows] = impact_of_one(problem, worst, rate);
    const ImpactAnswer single = simultaneous_impact(one);
    ++answer.solves;
    if (single.certificate.natural_map >= answer.certificate.natural_map)
      answer.certificate = single.certificate;
    if (single.status != problem::SolveStatus::converged) {
      answer.status = single.status;
      answer.detail = single.detail;
      answer.unsolved = single.unsolved;
      break;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      answer.impulse[rows[i]] += single.impulse[static_cast<Index>(i)];
      rate += problem.G.col(rows[i]) * single.impulse[static_cast<Index>(i)];
    }
  }
  finish(problem, answer);
  return answer;
}

bool raises_energy(const ImpactProblem& problem, const ImpactAnswer& answer) {
  Real size = 0;
  for (Index i = 0; i < answer.impulse.size(); ++i)
    size +=
        std::abs(answer.impulse[i]) * (std::abs(problem.rate[i]) + std::abs(answer.rate[i])) / 2;
  return answer.energy > tolerance::kEnergyNoise * size;
}

ImpactAnswer bounded_impact(const ImpactProblem& problem, bool is_sequential) {
  Index solves = 0;
  const auto answer_to = [&](Real factor) {
    ImpactProblem weaker = problem;
    for (ImpactNormal& normal : weaker.normals) normal.restitution *= factor;
    for (ImpactFriction& friction : weaker.frictions) friction.restitution *= factor;
    ImpactAnswer answer = is_sequential ? sequential_impact(weaker) : simultaneous_impact(weaker);
    solves += answer.solves;
    answer.restitution_factor = factor;
    answer.solves = solves;
    return answer;
  };
  const auto is_good = [&](const ImpactAnswer& answer) {
    return answer.status == problem::SolveStatus::converged && !raises_energy(problem, answer);
  };
  ImpactAnswer best = answer_to(1);
  if (is_good(best)) return best;
  const ImpactAnswer inelastic = best = answer_to(0);
  if (!is_good(best)) return best;
  // The largest factor of ε_N, ε_T with ½ Λ·(u⁻ + u⁺) ≤ 0 (energy: `stronge_1990`).
  for (Real low = 0, high = 1; high - low > tolerance::kShareBisection;) {
    const Real factor = (low + high) / 2;
    ImpactAnswer answer = answer_to(factor);
    if (is_good(answer)) {
      low = factor;
      best = std::move(answer);
    } else {
      high = factor;
    }
  }
  if (best.restitution_factor < tolerance::kLeastShare) best = inelastic;
  best.solves = solves;
  return best;
}

}  // namespace talus::laws
