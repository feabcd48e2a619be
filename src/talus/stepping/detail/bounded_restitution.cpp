#include <talus/stepping/detail/bounded_restitution.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <talus/base/disjoint_sets.hpp>
#include <talus/laws/tolerances.hpp>

namespace talus::stepping::detail {
namespace {

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

/// A body of the row that forces move; −1: it has none.
Index mover_of_row(const problem::RigidContact& problem, Index row) {
  Index mover = -1;
  problem.rows.for_each_part(row, [&](const problem::RowPart& of) {
    if (is_movable(problem, of.body)) mover = of.body;
  });
  return mover;
}

/// What the impulses of each set do to the energy beyond the tolerance, by root.
struct Work {
  std::vector<Real> of_strike;  // ½ Σ r·(u_free + u')
  std::vector<Real> of_step;    // ½ Σ r·(J_M v + u'), of the midpoint rule; else 0
};

Work work_of(const problem::RigidContact& problem, const AloneMotion& alone,
             const driver::RigidContactSolution& solution, Real tolerance,
             std::span<const ContactTurn> turns, DisjointSets& struck) {
  Work work{std::vector<Real>(problem.bodies.size(), 0),
            std::vector<Real>(problem.bodies.size(), 0)};
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const Vec3 r = problem::pressing_impulse_of(problem, solution.impulse, c);
    if (r.isZero(0)) continue;
    const problem::ContactView contact = problem::view(problem, c);
    const Vec3 before = relative_velocity(contact, alone.velocity);
    const Vec3 after = relative_velocity(contact, solution.velocity);
    const Index root = struck.root(mover(problem, contact));
    const Real noise =
        tolerance * r.norm() * (before.norm() + after.norm() + problem.force_speed) / 2;
    work.of_strike[root] += r.dot(before + after) / 2 - noise;
    if (turns.empty()) continue;
    const Vec3& start = turns[c].before;
    work.of_step[root] += r.dot(start + after) / 2 - noise -
                          tolerance::kMissedImpulse * r.norm() * (before - start).norm();
  }
  const bool is_midpoint = !alone.reflected.empty();
  for (Index j = 0; j < problem.rows.size(); ++j) {
    const Real impulse = solution.impulse.row[j];
    const Index mover = mover_of_row(problem, j);
    if (impulse == 0 || mover < 0) continue;
    const Real bias = problem.rows.bias[j];
    if (is_midpoint && alone.reflected[j] != 0)  // by as much as less of it is reflected
      work.of_step[struck.root(mover)] += impulse * (alone.before[j] - bias) / 2;
    if (alone.resists[j] == 0) continue;
    const Real before = problem::row_rate(problem, j, alone.velocity) - bias;
    const Real after = problem::row_rate(problem, j, solution.velocity) - bias;
    const Real noise = tolerance * std::abs(impulse) *
                       (std::abs(before) + std::abs(after) + problem.force_speed) / 2;
    const Index root = struck.root(mover);
    work.of_strike[root] += impulse * (before + after) / 2 - noise;
    if (!is_midpoint) continue;
    const Real start = alone.before[j];
    work.of_step[root] += impulse * (start + after) / 2 - noise -
                          tolerance::kMissedImpulse * std::abs(impulse * (before - start));
  }
  return work;
}

/// The larger of both works. In the midpoint rule a force does the work of the mean velocity.
std::vector<Real> raised(const problem::RigidContact& problem, const AloneMotion& alone,
                         const driver::RigidContactSolution& solution, Real tolerance,
                         std::span<const ContactTurn> turns, DisjointSets& struck) {
  Work work = work_of(problem, alone, solution, tolerance, turns, struck);
  for (std::size_t i = 0; i < work.of_step.size(); ++i)
    work.of_strike[i] = std::max(work.of_strike[i], work.of_step[i]);
  return std::move(work.of_strike);
}

/// The same of the rows of a planar step.
VecX raised(const laws::StepProblem& problem, const laws::StepImpulses& answer, Real tolerance,
            DisjointSets& struck) {
  VecX work = VecX::Zero(answer.impulse.size()), work_of_step = work;
  const auto normals = static_cast<Index>(problem.normals.size());
  for (Index j = 0; j < answer.impulse.size(); ++j) {
    const Index normal =
        j < normals ? j : problem.frictions[static_cast<std::size_t>(j - normals)].normal;
    if (normal >= 0 && !model::is_rigid(*problem.normals[static_cast<std::size_t>(normal)].law))
      continue;
    const Real impulse = answer.impulse[j], before = problem.b[j] - problem.turn[j],
               after = answer.rate[j] - problem.turn[j];
    const Index root = struck.root(j);
    const Real noise = tolerance * std::abs(impulse) * (std::abs(before) + std::abs(after)) / 2;
    work[root] += impulse * (before + after) / 2 - noise;
    const Real start = problem.start[j];
    work_of_step[root] += impulse * (start + after) / 2 - noise -
                          tolerance::kMissedImpulse * std::abs(impulse * (before - start));
  }
  return problem.is_midpoint ? VecX(work.cwiseMax(work_of_step)) : work;
}

bool is_rebound(const laws::StepNormal& normal) {
  return normal.shift < 0 && model::is_rigid(*normal.law);
}

/// Joins the bodies that rows hold together.
void join_machines(const problem::RigidContact& problem, DisjointSets& struck) {
  for (Index j = 0; j < problem.rows.size(); ++j) {
    Index first = -1;
    problem.rows.for_each_part(j, [&](const problem::RowPart& of) {
      if (!is_movable(problem, of.body)) return;
      if (first >= 0) struck.join(first, of.body);
      first = of.body;
    });
  }
}

/// Joins the bodies of contacts that bear. @return whether sets became larger.
bool join_borne(const problem::RigidContact& problem, const driver::RigidContactSolution& solution,
                DisjointSets& struck) {
  bool grows = false;
  for (Index c = 0; c < problem.contact_count(); ++c) {
    if (problem::impulse_of(problem, solution.impulse, c).isZero(0)) continue;
    const problem::ContactView contact = problem::view(problem, c);
    if (!is_movable(problem, contact.body_a) || !is_movable(problem, contact.body_b)) continue;
    grows = grows || struck.root(contact.body_a) != struck.root(contact.body_b);
    struck.join(contact.body_a, contact.body_b);
  }
  return grows;
}

/// Joins the rows that bear and act on each other. @param borne in and out: which have borne.
/// @return whether sets became larger.
bool join_borne(const laws::StepProblem& problem, const laws::StepImpulses& answer,
                DisjointSets& struck, std::vector<bool>& borne) {
  bool grows = false;
  borne.resize(static_cast<std::size_t>(answer.impulse.size()), false);
  for (Index j = 0; j < answer.impulse.size(); ++j) {
    if (answer.impulse[j] == 0 || borne[static_cast<std::size_t>(j)]) continue;
    borne[static_cast<std::size_t>(j)] = true;
    for (problem::SparseMatrix::InnerIterator entry(problem.G, j); entry; ++entry) {
      const Index i = entry.col();
      if (entry.value() == 0 || !borne[static_cast<std::size_t>(i)]) continue;
      grows = grows || struck.root(i) != struck.root(j);
      struck.join(i, j);
    }
  }
  return grows;
}

/// The bodies of a step's machines and of contacts that bear.
DisjointSets sets_that_bear(const problem::RigidContact& problem,
                            const driver::RigidContactSolution& solution) {
  DisjointSets struck(static_cast<Index>(problem.bodies.size()));
  join_machines(problem, struck);
  join_borne(problem, solution, struck);
  return struck;
}

/// Whether a set's energy, by root, is more than kRaisedShare of its motion's and m (h a)².
bool exceeds_motion(const problem::RigidContact& problem,
                    std::span<const problem::BodyVelocity> velocity, DisjointSets& sets,
                    std::vector<Real> energy) {
  const Real fall2 = problem.force_speed * problem.force_speed;
  for (Index i = 0; i < sets.size(); ++i) {
    if (!is_movable(problem, i)) continue;
    const problem::BodyVelocity& body = velocity[i];
    const Real speed2 = body.v.squaredNorm() + body.s.squaredNorm();
    energy[sets.root(i)] -= (kRaisedShare * speed2 / 2 + fall2) / body.inverse_mass;
  }
  return std::any_of(energy.begin(), energy.end(), [](Real own) { return !(own <= 0); });
}

using Shares = std::map<Index, Real>;  // of restitution, by root of the set

/// Finds the largest shares with which no set raises the energy. A contact that bears nothing with
/// the restitutions asked for may bear once its neighbours rebound less: sets that act on each
/// other in any answer become one, and the search starts anew; after kMostRounds all are one.
/// @param struck the sets, joined by what bears in the answer at hand.
/// @param raised the work of each set in the answer at hand beyond the tolerance, by root.
/// @param joins joins what bears in the answer at hand; whether sets became larger.
/// @param solve_with answers with these shares; of sets without one nothing is changed.
/// @return whether any was taken smaller.
template <class Raised, class Joins, class SolveWith>
bool bound(DisjointSets& struck, const Raised& raised, const Joins& joins,
           const SolveWith& solve_with) {
  constexpr int kMostRounds = 8;
  std::set<Index> raising;  // a member of each set that raises the energy
  const auto note_raising = [&] {
    const auto work = raised();
    std::set<Index> roots;
    for (const Index member : raising) roots.insert(struck.root(member));
    const auto count = raising.size();
    for (Index i = 0; i < struck.size(); ++i)
      if (work[i] > 0 && roots.count(i) == 0) raising.insert(i);
    return raising.size() > count;
  };
  if (!note_raising()) return false;
  for (int round = 1;; ++round) {
    std::map<Index, Share> shares;
    for (const Index member : raising) shares.emplace(struck.root(member), Share{});
    const auto grows_with = [&](const auto& value_of) {
      Shares values;
      for (const auto& [root, share] : shares) values.emplace(root, value_of(share));
      solve_with(values);
      return joins();
    };
    bool grows = false;
    for (int k = 0; k < kHalvings && !grows; ++k) {
      grows = grows_with([](const Share& share) { return share.middle(); });
      if (grows) break;
      const auto work = raised();
      for (auto& [root, share] : shares) (work[root] > 0 ? share.high : share.low) = share.middle();
    }
    const auto low = [](const Share& share) { return share.low; };
    if (!grows) grows = grows_with(low);
    // Where a problem has several answers, another one than that of the search may be found now.
    for (bool is_sure = false; !grows && !is_sure;) {
      is_sure = true;
      const auto work = raised();
      for (auto& [root, share] : shares)
        if (work[root] > 0 && share.low > 0) share.low = 0, is_sure = false;
      if (!is_sure) grows = grows_with(low);
    }
    if (!grows) grows = note_raising();
    if (!grows) return true;
    if (round >= kMostRounds)
      for (Index i = 1; i < struck.size(); ++i) struck.join(0, i);
  }
}

}  // namespace

