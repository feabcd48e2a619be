#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/laws/tolerances.hpp>
#include <talus/stepping/event_driven/engine.hpp>
#include <talus/stepping/event_driven/event_context.hpp>
#include <talus/stepping/event_driven/reduced_delassus.hpp>

// What happens at an event: impacts, then the accelerations' LCP, then a new phase.

namespace talus::stepping::event_driven {

using dynamics::ContactTerms;
using dynamics::JacobianRow;
using problem::SolveStatus;
using Kind = EventFunction::Kind;

namespace {

constexpr Index kMostRepeated = 60;   // events without time in between
constexpr Index kMostEvents = 10000;  // in one step
constexpr Real kTurnedOver = 1e6;     // of a speed at rest: no slip that has come to an end

}  // namespace

Real Engine::rest_speed(const JacobianRow& row) const {
  return tolerance::kNoSpeed * speed_scale() *
         std::sqrt(inverse_effective_mass(row, machine_.mass()));
}

Real Engine::speed_scale() const {
  return std::max(speed_scale_, phase_.applied_force_norm() * options_.step);
}

/// A speed that leads no farther than rounding of the gap against the forces about.
Real Engine::slow_speed(const JacobianRow& row) const {
  const Real acceleration =
      phase_.applied_force_norm() * std::sqrt(inverse_effective_mass(row, machine_.mass()));
  return std::max(rest_speed(row),
                  std::sqrt(2 * tolerance::kGapRounding * length_scale() * acceleration));
}

Real Engine::length_scale() const { return machine_.length_scale(x_.q); }

Event& Engine::add_event(EventKind kind, Index contact) {
  Event& event = events_.emplace_back();
  event.time = time_;
  event.kind = kind;
  event.contact = contact;
  event.q = x_.q;
  event.v_before = event.v_after = x_.v;
  event.energy_before = event.energy_after = energy();
  return event;
}

/// Reads the fired event functions (and what is due in the same instant) into the context.
void Engine::sort_fired(EventContext& now) {
  ModeQuery& query = now.query;
  for (const std::size_t k : fired_) {
    const auto [kind, i] = functions_.list()[k];
    switch (kind) {
      case Kind::gap_closes:
        if (model::is_rigid(machine_.law(i).normal)) {
          now.arrived[i] = true;
        } else {
          query.modes.normal[i] = laws::NormalMode::pressing;
          query.modes.impact_rate[i] = std::max(-samples_[k].rate, Real(0));
        }
        now.fresh[i] = true;
        break;
      case Kind::gap_opens:
        query.modes.normal[i] = laws::NormalMode::open;
        break;
      case Kind::force_ends:
        query.modes.normal[i] = laws::NormalMode::released;
        break;
      case Kind::force_returns:
        if (query.modes.normal[i] == laws::NormalMode::released)
          query.modes.normal[i] = laws::NormalMode::pressing;
        now.fresh[i] = true;
        break;
      case Kind::normal_ends:
        query.vanished[i] = true;
        break;
      case Kind::side_ends:
        query.modes.normal[i] = laws::NormalMode::open;
        break;
      case Kind::slip_ends:
        now.ended[i] = true;
        break;
      case Kind::stick_ends:
        query.saturated[i] = phase_.forces().friction[i] > 0 ? -1 : 1;
        break;
      case Kind::painleve_indicator:
        now.is_painleve = true;
        break;
      case Kind::force_turns:
        add_event(EventKind::bound, -1);
        break;
    }
  }
  const Real noise = tolerance::kNoGap * length_scale();
  for (std::size_t k = 0; k < functions_.list().size(); ++k) {
    const auto [kind, i] = functions_.list()[k];
    if (kind == Kind::gap_closes && samples_[k].value <= noise &&
        model::is_rigid(machine_.law(i).normal) &&
        samples_[k].rate < -rest_speed(functions_.open_contact(i).normal))
      now.arrived[i] = now.fresh[i] = true;
    if (kind == Kind::slip_ends && samples_[k].rate < 0 &&
        samples_[k].value <= rest_speed(phase_.row(i)))
      now.ended[i] = true;
  }
}

/// Nothing known yet.
Engine::EventContext Engine::event_context() const {
  EventContext now;
  now.before = phase_.modes();
  now.query.modes = now.before;
  const auto contacts = static_cast<std::size_t>(elements_.contact_count);
  const std::size_t frictions = elements_.list.size();
  now.query.is_candidate.assign(frictions, false);
  now.query.saturated.assign(frictions, 0);
  now.query.vanished.assign(contacts, false);
  now.arrived.assign(contacts, false);
  now.fresh.assign(contacts, false);
  now.ended.assign(frictions, false);
  now.impulse.assign(contacts, Vec2::Zero());
  return now;
}

void Engine::handle_events(Outcome& outcome) {
  const Real no_time = tolerance::kNoTime * std::max(std::abs(time_), options_.step);
  repeated_ = time_ - last_event_ <= no_time ? repeated_ + 1 : 0;
  last_event_ = time_;
  if (++events_in_step_ > kMostEvents) {
    outcome.worsen(
        SolveStatus::numerical_error,
        fmt::format("more than {} events in one step, until t = {} s: take smaller steps "
                    "if they are meant",
                    kMostEvents, time_));
    return;
  }
  EventContext now = event_context();
  sort_fired(now);
  if (repeated_ > kMostRepeated) {
    outcome.worsen(SolveStatus::stalled,
                   fmt::format("{} events at t = {} s without time in between: a time step leads "
                               "through",
                               repeated_, time_));
    impulsive_step(outcome);
    return;
  }
  resolve(now, outcome);
}

/// What follows from what is known at an event: impacts, then the modes of a new phase.
void Engine::resolve(EventContext& now, Outcome& outcome) {
  machine_.take_mass(x_.q);
  v_before_ = x_.v;
  energy_before_ = energy();
  collide(now, outcome);
  if (outcome.status == SolveStatus::numerical_error) return;
  query_frictions(now);
  solve_modes(now, outcome);
}

Outcome Engine::start(Real time, const Point& x) {
  Outcome outcome;
  time_ = grid_ = last_event_ = time;
  end_ = time + options_.step;
  x_ = x;
  step_ = 0;
  events_.clear();
  for (Accumulation& series : series_) series.reset();
  begin(outcome);
  return outcome;
}

/// Modes in which nothing touches and nothing rubs.
laws::Modes Engine::no_contact() const {
  laws::Modes modes;
  modes.normal.assign(static_cast<std::size_t>(elements_.contact_count), laws::NormalMode::open);
  modes.friction.assign(elements_.list.size(), laws::FrictionMode::none);
  modes.impact_rate.assign(static_cast<std::size_t>(elements_.contact_count), 0);
  return modes;
}

/// Modes from nothing but q and v, these moved onto the constraints first where they are kept
/// there.
void Engine::begin(Outcome& outcome) {
  is_lost_ = false;
  repeated_ = 0;
  speed_scale_ = std::sqrt(2 * machine_.kinetic_energy(x_.q, x_.v));
  const laws::Modes modes = no_contact();
  set_modes(modes);
  if (options_.stabilisation == "projection") projection_.apply(time_, modes, x_);
  refresh();
  // Whatever touches has fired.
  fired_.clear();
  const Real noise = tolerance::kStartGap * length_scale();
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    if (functions_.list()[k].kind != Kind::gap_closes) continue;
    const bool is_rigid = model::is_rigid(machine_.law(functions_.list()[k].index).normal);
    if (samples_[k].value > (is_rigid ? noise : 0)) continue;
    fired_.push_back(k);
    if (is_rigid) outcome.max_penetration = std::max(outcome.max_penetration, -samples_[k].value);
  }
  handle_events(outcome);
}

