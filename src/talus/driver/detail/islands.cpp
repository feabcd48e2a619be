#include <talus/driver/detail/islands.hpp>

#include <algorithm>

#include <talus/problem/resists_more.hpp>

namespace talus::driver::detail {
namespace {

using problem::kLanes;
using problem::RigidContact;

/// Calls f(body) for the two bodies of a contact.
template <class F>
void for_each_body(const RigidContact& problem, Index contact, const F& f) {
  if (const Index general = contact - problem.central.size(); general >= 0) {
    f(problem.general[general].body_a);
    f(problem.general[general].body_b);
    return;
  }
  const std::uint32_t slot = problem.central.slot[contact];
  const problem::CentralBatch& batch = problem.central.batches[slot / kLanes];
  f(batch.body_a[slot % kLanes]);
  f(batch.body_b[slot % kLanes]);
}

/// What of a central contact is not of its bodies.
void copy_lane(const problem::CentralBatch& from, std::uint32_t k, problem::CentralBatch& to,
               std::uint32_t l) {
  for (int i = 0; i < 3; ++i) to.arm[i][l] = from.arm[i][k];
  to.inverse_arm2[l] = from.inverse_arm2[k];
  to.bias[l] = from.bias[k];
  to.inverse_tangential[l] = from.inverse_tangential[k];
}

}  // namespace

template <class IslandOf>
void Islands::Lists::sort(Index islands, Index count, const IslandOf& island_of) {
  first.assign(islands + 1, 0);
  for (Index i = 0; i < count; ++i)
    if (const Index island = island_of(i); island >= 0) ++first[island + 1];
  for (Index i = 0; i < islands; ++i) first[i + 1] += first[i];
  items.resize(first[islands]);
  for (Index i = 0; i < count; ++i)
    if (const Index island = island_of(i); island >= 0) items[first[island]++] = i;
  for (Index i = islands; i > 0; --i) first[i] = first[i - 1];
  first[0] = 0;
}

void Islands::split(const RigidContact& problem, const certify::RigidContactCertifier& certify) {
  const Index islands = certify.island_count(), contacts = problem.contact_count();
  movable_.sort(islands, static_cast<Index>(problem.bodies.size()),
                [&](Index i) { return certify.island_of_body(i); });
  contacts_.sort(islands, contacts, [&](Index c) { return certify.island_of(c); });
  rows_.sort(islands, problem.rows.size(),
             [&](Index j) { return certify.island_of(contacts + j); });
  place_.resize(problem.bodies.size());
  count_ = 0;
  for (Index i = 0; i < islands; ++i) {
    if (certify.is_idle(i)) continue;
    if (count_ == islands_.size()) islands_.emplace_back();
    Island& island = islands_[count_++];
    RigidContact& own = island.problem;
    own.clear();
    own.law = problem.law;
    own.directions = problem.directions;
    own.force_speed = problem.force_speed;
    island.contacts.assign(contacts_.of(i).begin(), contacts_.of(i).end());
    island.rows.assign(rows_.of(i).begin(), rows_.of(i).end());
    copy_bodies(problem, movable_.of(i), island);
    pairs_.clear();
    friction_.clear();
    for (const Index c : island.contacts) copy_contact(problem, c, own);
    for (const Index j : island.rows) copy_row(problem, j, own);
    if (std::none_of(own.resistance.begin(), own.resistance.end(), problem::resists_more))
      own.resistance.clear();
    if (!pairs_.empty()) lay_out(problem, island);
  }
}

/// The movable bodies of an island and the others that it touches.
void Islands::copy_bodies(const RigidContact& whole, std::span<const Index> movable,
                          Island& island) {
  std::vector<Index>& bodies = island.bodies;
  bodies.assign(movable.begin(), movable.end());
  const auto note = [&](std::uint32_t body) {
    if (!(whole.bodies[body].inverse_mass > 0)) bodies.push_back(body);
  };
  for (const Index c : island.contacts) for_each_body(whole, c, note);
  for (const Index j : island.rows)
    whole.rows.for_each_part(j, [&](const problem::RowPart& of) { note(of.body); });
  const auto others = bodies.begin() + static_cast<std::ptrdiff_t>(movable.size());
  std::sort(others, bodies.end());
  bodies.erase(std::unique(others, bodies.end()), bodies.end());
  std::inplace_merge(bodies.begin(), bodies.begin() + static_cast<std::ptrdiff_t>(movable.size()),
                     bodies.end());
  RigidContact& own = island.problem;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Index body = bodies[i];
    place_[body] = static_cast<std::uint32_t>(i);
    own.bodies.push_back(whole.bodies[body]);
    own.length.push_back(whole.length[body]);
    own.place.push_back(whole.place.empty() ? Vec3::Zero() : whole.place[body]);
    if (!whole.inverse_inertia.empty()) own.inverse_inertia.push_back(whole.inverse_inertia[body]);
  }
}