Index bound_restitution(problem::RigidContact& problem, Real tolerance,
                        const std::function<void()>& solve,
                        const std::function<AloneMotion()>& alone,
                        std::span<const ContactTurn> turns,
                        driver::RigidContactSolution& solution) {
  struct Bias {
    Index contact;
    Real own, rest;  // of a rule without restitution and turning rows, and what these add
  };
  std::vector<Bias> biases;
  DisjointSets struck(static_cast<Index>(problem.bodies.size()));
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const Real turn = turns.empty() ? 0 : turns[c].normal;
    const Real bias = problem::view(problem, c).bias, gap = std::max(Real(0), bias - turn);
    const Real own = std::max(Real(0), gap + turn);
    if (bias - turn < 0 || !turns.empty()) biases.push_back({c, own, bias - own});
  }
  std::vector<std::pair<Index, Real>> rebounds;  // of limits and ropes: biases
  AloneMotion now = alone();
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (now.resists[j] != 0 && problem.rows.bias[j] < 0)
      rebounds.emplace_back(j, problem.rows.bias[j]);
  // Dry friction that ends a slip against the forces may raise the energy as they do.
  if (biases.empty() && rebounds.empty() &&
      (now.reflected.empty() || !raises_energy(problem, now, solution, tolerance, turns)))
    return 0;
  join_machines(problem, struck);
  const auto joins = [&] { return join_borne(problem, solution, struck); };
  joins();
  std::vector<Vec3> slip;
  for (const problem::Resistance& resistance : problem.resistance)
    slip.push_back(resistance.slip_bias);
  const auto share_of_body = [&](Index body, const Shares& shares) {
    const auto found = shares.find(struck.root(body));
    return found == shares.end() ? std::optional<Real>() : found->second;
  };
  const auto share_of = [&](Index c, const Shares& shares) {
    return share_of_body(mover(problem, problem::view(problem, c)), shares);
  };
  Index sweeps = 0;
  const auto take = [&](const Shares& shares) {
    for (const auto& [c, own, rest] : biases)
      if (const auto share = share_of(c, shares))
        problem::set_bias(problem, c, own + *share * rest);
    for (std::size_t k = 0; k < slip.size(); ++k) {
      const Index c = problem.central.size() + static_cast<Index>(k);
      if (const auto share = share_of(c, shares))
        problem.resistance[k].slip_bias = *share * slip[k];
    }
    for (const auto& [j, bias] : rebounds)
      if (const auto share = share_of_body(mover_of_row(problem, j), shares))
        problem.rows.bias[j] = *share * bias;
    for (Index j = 0; j < problem.rows.size(); ++j)
      if (const auto share = now.reflected.empty() || now.reflected[j] == 0
                                 ? std::optional<Real>()
                                 : share_of_body(mover_of_row(problem, j), shares))
        problem.rows.bias[j] = now.before[j] - (1 - *share) * now.reflected[j];
  };
  const auto solve_with = [&](const Shares& shares) {
    take(shares);
    solve();
    sweeps += solution.report.iterations;
    now = alone();
  };
  const auto raised_by = [&](DisjointSets& sets) {
    std::vector<Real> work = raised(problem, now, solution, tolerance, turns, sets);
    for (const Index body : solution.unanswered) work[sets.root(body)] = 1;  // less, for an answer
    return work;
  };
  if (!solution.unanswered.empty()) {  // for whatever reason: is there one without restitution?
    const driver::RigidContactSolution asked = solution;
    Shares none, all;
    for (const Index body : solution.unanswered) none[struck.root(body)] = 0;
    for (const auto& [root, share] : none) all[root] = 1;
    solve_with(none);
    const bool is_answered = solution.unanswered.empty();
    take(all);
    solution = asked;
    now = alone();
    if (!is_answered) return sweeps;
  }
  if (!bound(
          struck, [&] { return raised_by(struck); }, joins, solve_with))
    return sweeps;
  // Some of a set that acted on others in an answer tried may raise the energy alone in this one.
  DisjointSets apart(struck.size());
  join_machines(problem, apart);
  join_borne(problem, solution, apart);
  Shares none;
  const std::vector<Real> work = raised_by(apart);
  for (Index i = 0; i < apart.size(); ++i)
    if (work[i] > 0) none.emplace(struck.root(i), 0);
  if (!none.empty()) solve_with(none);
  return sweeps;
}

