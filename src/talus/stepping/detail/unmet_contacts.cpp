#include <talus/stepping/detail/unmet_contacts.hpp>

#include <algorithm>
#include <array>

#include <talus/collision/way.hpp>
#include <talus/dynamics/free_motion.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/math/rotation.hpp>

namespace talus::stepping::detail {
namespace {

collision::Pair pair_of(const collision::Contact& contact) { return {contact.a, contact.b}; }

struct ByPair {
  bool operator()(const collision::Contact& contact, collision::Pair pair) const {
    return pair_of(contact) < pair;
  }
  bool operator()(collision::Pair pair, const collision::Contact& contact) const {
    return pair < pair_of(contact);
  }
};

/// Takes what contacts give off the velocities of their two bodies, a and b.
void take_off(const problem::RigidContact& problem, const problem::ContactImpulses& impulse,
              Index first, Index last, std::array<problem::BodyVelocity, 2>& velocity) {
  auto& [a, b] = velocity;
  for (Index c = first; c < last; ++c) {
    const problem::GeneralContact& contact = problem.general[c];
    const Mat3 &turns_a = problem.inverse_inertia[contact.body_a],
               &turns_b = problem.inverse_inertia[contact.body_b];
    const Vec3& r = impulse.general[c];
    a.v += a.inverse_mass * r;
    a.s += turns_a * contact.arm_a.cross(r);
    b.v -= b.inverse_mass * r;
    b.s -= turns_b * contact.arm_b.cross(r);
    if (impulse.moment.empty()) continue;
    a.s += turns_a * impulse.moment[c] / problem.length[contact.body_a];
    b.s -= turns_b * impulse.moment[c] / problem.length[contact.body_b];
  }
}

}  // namespace

Real UnmetContacts::tolerance(const collision::Contact& contact) const {
  return tolerance::kSlightOverlap * contacts_.bodies().size(contact);
}

Pose UnmetContacts::pose_without(Index body, const Motion& motion,
                                 const problem::BodyVelocity& velocity) const {
  const auto& [from, theta, h] = motion;
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  Pose pose = from.pose(body);
  const bool is_moved = bodies.is_dynamic(body);
  Vec3 turning = is_moved ? Vec3(velocity.s / bodies.length(body)) : from.angular_velocity[body];
  pose.p += h * ((1 - theta) * from.velocity[body] +
                 theta * (is_moved ? velocity.v : from.velocity[body]));
  if (is_moved)
    dynamics::rotate_freely(bodies.model().bodies[body].inertia, pose.q, turning, h);
  else
    pose.q = integrate_rotation(pose.q, turning, h);
  return pose;
}

bool UnmetContacts::find(const model::State& start, const Motion& motion,
                         const problem::RigidContact& problem,
                         const driver::RigidContactSolution& solution,
                         std::span<const collision::Contact> known,
                         std::span<const collision::Contact> late) {
  if (problem.law == problem::FrictionLaw::cone_complementarity) return false;
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  const auto count = static_cast<Index>(known.size());
  const auto are_clear = [&](Index first, Index last) {
    const collision::Pair pair = pair_of(known[first]);
    std::array<problem::BodyVelocity, 2> velocity{solution.velocity[pair.a],
                                                  solution.velocity[pair.b]};
    take_off(problem, solution.impulse, first, last, velocity);
    const collision::Way way(
        {start.pose(pair.a), start.pose(pair.b)},
        {pose_without(pair.a, motion, velocity[0]), pose_without(pair.b, motion, velocity[1])},
        bodies.is_dynamic(pair.a), bodies.is_dynamic(pair.b));
    return bodies.detector().stays_clear(pair, way, tolerance::kRoom * tolerance(known[first]));
  };
  const std::size_t before = pairs_.size();
  for (Index first = 0, last = 0; first < count; first = last) {
    const collision::Pair pair = pair_of(known[first]);
    bool is_open = !contacts_.is_held(pair.a) && !contacts_.is_held(pair.b), acts = false;
    for (last = first; last < count && pair_of(known[last]) == pair; ++last) {
      is_open = is_open && known[last].gap > tolerance(known[last]);
      acts = acts || !solution.impulse.general[last].isZero(0);
    }
    if (!acts || !is_open || std::binary_search(late.begin(), late.end(), pair, ByPair{}) ||
        !are_clear(first, last))
      continue;
    pairs_.push_back(pair);
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_.size() > before;
}

void UnmetContacts::remove_from(std::vector<collision::Contact>& contacts) const {
  if (pairs_.empty()) return;
  std::erase_if(contacts, [&](const collision::Contact& contact) {
    return std::binary_search(pairs_.begin(), pairs_.end(), pair_of(contact));
  });
}

}  // namespace talus::stepping::detail
