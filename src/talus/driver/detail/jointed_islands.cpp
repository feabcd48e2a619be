#include <talus/driver/detail/jointed_islands.hpp>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>

namespace talus::driver::detail {
namespace {

using problem::RigidContact;

/// Copies pieces of a problem into an island.
class Copy {
 public:
  Copy(const RigidContact& whole, Island& island)
      : whole_(whole), island_(island), place_(whole.bodies.size(), -1) {
    island.problem.law = whole.law;
    island.problem.directions = whole.directions;
    island.problem.force_speed = whole.force_speed;
  }

  void add_contact(Index contact) {
    problem::GeneralContact own = whole_.general[contact];
    own.body_a = body(own.body_a);
    own.body_b = body(own.body_b);
    island_.problem.general.push_back(own);
    if (!whole_.resistance.empty())
      island_.problem.resistance.push_back(whole_.resistance[contact]);
    island_.contacts.push_back(contact);
  }
  void add_row(Index row) {
    problem::BoundedRows& rows = island_.problem.rows;
    whole_.rows.for_each_part(row, [&](const problem::RowPart& of) {
      rows.parts.push_back({of.part, body(of.body)});
    });
    rows.close(whole_.rows.bias[row], whole_.rows.compliance[row], whole_.rows.lower[row],
               whole_.rows.upper[row]);
    island_.rows.push_back(row);
  }

 private:
  std::uint32_t body(std::uint32_t of_whole) {
    Index& place = place_[of_whole];
    if (place < 0) {
      RigidContact& problem = island_.problem;
      place = static_cast<Index>(problem.bodies.size());
      problem.bodies.push_back(whole_.bodies[of_whole]);
      problem.inverse_inertia.push_back(whole_.inverse_inertia[of_whole]);
      problem.length.push_back(whole_.length[of_whole]);
      if (!whole_.place.empty()) problem.place.push_back(whole_.place[of_whole]);
      island_.bodies.push_back(of_whole);
    }
    return static_cast<std::uint32_t>(place);
  }

  const RigidContact& whole_;
  Island& island_;
  std::vector<Index> place_;  // in the island, of every body of the whole
};

}  // namespace

std::vector<Island> jointed_islands(const RigidContact& problem) {
  TALUS_DEMAND(problem.central.size() == 0 && !problem.rows.empty());
  const auto bodies = static_cast<Index>(problem.bodies.size());
  const auto is_movable = [&](std::uint32_t body) { return problem.bodies[body].inverse_mass > 0; };
  DisjointSets joined(bodies);
  constexpr Index kNone = -1;
  /// A movable body of what is joined, kNone if there is none.
  const auto join = [&](auto&& for_each_body) {
    Index first = kNone;
    for_each_body([&](std::uint32_t body) {
      if (!is_movable(body)) return;
      if (first == kNone)
        first = body;
      else
        joined.join(static_cast<std::uint32_t>(first), body);
    });
    return first;
  };
  std::vector<Index> of_row, of_contact;
  for (Index j = 0; j < problem.rows.size(); ++j)
    of_row.push_back(join([&](auto&& f) {
      problem.rows.for_each_part(j, [&](const problem::RowPart& of) { f(of.body); });
    }));
  for (const problem::GeneralContact& contact : problem.general)
    of_contact.push_back(join([&](auto&& f) {
      f(contact.body_a);
      f(contact.body_b);
    }));

  std::vector<Index> island_of(static_cast<std::size_t>(bodies), kNone);  // of the root of a set
  Index count = 0;
  for (const Index body : of_row)
    if (body != kNone)
      if (Index& own = island_of[joined.root(static_cast<std::uint32_t>(body))]; own == kNone)
        own = count++;
  std::vector<Island> islands(static_cast<std::size_t>(count) + 1);
  std::vector<Copy> copies;
  copies.reserve(islands.size());
  for (Island& island : islands) copies.emplace_back(problem, island);
  const auto copy_of = [&](Index body) -> Copy& {
    const Index own =
        body == kNone ? kNone : island_of[joined.root(static_cast<std::uint32_t>(body))];
    return copies[static_cast<std::size_t>(own == kNone ? count : own)];
  };
  for (std::size_t c = 0; c < of_contact.size(); ++c)
    copy_of(of_contact[c]).add_contact(static_cast<Index>(c));
  for (std::size_t j = 0; j < of_row.size(); ++j)
    if (of_row[j] != kNone) copy_of(of_row[j]).add_row(static_cast<Index>(j));
  return islands;
}

problem::ContactImpulses impulses_of(const Island& island, const problem::ContactImpulses& whole) {
  problem::ContactImpulses own;
  if (!whole.general.empty())
    for (const Index c : island.contacts) own.general.push_back(whole.general[c]);
  if (!whole.moment.empty())
    for (const Index c : island.contacts) own.moment.push_back(whole.moment[c]);
  if (!whole.row.empty())
    for (const Index j : island.rows) own.row.push_back(whole.row[j]);
  return own;
}

void put_impulses(const Island& island, const problem::ContactImpulses& impulse,
                  problem::ContactImpulses& whole) {
  for (std::size_t i = 0; i < island.contacts.size(); ++i) {
    whole.general[island.contacts[i]] = impulse.general[i];
    if (!whole.moment.empty()) whole.moment[island.contacts[i]] = impulse.moment[i];
  }
  for (std::size_t i = 0; i < island.rows.size(); ++i) whole.row[island.rows[i]] = impulse.row[i];
}

}  // namespace talus::driver::detail