/// Slips and candidates: by the velocities, where a mode ends.
void Engine::query_frictions(EventContext& now) {
  ModeQuery& query = now.query;
  laws::Modes& modes = query.modes;
  ContactTerms terms;
  const auto set_mode = [&](Index e, const JacobianRow& row, Real slip, bool is_new) {
    const laws::FrictionElement& element = elements_.list[e];
    laws::FrictionMode& mode = modes.friction[e];
    if (!element.is_there()) {
      mode = laws::FrictionMode::none;
      return;
    }
    // An impact says anew who slips. Where the direction of slip turns over at once, as that of a
    // rotation vector at 0, the slip has not ended but goes the other way.
    const bool has_ended =
        now.ended[e] && !now.has_collided && std::abs(slip) <= kTurnedOver * rest_speed(row);
    const bool is_resting = std::abs(slip) <= rest_speed(row);
    if (element.dahl >= 0) {
      const laws::FrictionMode by_slip =
          slip < 0 ? laws::FrictionMode::slip_minus : laws::FrictionMode::slip_plus;
      if (is_new || mode == laws::FrictionMode::none || !is_resting) mode = by_slip;
      if (has_ended)
        mode = mode == laws::FrictionMode::slip_plus ? laws::FrictionMode::slip_minus
                                                     : laws::FrictionMode::slip_plus;
      return;
    }
    if (!element.has_stick) {
      mode = laws::FrictionMode::smooth;
      return;
    }
    const bool continues = !is_new && !now.has_collided && !now.ended[e];
    if (continues && sign_of(mode) != 0) return;
    if ((continues && mode == laws::FrictionMode::stick) || has_ended || is_resting) {
      query.is_candidate[e] = true;
      mode = laws::FrictionMode::stick;
    } else {
      mode = slip < 0 ? laws::FrictionMode::slip_minus : laws::FrictionMode::slip_plus;
    }
  };
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const laws::NormalMode mode = modes.normal[i];
    if (mode != laws::NormalMode::closed && mode != laws::NormalMode::pressing) {
      modes.friction[elements_.tangent(i)] = laws::FrictionMode::none;
      modes.friction[elements_.rolling(i)] = laws::FrictionMode::none;
      continue;
    }
    machine_.contact(i, x_.q, x_.v, terms);
    const bool is_new =
        now.fresh[i] || modes.friction[elements_.tangent(i)] == laws::FrictionMode::none;
    set_mode(elements_.tangent(i), terms.tangent, terms.tangent.times(x_.v), is_new);
    set_mode(elements_.rolling(i), terms.rolling, terms.rolling.times(x_.v),
             now.fresh[i] || modes.friction[elements_.rolling(i)] == laws::FrictionMode::none);
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time_, x_.q, x_.v, slip);
    const Index e = elements_.joint(j);
    set_mode(e, slip.row, slip.slip, modes.friction[e] == laws::FrictionMode::none);
  }
}

