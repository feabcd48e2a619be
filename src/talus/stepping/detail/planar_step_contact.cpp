#include <talus/stepping/detail/planar_step_contact.hpp>

#include <algorithm>

#include <talus/stepping/detail/planar_look_ahead.hpp>

namespace talus::stepping::detail {

PlanarTurn step_contact(const dynamics::System& machine, Index contact, const StepPlace& place,
                        dynamics::ContactTerms& terms) {
  constexpr Real kSameSide =
      0.9;  // cosine of the angle that a normal turns in half a step, at most
  if (place.late != nullptr && place.late->has(contact)) {
    place.late->contact(machine, contact, place.q, place.v, place.h, place.theta, terms);
    return {};
  }
  const bool is_carried = place.is_midpoint && model::is_rigid(machine.law(contact).normal);
  machine.contact(contact, is_carried ? place.q : place.middle, place.v, terms);
  if (place.is_midpoint && !is_carried) return {};
  if (look_ahead(machine, contact, place.q, place.v, place.h, place.theta, terms) || !is_carried)
    return {};
  const auto predicted = [&](Real rate) { return terms.gap + (1 - place.theta) * place.h * rate; };
  dynamics::ContactTerms there;
  machine.contact(contact, place.middle, place.v, there);
  if (there.direction.dot(terms.direction) < kSameSide) {
    terms.gap = predicted(terms.gap_rate);
    return {};
  }
  if (place.unturned != nullptr && place.unturned->contains(contact)) {
    there.gap = predicted(there.gap_rate);
    terms = there;
    return {};
  }
  const PlanarTurn turn{there.gap_rate - terms.gap_rate, there.slip - terms.slip};
  there.gap = predicted(terms.gap_rate);
  there.gap_rate = terms.gap_rate;
  there.slip = terms.slip;
  terms = there;
  return turn;
}

GapLaw::GapLaw(const dynamics::BiasLaw& of, bool is_midpoint, const dynamics::ContactTerms& terms,
               const PlanarTurn& turn, const VecX& free)
    : law(of),
      gap(terms.gap - (1 - of.theta) * of.step_size * terms.gap_rate),
      approach(terms.gap_rate),
      free_approach(turn.normal + terms.normal.times(free)) {
  if (is_midpoint) gap = std::max(gap, Real(0));
}

laws::StepNormal step_normal(const model::InterfaceLaw& surface,
                             const dynamics::ContactTerms& terms, const GapLaw& gaps, Real begun) {
  const Real rate = terms.gap_rate;
  laws::StepNormal normal;
  normal.law = &surface.normal;
  normal.restitution = surface.impact.restitution;
  normal.before = rate;
  normal.penetration = -terms.gap - (2 * gaps.law.theta - 1) * gaps.law.step_size * rate;
  normal.impact_rate = begun > 0 ? begun : std::max(-rate, Real(0));
  if (model::is_rigid(surface.normal)) normal.shift = gaps.bias(surface.impact.restitution);
  return normal;
}

}  // namespace talus::stepping::detail
