#include <talus/driver/detail/islands.hpp>

#include <algorithm>

#include <talus/base/disjoint_sets.hpp>
#include <talus/problem/resists_more.hpp>

namespace talus::driver::detail {
namespace {

using problem::kLanes;
using problem::RigidContact;

constexpr Index kNone = -1;

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

/// Copies pieces of a problem into islands, one island after the other.
class Copy {
 public:
  explicit Copy(const RigidContact& whole) : whole_(whole), place_(whole.bodies.size()) {}

  /// @param bodies of the island, rising.
  void start(const std::vector<Index>& bodies, Island& island) {
    island_ = &island;
    island.problem.law = whole_.law;
    island.problem.directions = whole_.directions;
    island.problem.force_speed = whole_.force_speed;
    pairs_.clear();
    friction_.clear();
    for (const Index body : bodies) add_body(body);
  }
  void add_contact(Index contact) {
    island_->contacts.push_back(contact);
    const Index general = contact - whole_.central.size();
    if (general < 0) {
      const problem::CentralContact central = whole_.central.at(contact);
      pairs_.push_back({place_[central.body_a], place_[central.body_b]});
      friction_.push_back(central.friction);
      if (!whole_.central.is_late.empty())
        island_->problem.central.is_late.push_back(whole_.central.is_late[contact]);
      return;
    }
    problem::GeneralContact own = whole_.general[general];
    own.body_a = place_[own.body_a];
    own.body_b = place_[own.body_b];
    island_->problem.general.push_back(own);
    if (!whole_.resistance.empty())
      island_->problem.resistance.push_back(whole_.resistance[general]);
  }
  void add_row(Index row) {
    problem::BoundedRows& rows = island_->problem.rows;
    whole_.rows.for_each_part(row, [&](const problem::RowPart& of) {
      rows.parts.push_back({of.part, place_[of.body]});
    });
    rows.close(whole_.rows.bias[row], whole_.rows.compliance[row], whole_.rows.lower[row],
               whole_.rows.upper[row]);
    island_->rows.push_back(row);
  }
  /// Lays out the central contacts; nothing can be added afterwards.
  void finish() {
    std::vector<problem::Resistance>& resistance = island_->problem.resistance;
    if (std::none_of(resistance.begin(), resistance.end(), problem::resists_more))
      resistance.clear();
    if (pairs_.empty()) return;
    RigidContact& own = island_->problem;
    std::vector<unsigned char> is_movable;
    for (const problem::BodyVelocity& body : own.bodies)
      is_movable.push_back(body.inverse_mass > 0 ? 1 : 0);
    schedule_.build(pairs_, own.place, is_movable, own.central.is_late);
    own.lay_out_central(schedule_, pairs_, friction_);
    for (std::size_t c = 0; c < pairs_.size(); ++c)
      copy_lane(whole_.central.slot[island_->contacts[c]], own.central.slot[c], own);
  }

 private:
  void add_body(Index body) {
    RigidContact& problem = island_->problem;
    place_[body] = static_cast<std::uint32_t>(problem.bodies.size());
    problem.bodies.push_back(whole_.bodies[body]);
    problem.length.push_back(whole_.length[body]);
    problem.place.push_back(whole_.place.empty() ? Vec3::Zero() : whole_.place[body]);
    if (!whole_.inverse_inertia.empty())
      problem.inverse_inertia.push_back(whole_.inverse_inertia[body]);
    island_->bodies.push_back(body);
  }
  /// What of a central contact is not of its bodies.
  void copy_lane(std::uint32_t from, std::uint32_t to, RigidContact& own) const {
    const problem::CentralBatch& old = whole_.central.batches[from / kLanes];
    problem::CentralBatch& batch = own.central.batches[to / kLanes];
    const std::uint32_t k = from % kLanes, l = to % kLanes;
    for (int i = 0; i < 3; ++i) batch.arm[i][l] = old.arm[i][k];
    batch.inverse_arm2[l] = old.inverse_arm2[k];
    batch.bias[l] = old.bias[k];
    batch.inverse_tangential[l] = old.inverse_tangential[k];
  }

  const RigidContact& whole_;
  Island* island_ = nullptr;
  std::vector<std::uint32_t> place_;  // of every body of the whole in its last island
  std::vector<problem::ScheduledPair> pairs_;
  std::vector<Real> friction_;
  problem::ContactSchedule schedule_;
};

/// Lists of numbers by islands, each rising.
std::vector<std::vector<Index>> by_island(const std::vector<Index>& island, Index count) {
  std::vector<std::vector<Index>> lists(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < island.size(); ++i)
    if (island[i] != kNone) lists[island[i]].push_back(static_cast<Index>(i));
  return lists;
}

}  // namespace

std::vector<Island> islands(const RigidContact& problem) {
  DisjointSets joined(static_cast<Index>(problem.bodies.size()));
  /// A movable body of what is joined, kNone if there is none.
  const auto join = [&](auto&& for_each_body_of) {
    Index first = kNone;
    for_each_body_of([&](std::uint32_t body) {
      if (!(problem.bodies[body].inverse_mass > 0)) return;
      if (first == kNone)
        first = body;
      else
        joined.join(first, body);
    });
    return first;
  };
  std::vector<Index> of_row, of_contact;
  for (Index j = 0; j < problem.rows.size(); ++j)
    of_row.push_back(join([&](const auto& f) {
      problem.rows.for_each_part(j, [&](const problem::RowPart& of) { f(of.body); });
    }));
  for (Index c = 0; c < problem.contact_count(); ++c)
    of_contact.push_back(join([&](const auto& f) { for_each_body(problem, c, f); }));

  std::vector<Index> number_of(problem.bodies.size(), kNone);  // by the root of a set
  Index count = 0;
  const auto name = [&](Index& of) {
    if (of == kNone) return;
    Index& number = number_of[joined.root(of)];
    if (number == kNone) number = count++;
    of = number;
  };
  std::for_each(of_row.begin(), of_row.end(), name);
  std::for_each(of_contact.begin(), of_contact.end(), name);
  if (std::find(of_contact.begin(), of_contact.end(), kNone) != of_contact.end()) {
    std::replace(of_contact.begin(), of_contact.end(), kNone, count);
    ++count;
  }

  const auto rows = by_island(of_row, count), contacts = by_island(of_contact, count);
  std::vector<Island> parts(static_cast<std::size_t>(count));
  Copy copy(problem);
  std::vector<Index> bodies;
  for (Index i = 0; i < count; ++i) {
    bodies.clear();
    const auto note = [&](std::uint32_t body) { bodies.push_back(body); };
    for (const Index c : contacts[i]) for_each_body(problem, c, note);
    for (const Index j : rows[i])
      problem.rows.for_each_part(j, [&](const problem::RowPart& of) { note(of.body); });
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    copy.start(bodies, parts[i]);
    for (const Index c : contacts[i]) copy.add_contact(c);
    for (const Index j : rows[i]) copy.add_row(j);
    copy.finish();
  }
  return parts;
}

problem::ContactImpulses impulses_of(const Island& island, const RigidContact& problem,
                                     const problem::ContactImpulses& whole) {
  if (whole.empty() && whole.row.empty()) return {};
  problem::ContactImpulses own = problem::zero_impulses(island.problem);
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
  return own;
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
