#include <talus/stepping/event_driven/event_functions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/laws/tolerances.hpp>

namespace talus::stepping::event_driven {

using dynamics::ContactTerms;
using dynamics::JacobianRow;
using Kind = EventFunction::Kind;

namespace {

constexpr Real kThinnest = 1e-100;  // a penetration at which signs are taken, in any unit

bool can_pull(const model::NormalLaw& law) {
  return std::holds_alternative<model::DampedNormal>(law) ||
         std::holds_alternative<model::ViscousNormal>(law);
}

}  // namespace

/// All laws are affine in the rate: what the law gives at −|δ̇| before it is kept from pulling
/// follows from rest and +|δ̇|.
Real pressing_sign(const model::NormalLaw& law, Real penetration, Real rate, Real impact_rate) {
  const Real at = std::max(penetration, kThinnest);
  const Real rest = model::normal_force(law, at, 0, impact_rate);
  if (rate >= 0) return model::normal_force(law, at, rate, impact_rate) / at;
  return (2 * rest - model::normal_force(law, at, -rate, impact_rate)) / at;
}

void EventFunctions::set_modes(const laws::Modes& modes) {
  list_.clear();
  open_.resize(static_cast<std::size_t>(elements_.contact_count));
  depth_.assign(static_cast<std::size_t>(elements_.contact_count), 0);
  bool can_be_ambiguous = false;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    switch (modes.normal[i]) {
      case laws::NormalMode::open:
        list_.push_back({Kind::gap_closes, i});
        break;
      case laws::NormalMode::closed:
        list_.push_back({Kind::normal_ends, i});
        if (machine_.is_sharp(i)) list_.push_back({Kind::side_ends, i});
        if (sign_of(modes.friction[elements_.tangent(i)]) != 0) can_be_ambiguous = true;
        break;
      case laws::NormalMode::pressing:
        list_.push_back({Kind::gap_opens, i});
        if (can_pull(machine_.law(i).normal)) list_.push_back({Kind::force_ends, i});
        break;
      case laws::NormalMode::released:
        list_.push_back({Kind::gap_opens, i});
        list_.push_back({Kind::force_returns, i});
        break;
    }
  }
  const auto count = static_cast<Index>(elements_.list.size());
  for (Index e = 0; e < count; ++e) {
    if (modes.friction[e] == laws::FrictionMode::stick) list_.push_back({Kind::stick_ends, e});
    if (sign_of(modes.friction[e]) != 0) list_.push_back({Kind::slip_ends, e});
  }
  if (can_be_ambiguous) list_.push_back({Kind::painleve_indicator, 0});
  sign_.assign(static_cast<std::size_t>(machine_.kink_count()), 0);
  for (Index i = 0; i < machine_.kink_count(); ++i) list_.push_back({Kind::force_turns, i});
}

void EventFunctions::begin(const Point& x, const Phase& phase, std::vector<EventValue>& samples) {
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const auto [kind, i] = list_[k];
    if (kind == Kind::force_turns) {
      const Real number = machine_.kink(i, phase.time(), x.q, x.v);
      const bool is_at_zero = std::abs(number) <= noise_.force * phase.force_scale();
      sign_[i] = is_at_zero ? 0 : number < 0 ? -1 : 1;
      samples[k].value = is_at_zero ? 1 : std::abs(number);
    }
    if (kind != Kind::gap_closes || !samples[k].has_rate) continue;
    Real& gap = samples[k].value;
    const JacobianRow& row = open_[i].normal;
    const Real rest = noise_.rest_speed * std::sqrt(inverse_effective_mass(row, machine_.mass()));
    const bool is_resting = std::abs(gap) <= noise_.rest_gap && std::abs(samples[k].rate) <= rest;
    const Real least = is_resting ? noise_.rest_gap : 0;
    if (!is_resting && (gap >= 0 || !(samples[k].rate > 0))) continue;
    depth_[i] += least - gap;
    gap = least;
  }
}

EventValue EventFunctions::gap_sample(Index i, const Point& x) {
  machine_.contact(i, x.q, x.v, open_[i]);
  // At a vertex–vertex contact the normal is undefined: the sides beside them touch.
  if (open_[i].distance_to_edge_end < 0)
    return {std::abs(open_[i].gap) + std::numeric_limits<Real>::min(), 0, false};
  return {open_[i].gap + depth_[i] + noise_.gap, open_[i].gap_rate, true};
}

void EventFunctions::observe(const Point& x, const Rate& rate, const Phase& phase,
                             std::vector<EventValue>& samples) {
  samples.resize(list_.size());
  const laws::Modes& modes = phase.modes();
  const Forces& forces = phase.forces();
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const Kind kind = list_[k].kind;
    const Index i = list_[k].index;
    EventValue& sample = samples[k];
    sample = {};
    const auto compliant = [&](const ContactTerms& terms) {
      return pressing_sign(machine_.law(i).normal, -terms.gap, -terms.gap_rate,
                           modes.impact_rate[i]);
    };
    switch (kind) {
      case Kind::gap_closes:
        sample = gap_sample(i, x);
        break;
      case Kind::gap_opens: {
        if (modes.normal[i] == laws::NormalMode::released) machine_.contact(i, x.q, x.v, open_[i]);
        const ContactTerms& terms =
            modes.normal[i] == laws::NormalMode::released ? open_[i] : phase.contact(i);
        sample = {-terms.gap, -terms.gap_rate, true};
        break;
      }
      case Kind::force_ends:
        sample.value = compliant(phase.contact(i));
        break;
      case Kind::force_returns:  // after gap_opens of the same contact
        sample.value = -compliant(open_[i]);
        break;
      case Kind::normal_ends:
        sample.value = forces.normal[i] + noise_.force * phase.force_scale();
        break;
      case Kind::slip_ends: {
        const Real s = sign_of(modes.friction[i]);
        const Real own = inverse_effective_mass(phase.row(i), machine_.mass());
        sample = {s * phase.slip(i) + noise_.speed * std::sqrt(own),
                  s * (phase.row(i).times(rate.a) + phase.drift(i)), true};
        break;
      }
      case Kind::stick_ends: {
        const laws::FrictionElement& element = elements_.list[i];
        const bool is_joint = element.kind == laws::FrictionElement::Kind::joint;
        const Real normal =
            is_joint ? forces.joint_normal[element.index] : forces.normal[element.index];
        sample.value = element.static_friction * normal - std::abs(forces.friction[i]) +
                       noise_.force * phase.force_scale();
        break;
      }
      case Kind::side_ends:
        sample.value = phase.contact(i).distance_to_edge_end;
        break;
      case Kind::force_turns:
        sample.value = sign_[i] == 0 ? 1 : sign_[i] * machine_.kink(i, phase.time(), x.q, x.v);
        break;
      case Kind::painleve_indicator:
        sample.value = phase.painleve_indicator() - tolerance::kIndicatorNoise;
        break;
    }
  }
}

}  // namespace talus::stepping::event_driven