void Engine::solve_modes(EventContext& now, Outcome& outcome) {
  ModeSolution solution;
  if (!find_modes(now, solution, outcome)) return;
  enter(solution);
  record_changes(now);
}

/// Modes by the laws of forces and accelerations. @return false: there are none.
bool Engine::find_modes(const EventContext& now, ModeSolution& solution, Outcome& outcome) {
  solution = stick_slip_.solve_modes(time_, x_, now.query);
  outcome.solves += solution.solves;
  outcome.residual = std::max(outcome.residual, solution.certificate.natural_map);
  const bool is_unsolved = solution.status != SolveStatus::converged;
  const bool is_lost = is_unsolved || solution.is_ambiguous || now.is_painleve;
  for (Index i = 0; is_lost && i < elements_.contact_count; ++i)
    if (now.impulse[i].x() > 0) record(now, EventKind::impact, i);
  if (is_lost || solution.answers > 1) add_event(EventKind::painleve, -1);
  if (!is_lost) return true;
  if (options_.on_painleve != "stop") {
    impulsive_step(outcome);
    return false;
  }
  const std::string why =
      is_unsolved            ? "no acceleration satisfies the laws: " + solution.detail
      : now.is_painleve      ? "the normal force of a sliding contact grows without bound"
      : solution.answers > 1 ? solution.detail
                             : "more than one acceleration satisfies the laws, or none";
  outcome.worsen(SolveStatus::numerical_error,
                 fmt::format("Painlevé at t = {} s: {} (on_painleve: time_step gets through such "
                             "points by one time step)",
                             time_, why),
                 solution.unsolved);
  return false;
}

void Engine::begin_phase(const ModeSolution& solution) {
  set_modes(solution.modes);
  // Onto what holds now: the next step would do so, and an event function would jump at its start.
  if (options_.stabilisation == "projection") projection_.apply(time_, phase_.modes(), x_);
  for (std::size_t e = 0; e < elements_.list.size(); ++e)
    if (elements_.list[e].dahl >= 0 && solution.modes.friction[e] == laws::FrictionMode::none)
      x_.s[elements_.list[e].dahl] = 0;
  refresh();
}

