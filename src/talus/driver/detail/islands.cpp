#include <talus/driver/detail/islands.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/parallel/radix_sort.hpp>
#include <talus/problem/resists_more.hpp>

namespace talus::driver::detail {
namespace {

using problem::kLanes;
using problem::RigidContact;

constexpr Index kItemsPerPiece = 4096;

/// The two bodies of a contact.
problem::ScheduledPair bodies_of(const RigidContact& problem, Index contact) {
  if (const Index general = contact - problem.central.size(); general >= 0)
    return {problem.general[general].body_a, problem.general[general].body_b};
  const std::uint32_t slot = problem.central.slot[contact];
  const problem::CentralBatch& batch = problem.central.batches[slot / kLanes];
  return {batch.body_a[slot % kLanes], batch.body_b[slot % kLanes]};
}

/// Where the bodies are for the schedules of central contacts; may be empty.
const std::vector<Vec3>& place_of(const RigidContact& problem) {
  return problem.central.place.empty() ? problem.place : problem.central.place;
}

/// Whether two lists of the same length are the same to the last bit.
template <class T>
bool have_same_bytes(std::span<const T> one, std::span<const T> other) {
  const Index count = std::ssize(one);
  return parallel::all_of((count + kItemsPerPiece - 1) / kItemsPerPiece, 1, [&](Index piece) {
    const Index begin = piece * kItemsPerPiece, end = std::min(begin + kItemsPerPiece, count);
    return std::memcmp(one.data() + begin, other.data() + begin,
                       static_cast<std::size_t>(end - begin) * sizeof(T)) == 0;
  });
}

/// Calls f(member, its place in the list) for all of a list, on all threads.
template <class List, class F>
void for_members(const List& members, const F& f) {
  parallel::for_ranges(std::ssize(members), kItemsPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) f(members[i], i);
  });
}

/// All of a central contact but its bodies.
void copy_contact(std::span<const problem::CentralBatch> from_batches, std::uint32_t from_slot,
                  std::span<problem::CentralBatch> to_batches, std::uint32_t to_slot) {
  const problem::CentralBatch& from = from_batches[from_slot / kLanes];
  problem::CentralBatch& to = to_batches[to_slot / kLanes];
  const std::uint32_t k = from_slot % kLanes, l = to_slot % kLanes;
  for (int i = 0; i < 3; ++i) to.arm[i][l] = from.arm[i][k];
  to.inverse_arm2[l] = from.inverse_arm2[k];
  to.bias[l] = from.bias[k];
  to.friction[l] = from.friction[k];
  to.inverse_normal[l] = from.inverse_normal[k];
  to.inverse_tangential[l] = from.inverse_tangential[k];
}

void copy_impulse(std::span<const problem::ImpulseBatch> from_batches, std::uint32_t from_slot,
                  std::span<problem::ImpulseBatch> to_batches, std::uint32_t to_slot) {
  const problem::ImpulseBatch& from = from_batches[from_slot / kLanes];
  problem::ImpulseBatch& to = to_batches[to_slot / kLanes];
  for (int i = 0; i < 3; ++i) to.r[i][to_slot % kLanes] = from.r[i][from_slot % kLanes];
}

/// The contacts of an island that are not central, with their numbers in it.
std::span<const Index> general_of(const Island& island) {
  return std::span(island.contacts).subspan(island.lanes.size());
}

}  // namespace

template <class IslandOf>
void Islands::Lists::sort(Index islands, Index count, const IslandOf& island_of) {
  const auto take = [&](Index i, std::vector<Member>& piece) {
    if (const Index island = island_of(i); island >= 0)
      piece.push_back({static_cast<std::uint32_t>(island), static_cast<std::uint32_t>(i)});
  };
  parallel::concatenate(parallel::list_pieces(count, kItemsPerPiece, pieces_, take), members_);
  parallel::radix_sort_by(members_, scratch_, [](const Member& one) { return one.island; });
  const auto all = static_cast<Index>(members_.size());
  items_.resize(members_.size());
  first_.resize(static_cast<std::size_t>(islands + 1));
  parallel::for_ranges(all + 1, kItemsPerPiece, [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      // An island begins where those before it end.
      const Index from = k == 0 ? 0 : Index{members_[k - 1].island} + 1;
      const Index to = k == all ? islands : Index{members_[k].island};
      for (Index island = from; island <= to; ++island) first_[island] = k;
      if (k < all) items_[k] = members_[k].number;
    }
  });
}

