#include <talus/stepping/detail/sleeping_islands.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/certify/worse_of.hpp>

namespace talus::stepping::detail {

using certify::Certificate;

namespace {

/// An island of a problem that has no central contacts, to be judged at rest.
class IslandProblem {
 public:
  IslandProblem(problem::FrictionLaw law, Index directions, Real force_speed) {
    problem.law = law;
    problem.directions = directions;
    problem.force_speed = force_speed;
  }
  /// Its number of a body; where it is new, its data are appended to the problem by add().
  template <class Add>
  std::uint32_t number(Index body, Add add) {
    const auto next = static_cast<std::uint32_t>(problem.bodies.size());
    const auto [place, is_new] = number_.emplace(body, next);
    if (is_new) add();
    return place->second;
  }
  /// The same of a body of another problem.
  std::uint32_t number(Index body, const problem::RigidContact& whole) {
    return number(body, [&] {
      problem.bodies.push_back(whole.bodies[body]);
      problem.inverse_inertia.push_back(whole.inverse_inertia[body]);
      problem.length.push_back(whole.length[body]);
    });
  }
  void add_contact(const problem::RigidContact& whole, Index contact,
                   const problem::ContactImpulses& known) {
    problem.general.push_back(whole.general[contact]);
    problem.general.back().body_a = number(whole.general[contact].body_a, whole);
    problem.general.back().body_b = number(whole.general[contact].body_b, whole);
    impulse.general.push_back(known.general[contact]);
    if (whole.resistance.empty()) return;
    problem.resistance.push_back(whole.resistance[contact]);
    impulse.moment.push_back(known.moment[contact]);
  }
  void add_row(const problem::RigidContact& whole, Index row, Real known) {
    const problem::BoundedRows& rows = whole.rows;
    rows.for_each_part(row, [&](const problem::RowPart& of) {
      problem.rows.parts.push_back({of.part, number(of.body, whole)});
    });
    problem.rows.close(rows.bias[row], rows.compliance[row], rows.lower[row], rows.upper[row]);
    impulse.row.push_back(known);
  }
  /// The certificate of its impulses and the velocity 0 of all that forces move.
  [[nodiscard]] Certificate at_rest() const {
    std::vector<problem::BodyVelocity> rest = problem.bodies;
    for (problem::BodyVelocity& body : rest)
      if (body.inverse_mass > 0) body.v = body.s = Vec3::Zero();
    return certify::certify(problem, impulse, rest);
  }

  problem::RigidContact problem;
  problem::ContactImpulses impulse;