void Islands::copy_contact(const RigidContact& whole, Index contact, RigidContact& own) {
  const Index general = contact - whole.central.size();
  if (general < 0) {
    const std::uint32_t slot = whole.central.slot[contact], lane = slot % kLanes;
    const problem::CentralBatch& batch = whole.central.batches[slot / kLanes];
    pairs_.push_back({place_[batch.body_a[lane]], place_[batch.body_b[lane]]});
    friction_.push_back(batch.friction[lane]);
    if (!whole.central.is_late.empty())
      own.central.is_late.push_back(whole.central.is_late[contact]);
    return;
  }
  problem::GeneralContact copy = whole.general[general];
  copy.body_a = place_[copy.body_a];
  copy.body_b = place_[copy.body_b];
  own.general.push_back(copy);
  if (!whole.resistance.empty()) own.resistance.push_back(whole.resistance[general]);
}

void Islands::copy_row(const RigidContact& whole, Index row, RigidContact& own) const {
  whole.rows.for_each_part(row, [&](const problem::RowPart& of) {
    own.rows.parts.push_back({of.part, place_[of.body]});
  });
  own.rows.close(whole.rows.bias[row], whole.rows.compliance[row], whole.rows.lower[row],
                 whole.rows.upper[row]);
}

/// The central contacts of an island in a schedule of its own.
void Islands::lay_out(const RigidContact& whole, Island& island) {
  RigidContact& own = island.problem;
  is_movable_.clear();
  for (const problem::BodyVelocity& body : own.bodies)
    is_movable_.push_back(body.inverse_mass > 0 ? 1 : 0);
  schedule_.build(pairs_, own.place, is_movable_, own.central.is_late);
  own.lay_out_central(schedule_, pairs_, friction_);
  for (std::size_t c = 0; c < pairs_.size(); ++c) {
    const std::uint32_t from = whole.central.slot[island.contacts[c]], to = own.central.slot[c];
    copy_lane(whole.central.batches[from / kLanes], from % kLanes, own.central.batches[to / kLanes],
              to % kLanes);
  }
}

void impulses_of(const Island& island, const RigidContact& problem,
                 const problem::ContactImpulses& whole, problem::ContactImpulses& own) {
  if (whole.empty() && whole.row.empty()) {
    own = {};
    return;
  }
  problem::set_zero(island.problem, own);
  const Index central = problem.central.size();
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const Index c = island.contacts[i];
    if (!whole.empty())
      problem::set_impulse(island.problem, static_cast<Index>(i),
                           problem::impulse_of(problem, whole, c), own);
    if (!own.moment.empty() && !whole.moment.empty() && c >= central)
      own.moment[static_cast<Index>(i) - island.problem.central.size()] = whole.moment[c - central];
  }
  if (!whole.row.empty())
    for (std::size_t i = 0; i < island.rows.size(); ++i) own.row[i] = whole.row[island.rows[i]];
}

void put_impulses(const Island& island, const problem::ContactImpulses& impulse,
                  const RigidContact& problem, problem::ContactImpulses& whole) {
  const Index central = problem.central.size();
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    const Index c = island.contacts[i];
    problem::set_impulse(
        problem, c, problem::impulse_of(island.problem, impulse, static_cast<Index>(i)), whole);
    if (!impulse.moment.empty() && c >= central)
      whole.moment[c - central] =
          impulse.moment[static_cast<Index>(i) - island.problem.central.size()];
  }
  for (std::size_t i = 0; i < island.rows.size(); ++i) whole.row[island.rows[i]] = impulse.row[i];
}

}  // namespace talus::driver::detail
