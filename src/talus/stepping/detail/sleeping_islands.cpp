#include <talus/stepping/detail/sleeping_islands.hpp>

#include <algorithm>
#include <unordered_map>

#include <talus/base/contract.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/certify/worse_of.hpp>

namespace talus::stepping::detail {

using certify::Certificate;

Sleepers::Sleepers(const dynamics::RigidBodies& bodies)
    : bodies_(bodies),
      island_of_(bodies.model().bodies.size(), -1),
      asleep_(bodies.model().bodies.size(), 0) {}

void Sleepers::join(Index a, Index b) {
  if (bodies_.is_dynamic(a) && bodies_.is_dynamic(b)) forming_.join(a, b);
}

bool Sleepers::moves(Index body, const problem::BodyVelocity& velocity) const {
  return !bodies_.is_dynamic(body) && !(velocity.v.isZero(0) && velocity.s.isZero(0));
}

void Sleepers::find_excess(const problem::RigidContact& problem,
                           std::span<const collision::Pair> pairs, Real tolerance,
                           std::span<const problem::BodyVelocity> velocity) {
  const Index count = bodies_.model().body_count();
  forming_.start(bodies_.model().body_count());
  for (const collision::Pair pair : pairs) join(pair.a, pair.b);
  excess_.assign(count, 0);
  for (const collision::Pair pair : pairs) {
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

bool Sleepers::is_any_slow(const problem::RigidContact& problem,
                           std::span<const collision::Pair> pairs, Real tolerance,
                           std::span<const problem::BodyVelocity> velocity) {
  find_excess(problem, pairs, tolerance, velocity);
  for (std::size_t i = 0; i < excess_.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0 && excess_[forming_.root(static_cast<Index>(i))] <= 0 &&
        !(velocity[i].v.isZero(0) && velocity[i].s.isZero(0)))
      return true;
  return false;
}

bool Sleepers::bring_to_rest(const problem::RigidContact& problem,
                             std::span<const collision::Pair> pairs, Real tolerance,
                             std::vector<problem::BodyVelocity>& velocity) {
  if (!is_any_slow(problem, pairs, tolerance, velocity)) return false;
  for (std::size_t i = 0; i < excess_.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0 && excess_[forming_.root(static_cast<Index>(i))] <= 0)
      velocity[i].v = velocity[i].s = Vec3::Zero();
  return true;
}

/// Of the next step: impulses as they are, velocity 0.
Certificate Sleepers::certify_at_rest(const Island& island, const model::State& state,
                                      const Law& law) const {
  problem::RigidContact problem;
  problem.law = law.friction;
  problem.directions = law.directions;
  problem.force_speed = bodies_.force_speed(law.bias.step_size);
  std::unordered_map<Index, std::uint32_t> own_index;
  const auto add = [&](Index body) {
    const auto next = static_cast<std::uint32_t>(problem.bodies.size());
    const auto [place, is_new] = own_index.emplace(body, next);
    if (!is_new) return place->second;
    problem.bodies.push_back(bodies_.free_velocity(body, state, law.bias.step_size));
    problem.inverse_inertia.push_back(bodies_.inverse_inertia(body, state));
    problem.length.push_back(bodies_.length(body));
    return next;
  };
  problem::ContactImpulses impulse;
  for (const Index body : island.bodies) add(body);
  for (const StepContact& contact : island.contacts) {
    const auto a = static_cast<std::uint32_t>(contact.body_a);
    const auto b = static_cast<std::uint32_t>(contact.body_b);
    const model::InterfaceLaw& pair = bodies_.law(a, b);
    const Real slop = law.bias.slop * std::min(bodies_.size(a), bodies_.size(b));
    // Nothing approaches, and nothing has to be pushed out: both within one tolerance.
    const Real bias = push_bias(law.bias, contact.gap, slop);
    const collision::Contact known = {
        a, b, contact.feature, contact.position, contact.normal, contact.gap};
    problem.general.push_back(
        bodies_.general_contact(known, {bias, pair.friction.coefficient}, state.position));
    if (bodies_.model().resists_more()) {
      bodies_.add_resistance(known, state.orientation, law.bias.step_size, Vec3::Zero(), false,
                             problem);
      impulse.moment.push_back(contact.moment);
    }
    problem.general.back().body_a = add(a);
    problem.general.back().body_b = add(b);
    impulse.general.push_back(contact.impulse);
  }
  std::vector<problem::BodyVelocity> rest = problem.bodies;
  for (problem::BodyVelocity& body : rest)
    if (body.inverse_mass > 0) body.v = body.s = Vec3::Zero();
  return certify::certify(problem, impulse, rest);
}

bool Sleepers::fall_asleep(const model::State& state, std::span<const StepContact> contacts,
                           const Law& law) {
  TALUS_DEMAND(law.bias.theta == 1);
  const Index count = bodies_.model().body_count();
  forming_.start(bodies_.model().body_count());
  for (const StepContact& contact : contacts) join(contact.body_a, contact.body_b);
  const auto is_still = [&](Index i) {
    return state.velocity[i].isZero(0) && state.angular_velocity[i].isZero(0);
  };
  std::vector<unsigned char> is_restless(count, 0);  // by root
  for (Index i = 0; i < count; ++i)
    if (bodies_.is_dynamic(i) && !(is_still(i) && state.is_present(i)))
      is_restless[forming_.root(i)] = 1;
  for (const StepContact& contact : contacts) {
    if (!bodies_.is_dynamic(contact.body_a) && !is_still(contact.body_a))
      is_restless[forming_.root(contact.body_b)] = 1;
    if (!bodies_.is_dynamic(contact.body_b) && !is_still(contact.body_b))
      is_restless[forming_.root(contact.body_a)] = 1;
  }
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
  const Index before = island_count();
  for (auto& [first, island] : candidates) {
    island.certificate = certify_at_rest(island, state, law);
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

void Sleepers::wake(Index body, std::vector<StepContact>& woken) {
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

void Sleepers::wake_all(std::vector<StepContact>& woken) {
  while (!islands_.empty()) wake(islands_.begin()->first, woken);
}

void Sleepers::wake_moved(const model::State& state, std::vector<StepContact>& woken) {
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

const Sleepers::Summary& Sleepers::summary() const {
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