void Islands::split(const RigidContact& problem, const certify::RigidContactCertifier& certify,
                    bool may_stay) {
  if (!are_as_before(problem, certify)) start(problem, certify);
  all_.clear();
  for (Index i = 0; i < certify.island_count(); ++i) {
    if (certify.is_idle(i)) continue;
    Island& island = islands_[i];
    island.number = i;
    island.size = std::ssize(contacts_.of(i));
    island.colours = may_stay && i == first_ ? first_colours_ : 0;
    all_.push_back(&island);
    if (island.colours > 0) {
      island.rows.clear();
      continue;
    }
    if (!island.is_laid_out || !rows_.of(i).empty()) lay_out(problem, i, island);
  }
  parallel::for_each(std::ssize(all_), [&](Index i) {
    if (all_[i]->colours == 0) copy_values(problem, *all_[i]);
  });
}

Index Islands::copy_rest(const RigidContact& problem) {
  const auto left = std::find_if(all_.begin(), all_.end(),
                                 [](const Island* island) { return island->colours > 0; });
  if (left == all_.end()) return -1;
  Island& island = **left;
  island.colours = 0;
  if (!island.is_laid_out) lay_out(problem, island.number, island);
  copy_values(problem, island);
  return left - all_.begin();
}

/// Whether all that layouts depend on is as it was.
bool Islands::are_as_before(const RigidContact& problem,
                            const certify::RigidContactCertifier& certify) const {
  const auto is_same = [](const auto& one, const auto& other) {
    return one.size() == other.size() && have_same_bytes(std::span(one), std::span(other));
  };
  return shape_ == certify.shape() && is_same(slot_, problem.central.slot) &&
         is_same(is_late_, problem.central.is_late) && is_same(position_, place_of(problem));
}

void Islands::start(const RigidContact& problem, const certify::RigidContactCertifier& certify) {
  const Index islands = certify.island_count(), contacts = problem.contact_count();
  shape_ = certify.shape();
  parallel::assign(std::span(problem.central.slot), slot_);
  parallel::assign(std::span(problem.central.is_late), is_late_);
  parallel::assign(std::span(place_of(problem)), position_);
  movable_.sort(islands, std::ssize(problem.bodies),
                [&](Index i) { return certify.island_of_body(i); });
  contacts_.sort(islands, contacts, [&](Index c) { return certify.island_of(c); });
  rows_.sort(islands, problem.rows.size(),
             [&](Index j) { return certify.island_of(contacts + j); });
  number_.resize(problem.bodies.size());
  if (std::ssize(islands_) < islands) islands_.resize(islands);
  for (Island& island : islands_) island.is_laid_out = false;
  find_first(problem, certify);
}

/// The island whose central contacts are those of the first colours, if there is one, and it is
/// large: what sweeps do with all bodies is wasted on those of others.
void Islands::find_first(const RigidContact& problem,
                         const certify::RigidContactCertifier& certify) {
  first_ = -1;
  if (slot_.empty() || !problem.general.empty() || !problem.rows.empty()) return;
  const std::vector<std::uint32_t>& island_of_slot = certify.shape()->of_slot();
  const Index island = island_of_slot.front();
  const Index size = std::ssize(contacts_.of(island));
  if (2 * size < std::max(problem.contact_count(), std::ssize(problem.bodies))) return;
  std::uint32_t last = 0, next = UINT32_MAX;  // slots of its contacts, of others
  for (const std::uint32_t slot : slot_) {
    if (Index{island_of_slot[slot]} == island)
      last = std::max(last, slot);
    else
      next = std::min(next, slot);
  }
  const std::vector<std::uint32_t>& colours = problem.central.colours;
  for (std::size_t c = 1; c < colours.size(); ++c) {
    const std::uint32_t end = problem.central.tiles[colours[c] - 1].end * kLanes;
    if (last >= end || end > next) continue;
    first_ = island;
    first_colours_ = static_cast<Index>(c);
  }
}

