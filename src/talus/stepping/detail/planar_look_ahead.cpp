#include <talus/stepping/detail/planar_look_ahead.hpp>

#include <algorithm>
#include <cmath>

#include <talus/dynamics/planar_meeting.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>

namespace talus::stepping::detail {

Real look_ahead(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v,
                Real h, Real theta, dynamics::ContactTerms& terms) {
  const auto [a, b] = machine.bodies_of(contact);
  const Real tolerance = tolerance::kSlightOverlap * std::min(machine.size(a), machine.size(b));
  const Real approach = -h * terms.gap_rate;
  if (!machine.is_of_shapes(contact) || !std::isfinite(tolerance) || terms.gap < -tolerance ||
      approach <= tolerance::kNoWay * tolerance || approach <= terms.gap)
    return 0;
  dynamics::ContactTerms ahead;
  VecX& at = dynamics::place_of_two(q.size());
  for (const Real along : {tolerance::kNoWay, tolerance::kAlongWay})
    for (const Real share : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      for (const Index body : {a, b})
        at.segment<3>(3 * body) = q.segment<3>(3 * body) + share * h * v.segment<3>(3 * body);
      machine.contact(contact, at, v, ahead);
      const Real gap_now = ahead.gap - share * h * ahead.gap_rate;
      if (ahead.gap < -tolerance || gap_now < -tolerance) break;
      // Where they overlap a little, the normal may be that of a side or corner which is being
      // passed: then they lie on a side farther ahead, and go along it.
      const bool is_along = !ahead.is_corner && -h * ahead.gap_rate <= along * tolerance;
      if (!is_along && (share > 1 || ahead.gap < 0)) continue;
      // It may have turned with one of the two, as the normal of its side does.
      const auto is_turned_with = [&](Index body) {
        const Mat2 turn = dynamics::rotation2d(share * h * v[3 * body + 2]);
        return (ahead.direction.head<2>() - turn * terms.direction.head<2>()).norm() <=
               tolerance::kSameDirection;
      };
      if (is_turned_with(a) || is_turned_with(b)) return 0;
      terms = ahead;
      terms.gap = gap_now + (1 - theta) * h * ahead.gap_rate;
      return share;
    }
  return 0;
}

std::vector<Index> contacts_in_reach(const dynamics::System& machine, const VecX& q, const VecX& v,
                                     const VecX& place, const VecX& free, Real h) {
  VecX travel(machine.body_count());  // how far no point of a body gets [m]
  travel.setZero();
  for (Index i = 0; machine.shape_contact_count() > 0 && i < machine.body_count(); ++i) {
    const Real spin = std::abs(v[3 * i + 2]) + std::abs(free[3 * i + 2]);
    travel[i] = h * (v.segment<2>(3 * i).norm() + free.segment<2>(3 * i).norm() +
                     (spin > 0 ? machine.bounding_radius(i) * spin : 0));
  }
  std::vector<dynamics::ShapePair> near;
  machine.near_pairs(place, travel, near);
  const VecX end = q + h * free;
  std::vector<Index> contacts;
  dynamics::ContactTerms terms;
  const auto take = [&](Index i, bool may_close) {
    const auto [a, b] = machine.bodies_of(i);
    if (machine.gap_bound(i, place) > travel[a] + travel[b]) return;
    const Real gap = std::min(machine.gap(i, q), machine.gap(i, place));
    if (gap > 0) {
      if (!may_close) return;
      machine.contact(i, place, v, terms);
      if (gap > h * (std::abs(terms.gap_rate) + std::abs(terms.normal.times(free)))) return;
    }
    contacts.push_back(i);
  };
  for (const dynamics::ShapePair& pair : near) {
    const bool may_close = !stay_apart(machine, pair, q, end);
    for (Index i = pair.first; i < pair.first + pair.count; ++i) take(i, may_close);
  }
  for (Index i = machine.shape_contact_count(); i < machine.contact_count(); ++i) take(i, true);
  return contacts;
}

}  // namespace talus::stepping::detail