VecX bound_restitution(laws::StepProblem& problem, Real tolerance,
                       const std::function<laws::StepImpulses()>& solve,
                       laws::StepImpulses& answer) {
  const Index rows = answer.impulse.size(), normals = static_cast<Index>(problem.normals.size());
  VecX left = VecX::Ones(normals);
  if (problem.turn.isZero(0) &&
      std::none_of(problem.normals.begin(), problem.normals.end(), is_rebound))
    return left;
  DisjointSets struck(rows);
  std::vector<bool> borne;  // which rows bear in some answer
  const auto joins = [&] { return join_borne(problem, answer, struck, borne); };
  joins();
  const std::vector<laws::StepNormal> normals_asked = problem.normals;
  const std::vector<laws::StepFriction> frictions_asked = problem.frictions;
  const VecX turn_asked = problem.turn;
  // What bears in the answer at hand may be less than a set, and none of it may raise the energy.
  const auto work = [&] {
    VecX raised_by = VecX::Constant(rows, -1);
    DisjointSets own(rows);
    std::vector<bool> bears;
    join_borne(problem, answer, own, bears);
    const VecX of_own = raised(problem, answer, tolerance, own);
    for (Index j = 0; j < rows; ++j) {
      Real& most = raised_by[struck.root(j)];
      most = std::max(most, of_own[own.root(j)]);
    }
    for (const Index j : answer.unanswered) raised_by[struck.root(j)] = 1;  // less, for an answer
    return raised_by;
  };
  bound(struck, work, joins, [&](const Shares& shares) {
    for (Index j = 0; j < rows; ++j) {
      const auto at = static_cast<std::size_t>(j < normals ? j : j - normals);
      const Index normal = j < normals ? j : frictions_asked[at].normal;
      const auto found = shares.find(struck.root(normal < 0 ? j : normal));
      const Real share = found == shares.end() ? 1 : found->second;
      problem.b[j] += share * turn_asked[j] - problem.turn[j];
      problem.turn[j] = share * turn_asked[j];
      if (j >= normals)
        problem.frictions[at].restitution = share * frictions_asked[at].restitution;
      else if (is_rebound(normals_asked[at]))
        problem.normals[at].shift = share * normals_asked[at].shift;
      if (j < normals) left[j] = share;
    }
    answer = solve();
  });
  return left;
}

