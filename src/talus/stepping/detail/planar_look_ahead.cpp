#include <talus/stepping/detail/planar_look_ahead.hpp>

#include <algorithm>
#include <cmath>

#include <talus/stepping/detail/planar_late_contacts.hpp>
#include <talus/stepping/tolerances.hpp>

namespace talus::stepping::detail {

bool look_ahead(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v,
                Real h, Real theta, dynamics::ContactTerms& terms) {
  const auto [a, b] = machine.bodies_of(contact);
  const Real tolerance = tolerance::kSlightOverlap * std::min(machine.size(a), machine.size(b));
  const Real approach = -h * terms.gap_rate;
  if (machine.is_joint_contact(contact) || !std::isfinite(tolerance) || terms.gap < -tolerance ||
      approach <= tolerance::kNoWay * tolerance || approach <= terms.gap)
    return false;
  dynamics::ContactTerms ahead;
  for (const Real share : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    machine.contact(contact, q + share * h * v, v, ahead);
    const Real gap_now = ahead.gap - share * h * ahead.gap_rate;
    if (ahead.gap < -tolerance || gap_now < -tolerance) return false;
    // Where they overlap a little, the normal may be that of a side or corner which is being
    // passed: then they lie on a side farther ahead, and go along it.
    const bool is_along = !ahead.is_corner && -h * ahead.gap_rate <= tolerance::kNoWay * tolerance;
    if (!is_along && (share > 1 || ahead.gap < 0)) continue;
    // It may have turned with one of the two, as the normal of its side does.
    const auto is_turned_with = [&](Index body) {
      const Mat2 turn = dynamics::turned(share * h * v[3 * body + 2]);
      return (ahead.direction.head<2>() - turn * terms.direction.head<2>()).norm() <=
             tolerance::kSameDirection;
    };
    if (is_turned_with(a) || is_turned_with(b)) return false;
    terms = ahead;
    terms.gap = gap_now + (1 - theta) * h * ahead.gap_rate;
    return true;
  }
  return false;
}

std::vector<Index> contacts_in_reach(const dynamics::System& machine, const VecX& q, const VecX& v,
                                     const VecX& place, const VecX& free, Real h) {
  VecX travel(machine.body_count());  // how far no point of a body gets [m]
  for (Index i = 0; i < machine.body_count(); ++i) {
    const Real spin = std::abs(v[3 * i + 2]) + std::abs(free[3 * i + 2]);
    travel[i] = h * (v.segment<2>(3 * i).norm() + free.segment<2>(3 * i).norm() +
                     (spin > 0 ? machine.reach(i) * spin : 0));
  }
  std::vector<Index> near, contacts;
  machine.near_pairs(place, travel, near);
  std::vector<bool> is_met;
  find_met(machine, q, q + h * free, near, is_met);
  machine.near_contacts(place, travel, near);
  dynamics::ContactTerms terms;
  for (const Index i : near) {
    const auto [a, b] = machine.bodies_of(i);
    if (machine.gap_bound(i, place) > travel[a] + travel[b]) continue;
    const Real gap = std::min(machine.gap(i, q), machine.gap(i, place));
    if (gap > 0) {
      if (!is_met[static_cast<std::size_t>(i)]) continue;
      machine.contact(i, place, v, terms);
      if (gap > h * (std::abs(terms.gap_rate) + std::abs(terms.normal.times(free)))) continue;
    }
    contacts.push_back(i);
  }
  return contacts;
}

}  // namespace talus::stepping::detail