/// A new phase. Where forces are not unique, those of the phase may be worse than they need be.
void Engine::enter(ModeSolution& solution) {
  const auto is_shared_badly = [&] {
    return std::any_of(samples_.begin(), samples_.end(),
                       [](const EventValue& s) { return s.value < 0; });
  };
  begin_phase(solution);
  if (is_shared_badly()) {
    stick_slip_.centre(solution);
    phase_.set_reference(solution.normal, solution.friction);
    refresh();
  }
  if (is_shared_badly()) release_idle(solution);
}

/// Opens contacts that bear nothing and do not part by more than round-off. Held together by force
/// they bear that round-off over what is left of the mass, which may be much; and where others hold
/// the bodies now, they may not do so any more when these have moved.
void Engine::release_idle(ModeSolution& solution) {
  bool is_changed = false;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    laws::NormalMode& mode = solution.modes.normal[i];
    if (mode != laws::NormalMode::closed || solution.normal[i] != 0) continue;
    mode = laws::NormalMode::open;
    solution.modes.friction[elements_.tangent(i)] = laws::FrictionMode::none;
    solution.modes.friction[elements_.rolling(i)] = laws::FrictionMode::none;
    is_changed = true;
  }
  if (is_changed) begin_phase(solution);
}

/// Solves the modes again, where the forces of redundant contacts jump: with as few contacts as
/// can bear it.
void Engine::reconsider(Outcome& outcome) {
  EventContext now = event_context();
  for (std::size_t e = 0; e < elements_.list.size(); ++e)
    now.query.is_candidate[e] = now.before.friction[e] == laws::FrictionMode::stick;
  v_before_ = x_.v;
  energy_before_ = energy();
  ModeSolution solution;
  if (!find_modes(now, solution, outcome)) return;
  begin_phase(solution);
  release_idle(solution);
  record_changes(now);
}

/// An event of this instant, with what it changed.
void Engine::record(const EventContext& now, EventKind kind, Index contact) {
  Event& event = add_event(kind, contact);
  event.v_before = v_before_;
  event.energy_before = energy_before_;
  if (contact < 0) return;
  ContactTerms terms;
  machine_.contact(contact, x_.q, v_before_, terms);
  event.gap_rate_before = terms.gap_rate;
  event.slip_before = terms.slip;
  event.gap_rate_after = terms.normal.times(x_.v);
  event.slip_after = terms.tangent.times(x_.v);
  event.impulse = now.impulse[contact];
}

/// Events: what differs between the modes before and after.
void Engine::record_changes(const EventContext& now) {
  const laws::Modes& modes = phase_.modes();
  const auto add = [&](EventKind kind, Index contact) { record(now, kind, contact); };
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const laws::NormalMode was = now.before.normal[i], is = modes.normal[i];
    const bool was_open = was == laws::NormalMode::open || was == laws::NormalMode::released;
    const bool is_open = is == laws::NormalMode::open || is == laws::NormalMode::released;
    if (now.has_collided && now.impulse[i].x() > 0) {
      add(EventKind::impact, i);
      if (!was_open && is_open) add(EventKind::detachment, i);
    } else if (was_open && !is_open) {
      add(EventKind::touch, i);
    } else if (!was_open && is_open) {
      add(EventKind::detachment, i);
    }
  }
  for (std::size_t e = 0; e < elements_.list.size(); ++e) {
    const laws::FrictionElement& element = elements_.list[e];
    const laws::FrictionMode was = now.before.friction[e], is = modes.friction[e];
    const bool is_joint = element.kind == laws::FrictionElement::Kind::joint;
    const Index who = is_joint ? -1 - element.index : element.index;
    if (was == is || was == laws::FrictionMode::none || is == laws::FrictionMode::none) continue;
    if (is == laws::FrictionMode::stick)
      add(EventKind::stick, who);
    else if (was == laws::FrictionMode::stick)
      add(EventKind::slip, who);
    else
      add(EventKind::reversal, who);
  }
  if (now.restitution_factor < 1) {
    add(EventKind::restitution_reduced, -1);
    events_.back().restitution_factor = now.restitution_factor;
  }
  if (now.limit) {
    add(EventKind::accumulation, now.limit_contact);
    events_.back().time = *now.limit;
  }
}

}  // namespace talus::stepping::event_driven