/// Who and what is in an island, and the schedule of its central contacts.
void Islands::lay_out(const RigidContact& whole, Index number, Island& island) {
  find_bodies(whole, number, island);
  RigidContact& own = island.problem;
  parallel::assign(contacts_.of(number), island.contacts);
  const auto central =
      std::lower_bound(island.contacts.begin(), island.contacts.end(), whole.central.size()) -
      island.contacts.begin();
  pairs_.resize(static_cast<std::size_t>(central));
  friction_.resize(pairs_.size());
  own.central.is_late.resize(is_late_.empty() ? 0 : pairs_.size());
  own.general.resize(island.contacts.size() - pairs_.size());
  for_members(island.contacts, [&](Index contact, Index k) {
    const auto [a, b] = bodies_of(whole, contact);
    if (k >= central) {
      own.general[k - central].body_a = number_[a];
      own.general[k - central].body_b = number_[b];
      return;
    }
    const std::uint32_t slot = slot_[contact];
    pairs_[k] = {number_[a], number_[b]};
    friction_[k] = whole.central.batches[slot / kLanes].friction[slot % kLanes];
    if (!is_late_.empty()) own.central.is_late[k] = is_late_[contact];
  });
  island.rows.assign(rows_.of(number).begin(), rows_.of(number).end());
  own.rows.clear();
  for (const Index j : island.rows) copy_row(whole, j, own);
  schedule_.build(pairs_, own.central.place, is_movable_, own.central.is_late);
  own.lay_out_central(schedule_, pairs_, friction_);
  island.lanes.resize(pairs_.size());
  for_members(own.central.slot, [&](std::uint32_t slot, Index k) {
    island.lanes[k] = {slot_[island.contacts[k]], slot};
  });
  parallel::radix_sort_by(island.lanes, lanes_scratch_,
                          [](const Island::Lane& lane) { return lane.own; });
  island.is_laid_out = true;
}

/// The movable bodies of an island and the others that it touches.
void Islands::find_bodies(const RigidContact& whole, Index number, Island& island) {
  const std::span<const Index> movable = movable_.of(number), contacts = contacts_.of(number);
  const auto note = [&](std::uint32_t body, std::vector<Index>& held) {
    if (!(whole.bodies[body].inverse_mass > 0) && (held.empty() || held.back() != body))
      held.push_back(body);
  };
  const auto note_both = [&](Index k, std::vector<Index>& held) {
    const auto [a, b] = bodies_of(whole, contacts[k]);
    note(a, held);
    note(b, held);
  };
  parallel::concatenate(
      parallel::list_pieces(std::ssize(contacts), kItemsPerPiece, piece_bodies_, note_both), held_);
  for (const Index j : rows_.of(number))
    whole.rows.for_each_part(j, [&](const problem::RowPart& of) { note(of.body, held_); });
  std::sort(held_.begin(), held_.end());
  held_.erase(std::unique(held_.begin(), held_.end()), held_.end());

  // Both lists rise, and so does that of both.
  std::vector<Index>& bodies = island.bodies;
  bodies.resize(movable.size() + held_.size());
  const auto before = [](std::span<const Index> list, Index body) -> Index {
    return std::lower_bound(list.begin(), list.end(), body) - list.begin();
  };
  for_members(movable, [&](Index body, Index k) { bodies[k + before(held_, body)] = body; });
  for_members(held_, [&](Index body, Index k) { bodies[k + before(movable, body)] = body; });

  RigidContact& own = island.problem;
  own.bodies.resize(bodies.size());
  own.central.place.resize(bodies.size());
  is_movable_.resize(bodies.size());
  for_members(bodies, [&](Index body, Index i) {
    number_[body] = static_cast<std::uint32_t>(i);
    own.bodies[i] = whole.bodies[body];
    own.central.place[i] = position_.empty() ? Vec3::Zero() : position_[body];
    is_movable_[i] = whole.bodies[body].inverse_mass > 0 ? 1 : 0;
  });
}

