#pragma once

#include <unordered_map>
#include <vector>

#include <talus/dynamics/planar_narrow_phase.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping::detail {

/// Contact i of a machine with what it bore in a step, as schemes report it.
/// @param terms of the contact where it is reported. @param normal, tangential impulses [N s]:
/// along the normal and the slip's direction; in space the normal one alone acts.
[[nodiscard]] inline StepContact planar_contact(const dynamics::System& machine, Index i,
                                                const dynamics::ContactTerms& terms, Real normal,
                                                Real tangential) {
  const auto [body_a, body_b] = machine.bodies_of(i);
  const Vec2 n = terms.direction.head<2>();
  const Vec2 total = normal * n - tangential * dynamics::perp(n);
  StepContact contact;
  contact.body_a = body_a;
  contact.body_b = body_b;
  contact.position = terms.position;
  contact.normal = terms.direction;
  contact.gap = terms.gap;
  contact.impulse << total, 0;
  if (machine.mass().is_spatial()) contact.impulse = normal * terms.direction;
  contact.feature = static_cast<geometry::FeatureId>(i);
  contact.friction = machine.law(i).friction.coefficient;
  return contact;
}

/// What contacts of a list bore along the normal and the slip's direction [N s], by contact of the
/// machine.
[[nodiscard]] inline std::unordered_map<Index, Vec2> borne_by(
    const std::vector<StepContact>& contacts) {
  std::unordered_map<Index, Vec2> borne;
  for (const StepContact& contact : contacts) {
    const Vec2 normal = contact.normal.head<2>(), impulse = contact.impulse.head<2>();
    borne.emplace(static_cast<Index>(contact.feature),
                  Vec2(impulse.dot(normal), -impulse.dot(dynamics::perp(normal))));
  }
  return borne;
}

/// The place of contact i of a machine in a list; where it is missing it is added, with no impulse.
[[nodiscard]] inline Index place_in(std::vector<StepContact>& contacts,
                                    const dynamics::System& machine, Index i, const VecX& q,
                                    const VecX& v) {
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (static_cast<Index>(contacts[k].feature) == i) return static_cast<Index>(k);
  dynamics::ContactTerms terms;
  machine.contact(i, q, v, terms);
  contacts.push_back(planar_contact(machine, i, terms, 0, 0));
  return static_cast<Index>(contacts.size()) - 1;
}

}  // namespace talus::stepping::detail