bool raises_energy(const problem::RigidContact& problem, const AloneMotion& alone,
                   const driver::RigidContactSolution& solution, Real tolerance,
                   std::span<const ContactTurn> turns) {
  DisjointSets struck = sets_that_bear(problem, solution);
  return exceeds_motion(problem, alone.velocity, struck,
                        raised(problem, alone, solution, kMostRaised * tolerance, turns, struck));
}

bool winds_springs_up(const problem::RigidContact& problem,
                      const std::function<AloneMotion()>& alone,
                      const driver::RigidContactSolution& solution, Real tolerance,
                      std::span<const ContactTurn> turns, std::span<const WoundSpring> springs) {
  if (springs.empty()) return false;
  DisjointSets sets = sets_that_bear(problem, solution);
  std::vector<Real> energy(problem.bodies.size(), 0);
  for (const WoundSpring& spring : springs)
    energy[sets.root(spring.body)] += spring.gained - kRaisedShare * spring.stored;
  if (!exceeds_motion(problem, solution.velocity, sets, energy)) return false;
  const Work work = work_of(problem, alone(), solution, tolerance, turns, sets);
  for (std::size_t i = 0; i < energy.size(); ++i) energy[i] += work.of_step[i];
  return exceeds_motion(problem, solution.velocity, sets, std::move(energy));
}

std::string raises_text(Real raised) {
  return fmt::format("impulses of contacts raise the energy by {:.3g} of their work", raised);
}

std::vector<bool> raises_energy(const laws::StepProblem& problem, Real tolerance,
                                const laws::StepImpulses& answer) {
  std::vector<bool> raises(problem.normals.size());
  DisjointSets struck(answer.impulse.size());
  std::vector<bool> borne;
  join_borne(problem, answer, struck, borne);
  const VecX work = raised(problem, answer, tolerance, struck);
  for (std::size_t i = 0; i < raises.size(); ++i)
    raises[i] = work[struck.root(static_cast<Index>(i))] > 0;
  for (const Index row : answer.unanswered)
    if (row < static_cast<Index>(raises.size())) raises[static_cast<std::size_t>(row)] = true;
  return raises;
}

}  // namespace talus::stepping::detail