void Islands::copy_row(const RigidContact& whole, Index row, RigidContact& own) const {
  whole.rows.for_each_part(row, [&](const problem::RowPart& of) {
    own.rows.parts.push_back({of.part, number_[of.body]});
  });
  own.rows.close(whole.rows.bias[row], whole.rows.compliance[row], whole.rows.lower[row],
                 whole.rows.upper[row]);
}

/// The numbers of an island that is laid out.
void Islands::copy_values(const RigidContact& whole, Island& island) {
  RigidContact& own = island.problem;
  own.law = whole.law;
  own.directions = whole.directions;
  own.force_speed = whole.force_speed;
  const bool has_inertia = !whole.inverse_inertia.empty(), has_place = !whole.place.empty(),
             has_before = !whole.before.empty();
  own.length.resize(own.bodies.size());
  own.place.resize(has_place ? own.bodies.size() : 0);
  own.inverse_inertia.resize(has_inertia ? own.bodies.size() : 0);
  own.before.resize(has_before ? own.bodies.size() : 0);
  for_members(island.bodies, [&](Index body, Index i) {
    own.bodies[i] = whole.bodies[body];
    own.length[i] = whole.length[body];
    if (has_place) own.place[i] = whole.place[body];
    if (has_inertia) own.inverse_inertia[i] = whole.inverse_inertia[body];
    if (has_before) own.before[i] = whole.before[body];
  });
  for_members(island.lanes, [&](Island::Lane lane, Index) {
    copy_contact(whole.central.batches, lane.whole, own.central.batches, lane.own);
  });
  own.resistance.resize(whole.resistance.empty() ? 0 : own.general.size());
  for_members(general_of(island), [&](Index contact, Index k) {
    problem::GeneralContact& general = own.general[k];
    const auto [a, b] = std::pair(general.body_a, general.body_b);
    general = whole.general[contact - whole.central.size()];
    general.body_a = a;
    general.body_b = b;
    if (!own.resistance.empty())
      own.resistance[k] = whole.resistance[contact - whole.central.size()];
  });
  if (std::none_of(own.resistance.begin(), own.resistance.end(), problem::resists_more))
    own.resistance.clear();
}

void impulses_of(const Island& island, const RigidContact& problem,
                 const problem::ContactImpulses& whole, problem::ContactImpulses& own) {
  if (whole.empty() && whole.row.empty()) {
    own = {};
    return;
  }
  problem::set_zero(island.problem, own);
  if (!whole.empty()) {
    for_members(island.lanes, [&](Island::Lane lane, Index) {
      copy_impulse(whole.central, lane.whole, own.central, lane.own);
    });
    const Index central = problem.central.size();
    const bool has_moments = !own.moment.empty() && !whole.moment.empty();
    for_members(general_of(island), [&](Index c, Index i) {
      own.general[i] = whole.general[c - central];
      if (has_moments) own.moment[i] = whole.moment[c - central];
    });
  }
  if (!whole.row.empty())
    for (std::size_t i = 0; i < island.rows.size(); ++i) own.row[i] = whole.row[island.rows[i]];
}

void put_impulses(const Island& island, const problem::ContactImpulses& impulse,
                  const RigidContact& problem, problem::ContactImpulses& whole) {
  for_members(island.lanes, [&](Island::Lane lane, Index) {
    copy_impulse(impulse.central, lane.own, whole.central, lane.whole);
  });
  const Index central = problem.central.size();
  for_members(general_of(island), [&](Index c, Index i) {
    whole.general[c - central] = impulse.general[i];
    if (!impulse.moment.empty()) whole.moment[c - central] = impulse.moment[i];
  });
  for (std::size_t i = 0; i < island.rows.size(); ++i) whole.row[island.rows[i]] = impulse.row[i];
}

}  // namespace talus::driver::detail