 private:
  std::unordered_map<Index, std::uint32_t> number_;
};

}  // namespace

SleepingIslands::SleepingIslands(const dynamics::RigidBodies& bodies,
                                 std::vector<collision::Pair> links)
    : bodies_(bodies),
      links_(std::move(links)),
      island_of_(bodies.model().bodies.size(), -1),
      asleep_(bodies.model().bodies.size(), 0) {}

void SleepingIslands::join(Index a, Index b) {
  if (bodies_.is_dynamic(a) && bodies_.is_dynamic(b)) forming_.join(a, b);
}

bool SleepingIslands::moves(Index body, const problem::BodyVelocity& velocity) const {
  return !bodies_.is_dynamic(body) && !(velocity.v.isZero(0) && velocity.s.isZero(0));
}

void SleepingIslands::find_excess(const problem::RigidContact& problem,
                                  std::span<const collision::Pair> pairs, Real tolerance,
                                  std::span<const problem::BodyVelocity> velocity) {
  const Index count = bodies_.model().body_count();
  forming_.start(bodies_.model().body_count());
  for (const auto& list : {pairs, links()})
    for (const collision::Pair pair : list) join(pair.a, pair.b);
  excess_.assign(count, 0);
  for (const auto& list : {pairs, links()})
    for (const collision::Pair pair : list) {
      if (moves(pair.a, velocity[pair.a])) excess_[forming_.root(pair.b)] = INFINITY;
      if (moves(pair.b, velocity[pair.b])) excess_[forming_.root(pair.a)] = INFINITY;
    }
  for (Index i = 0; i < count; ++i) {
    const problem::BodyVelocity &now = velocity[i], &free = problem.bodies[i];
    if (free.inverse_mass == 0) continue;
    excess_[forming_.root(i)] +=
        (now.v.squaredNorm() + now.s.squaredNorm() -
         tolerance * tolerance * (free.v.squaredNorm() + free.s.squaredNorm())) /
        free.inverse_mass;
  }
}

bool SleepingIslands::is_any_slow(const problem::RigidContact& problem,
                                  std::span<const collision::Pair> pairs, Real tolerance,
                                  std::span<const problem::BodyVelocity> velocity) {
  find_excess(problem, pairs, tolerance, velocity);
  for (std::size_t i = 0; i < excess_.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0 && excess_[forming_.root(static_cast<Index>(i))] <= 0 &&
        !(velocity[i].v.isZero(0) && velocity[i].s.isZero(0)))
      return true;
  return false;
}

bool SleepingIslands::bring_to_rest(const problem::RigidContact& problem,
                                    std::span<const collision::Pair> pairs, Real tolerance,
                                    std::span<const unsigned char> restless,
                                    const problem::ContactImpulses& impulse,
                                    std::vector<problem::BodyVelocity>& velocity) {
  if (!is_any_slow(problem, pairs, tolerance, velocity)) return false;
  for (std::size_t i = 0; i < excess_.size(); ++i)
    if (restless[i] != 0) excess_[forming_.root(static_cast<Index>(i))] = INFINITY;
  if (!problem.rows.empty()) keep_moving(problem, impulse, tolerance);
  bool has_stopped = false;
  for (std::size_t i = 0; i < excess_.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0 && excess_[forming_.root(static_cast<Index>(i))] <= 0) {
      has_stopped = has_stopped || !(velocity[i].v.isZero(0) && velocity[i].s.isZero(0));
      velocity[i].v = velocity[i].s = Vec3::Zero();
    }
  return has_stopped;
}

/// A machine has laws besides the equation of motion: islands whose laws the velocity 0 does not
/// meet keep moving.
void SleepingIslands::keep_moving(const problem::RigidContact& problem,
                                  const problem::ContactImpulses& impulse, Real tolerance) {
  std::map<Index, IslandProblem> slow;
  for (std::size_t i = 0; i < excess_.size(); ++i) {
    const Index root = forming_.root(static_cast<Index>(i));
    if (problem.bodies[i].inverse_mass == 0 || !(excess_[root] <= 0)) continue;
    slow.try_emplace(root, problem.law, problem.directions, problem.force_speed)
        .first->second.number(static_cast<Index>(i), problem);
  }
  const auto part_with = [&](Index body) -> IslandProblem* {
    const auto found = slow.find(forming_.root(body));
    return problem.bodies[body].inverse_mass == 0 || found == slow.end() ? nullptr : &found->second;
  };
  for (std::size_t c = 0; c < problem.general.size(); ++c) {
    IslandProblem* part = part_with(problem.general[c].body_a);
    if (part == nullptr) part = part_with(problem.general[c].body_b);
    if (part != nullptr) part->add_contact(problem, static_cast<Index>(c), impulse);
  }
  for (Index j = 0; j < problem.rows.size(); ++j) {
    IslandProblem* part = nullptr;
    problem.rows.for_each_part(j, [&](const problem::RowPart& of) {
      if (part == nullptr) part = part_with(of.body);
    });
    if (part != nullptr) part->add_row(problem, j, impulse.row[j]);
  }
  for (const auto& [root, part] : slow)
    if (!part.at_rest().meets(tolerance)) excess_[root] = INFINITY;
}

/// Of the next step: impulses as they are, velocity 0.
/// @param rows of the machine that are the island's.
Certificate SleepingIslands::certify_at_rest(const Island& island, const model::State& state,
                                             const Law& law, const NextMachine* machine,
                                             std::span<const Index> rows) const {
  IslandProblem next(law.friction, law.directions, bodies_.force_speed(law.bias.step_size));
  problem::RigidContact& problem = next.problem;
  const auto add = [&](Index body) {
    if (machine != nullptr) return next.number(body, machine->problem);
    return next.number(body, [&] {
      const dynamics::BiasLaw& step = law.bias;
      problem.bodies.push_back(bodies_.free_velocity(body, state, step.step_size, step.theta));
      problem.inverse_inertia.push_back(
          bodies_.inverse_inertia(body, state, {bodies_.model(), step.step_size, step.theta}));
      problem.length.push_back(bodies_.length(body));
    });
  };
  for (const Index body : island.bodies) add(body);
  for (const StepContact& contact : island.contacts) {
    const auto a = static_cast<std::uint32_t>(contact.body_a);
    const auto b = static_cast<std::uint32_t>(contact.body_b);
    // Nothing approaches, and nothing has to be pushed out: both within one tolerance.
    const collision::Contact known = {
        a, b, contact.feature, contact.position, contact.normal, contact.gap};
    const model::InterfaceLaw& pair = bodies_.law(known);
    const Real bias = push_bias(law.bias, contact.gap, law.bias.slop * bodies_.size(known));
    problem.general.push_back(
        bodies_.general_contact(known, {bias, pair.friction.coefficient}, state.position));
    if (bodies_.model().resists_more()) {
      bodies_.add_resistance(known, state.orientation, law.bias.step_size, Vec3::Zero(), false,
                             problem);
      next.impulse.moment.push_back(contact.moment);
    }
    problem.general.back().body_a = add(a);
    problem.general.back().body_b = add(b);
    next.impulse.general.push_back(contact.impulse);
  }
  for (const Index row : rows) next.add_row(machine->problem, row, machine->impulse[row]);
  Certificate certificate = next.at_rest();
  if (certificate.worst_contact >= static_cast<Index>(island.contacts.size()))
    certificate.worst_contact = -1;  // a row
  return certificate;
}

bool SleepingIslands::fall_asleep(const model::State& state, std::span<const StepContact> contacts,
                                  const Law& law, const NextMachine* machine) {
  TALUS_DEMAND(law.bias.theta == 1);
  const Index count = bodies_.model().body_count();
  forming_.start(bodies_.model().body_count());
  for (const StepContact& contact : contacts) join(contact.body_a, contact.body_b);
  for (const collision::Pair link : links_) join(link.a, link.b);
  const auto is_still = [&](Index i) {
    return state.velocity[i].isZero(0) && state.angular_velocity[i].isZero(0);
  };
  std::vector<unsigned char> is_restless(count, 0);  // by root
  for (Index i = 0; i < count; ++i)
    if (bodies_.is_dynamic(i) && !(is_still(i) && state.is_present(i)))
      is_restless[forming_.root(i)] = 1;
  const auto disturb = [&](Index a, Index b) {
    if (!bodies_.is_dynamic(a) && !is_still(a)) is_restless[forming_.root(b)] = 1;
    if (!bodies_.is_dynamic(b) && !is_still(b)) is_restless[forming_.root(a)] = 1;
  };
  for (const StepContact& contact : contacts) disturb(contact.body_a, contact.body_b);
  for (const collision::Pair link : links_) disturb(link.a, link.b);
  for (Index i = 0; i < count && machine != nullptr; ++i)
    if (machine->restless[i] != 0) is_restless[forming_.root(i)] = 1;
  std::map<Index, Island> candidates;
  for (Index i = 0; i < count; ++i)
    if (bodies_.is_dynamic(i) && state.is_present(i) && !is_asleep(i) &&
        is_restless[forming_.root(i)] == 0) {
      candidates[forming_.root(i)].bodies.push_back(i);
      candidates[forming_.root(i)].poses.push_back(state.pose(i));
    }
  if (candidates.empty()) return false;
  for (const StepContact& contact : contacts) {
    const Index body = bodies_.is_dynamic(contact.body_a) ? contact.body_a : contact.body_b;
    const auto found = candidates.find(forming_.root(body));
    if (found != candidates.end()) found->second.contacts.push_back(contact);
  }
  std::map<Index, std::vector<Index>> rows;  // of the candidates
  for (Index j = 0; machine != nullptr && j < machine->problem.rows.size(); ++j) {
    Index root = -1;
    machine->problem.rows.for_each_part(j, [&](const problem::RowPart& of) {
      if (bodies_.is_dynamic(of.body)) root = forming_.root(of.body);
    });
    if (candidates.count(root) > 0) rows[root].push_back(j);
  }
  const Index before = island_count();
  for (auto& [first, island] : candidates) {
    island.certificate = certify_at_rest(island, state, law, machine, rows[first]);
    if (!island.certificate.meets(law.tolerance)) continue;
    for (const Index body : island.bodies) {
      island_of_[body] = first;
      asleep_[body] = 1;
    }
    islands_.emplace(first, std::move(island));
  }
  if (island_count() == before) return false;
  summary_.is_current = false;
  return true;
}

void SleepingIslands::wake(Index body, std::vector<StepContact>& woken) {
  const auto island = islands_.find(island_of_[body]);
  TALUS_DEMAND(island != islands_.end());
  for (const Index member : island->second.bodies) {
    island_of_[member] = -1;
    asleep_[member] = 0;
  }
  const std::vector<StepContact>& contacts = island->second.contacts;
  woken.insert(woken.end(), contacts.begin(), contacts.end());
  islands_.erase(island);
  summary_.is_current = false;
}

void SleepingIslands::wake_all(std::vector<StepContact>& woken) {
  while (!islands_.empty()) wake(islands_.begin()->first, woken);
}

void SleepingIslands::wake_moved(const model::State& state, std::vector<StepContact>& woken) {
  std::vector<Index> moved;
  for (const auto& [first, island] : islands_)
    for (std::size_t k = 0; k < island.bodies.size(); ++k) {
      const Index i = island.bodies[k];
      if (state.is_present(i) && state.position[i] == island.poses[k].p &&
          state.orientation[i].coeffs() == island.poses[k].q.coeffs() &&
          state.velocity[i].isZero(0) && state.angular_velocity[i].isZero(0))
        continue;
      moved.push_back(first);
      break;
    }
  for (const Index first : moved) wake(first, woken);
}

const SleepingIslands::Summary& SleepingIslands::summary() const {
  if (summary_.is_current) return summary_;
  summary_ = {};
  summary_.is_current = summary_.certificate.is_finite = true;
  for (const auto& [first, island] : islands_) {
    const auto earlier = static_cast<Index>(summary_.contacts.size());
    summary_.certificate = certify::worse_of(summary_.certificate, island.certificate, earlier);
    summary_.contacts.insert(summary_.contacts.end(), island.contacts.begin(),
                             island.contacts.end());
    for (const StepContact& contact : island.contacts)
      summary_.max_penetration = std::max(summary_.max_penetration, -contact.gap);
  }
  return summary_;
}

}  // namespace talus::stepping::detail
