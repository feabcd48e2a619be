#include <algorithm>
#include <cmath>

#include <talus/laws/tolerances.hpp>
#include <talus/stepping/event_driven/engine.hpp>
#include <talus/stepping/event_driven/event_context.hpp>

// What happens where a law of time jumps in its rate: at a kink of a prescribed motion or of a
// drive, or by a command.

namespace talus::stepping::event_driven {

/// J v of a row, and what of it is rounding.
struct RowRate {
  Real value = 0, rest = 0;
};

/// Rates at the present point of all that is held or touches: of constraints, of gaps, and slip
/// velocities.
void Engine::list_rates(std::vector<RowRate>& rates) const {
  rates.clear();
  const dynamics::ConstraintTerms& constraints = phase_.constraints();
  for (std::size_t k = 0; k < constraints.rows.size(); ++k)
    rates.push_back({constraints.rate[static_cast<Index>(k)], rest_speed(constraints.rows[k])});
  const Real touching = tolerance::kNoGap * length_scale();
  dynamics::ContactTerms terms;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (!model::is_rigid(machine_.law(i).normal) ||
        (phase_.modes().normal[i] != laws::NormalMode::closed && machine_.gap(i, x_.q) > touching))
      continue;
    machine_.contact(i, x_.q, x_.v, terms);
    rates.push_back({terms.gap_rate, rest_speed(terms.normal)});
  }
  for (Index e = 0; e < static_cast<Index>(elements_.list.size()); ++e)
    if (phase_.modes().friction[e] != laws::FrictionMode::none)
      rates.push_back({phase_.slip(e), rest_speed(phase_.row(e))});
}

/// From just before a kink to it. Prescribed velocities are those after it there; where these move
/// what is held, velocities jump too.
void Engine::pass_kink(Real kink, Real end, Outcome& outcome) {
  const VecX v_before = x_.v;
  const Real energy_before = energy();
  std::vector<RowRate> before, after;
  list_rates(before);
  time_ = kink;
  refresh();
  integrator_->restart();
  list_rates(after);
  const bool has_jumped =
      !std::equal(before.begin(), before.end(), after.begin(), after.end(),
                  [](const RowRate& a, const RowRate& b) {
                    return std::abs(b.value - a.value) <= std::max(a.rest, b.rest);
                  });
  if (has_jumped) take_given_rates();
  if (has_jumped || time_ < end) {
    Event& event = add_event(EventKind::kink, -1);
    event.v_before = v_before;
    event.energy_before = energy_before;
  }
  if (has_jumped) resolve_jump(outcome);
}

/// At the start of an advance: whether a command has let a drive or a target jump.
void Engine::see_commands(Outcome& outcome) {
  const dynamics::ConstraintTerms& constraints = phase_.constraints();
  // Under Baumgarte's stabilisation the rates of constraints drift, which is no jump.
  const bool is_exact = options_.stabilisation == "projection";
  bool has_jumped = false;
  for (std::size_t k = 0; is_exact && k < constraints.rows.size(); ++k)
    has_jumped = has_jumped || std::abs(constraints.rate[static_cast<Index>(k)]) >
                                   rest_speed(constraints.rows[k]);
  const bool drives_jump = has_jumped;
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Index e = elements_.joint(j);
    has_jumped = has_jumped || (!elements_.list[e].is_pressed && is_overtaken(e));
  }
  if (drives_jump) take_given_rates();
  if (has_jumped) resolve_jump(outcome);
}

/// Whether a friction holds what is no longer at rest, or resists the other way.
bool Engine::is_overtaken(Index e) const {
  const laws::FrictionMode mode = phase_.modes().friction[e];
  const Real s = sign_of(mode);
  if (mode != laws::FrictionMode::stick && s == 0) return false;
  const Real slip = phase_.slip(e), rest = rest_speed(phase_.row(e));
  return s == 0 ? std::abs(slip) > rest : s * slip < -rest;
}

/// Velocities of what constraints hold, drives with their rates among them, by the impulses of
/// the constraints alone: contacts answer to the velocities that these lead to.
void Engine::take_given_rates() {
  projection_.apply_to_velocity(time_, no_contact(), x_);
  refresh();
}

/// After a jump of given velocities: impacts where contacts approach now, those that part open, and
/// frictions, which no longer hold what they held, begin anew.
void Engine::resolve_jump(Outcome& outcome) {
  repeated_ = 0;
  last_event_ = time_;
  EventContext now = event_context();
  sort_fired(now);
  std::fill(now.query.modes.friction.begin(), now.query.modes.friction.end(),
            laws::FrictionMode::none);
  resolve(now, outcome);
}

}  // namespace talus::stepping::event_driven
