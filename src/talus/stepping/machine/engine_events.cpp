#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/stepping/machine/engine.hpp>
#include <talus/stepping/machine/impact.hpp>
#include <talus/stepping/machine/reduction.hpp>

// What happens at an event: impacts, then the accelerations' LCP, then a new phase.

namespace talus::stepping::machine {

using dynamics::ContactTerms;
using dynamics::PlanarRow;
using problem::SolveStatus;
using Kind = Switch::Kind;

namespace {

constexpr Real kRestSpeed = 1e-10;    // of the speeds about: no speed
constexpr Real kGapNoise = 1e-12;     // of the distances about: no gap
constexpr Real kGapRounding = 1e-14;  // the same, of what rounding makes of a gap
constexpr Real kStartGap = 1e-9;      // the same, of contacts at the start
constexpr Real kEnergyNoise = 1e-10;  // of the kinetic energy
constexpr Index kMostRepeated = 60;   // events without time in between
constexpr Real kHeldSlip = 10;        // slip over approach at the end of a series of impacts
constexpr Real kThrough = 1e-4;       // [s] the longest time step that leads through
constexpr Real kNoTime = 1e-13;       // of max(t, step): no time

PlanarRow spin_row(const ContactTerms& terms) {
  return {terms.normal.body_a, terms.normal.body_b, Vec3(0, 0, -1), Vec3(0, 0, 1)};
}

}  // namespace

/// What is known at an event before it is resolved, and what it has become after.
struct Engine::Situation {
  Question question;
  Modes before;
  std::vector<bool> arrived;         // rigid contacts whose gap is zero now and was open
  std::vector<bool> fresh;           // contacts whose frictions have no history
  std::vector<bool> ended;           // friction elements whose slip velocity has come to zero
  std::vector<Vec2> impulse;         // per contact
  std::vector<Real> gap_rate, slip;  // per contact, before
  bool has_collided = false;
  bool is_painleve = false;
  std::optional<Real> limit;  // an accumulation point has been closed
  Index limit_contact = -1;
};

Real Engine::rest_speed(const PlanarRow& row) const {
  return kRestSpeed * speed_scale() * std::sqrt(coupling(row, row, machine_.inverse_mass()));
}

Real Engine::speed_scale() const {
  const Real gained =
      std::sqrt(phase_.applied().dot(machine_.inverse_mass().cwiseProduct(phase_.applied())));
  return std::max(speed_scale_, gained * options_.step);
}

/// A speed that leads no farther than rounding of the gap against the forces about.
Real Engine::slow_speed(const PlanarRow& row) const {
  const Real drive =
      std::sqrt(phase_.applied().dot(machine_.inverse_mass().cwiseProduct(phase_.applied())));
  const Real acceleration = drive * std::sqrt(coupling(row, row, machine_.inverse_mass()));
  return std::max(rest_speed(row), std::sqrt(2 * kGapRounding * length_scale() * acceleration));
}

Real Engine::length_scale() const {
  Real largest = 0;
  for (Index b = 0; b < machine_.body_count(); ++b)
    largest = std::max(largest, x_.q.segment<2>(3 * b).lpNorm<Eigen::Infinity>());
  return largest;
}

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

/// Reads the fired switches (and what is due in the same instant) into the situation.
void Engine::sort_fired(Situation& now) {
  Question& question = now.question;
  for (const std::size_t k : fired_) {
    const auto [kind, i] = watch_.switches()[k];
    switch (kind) {
      case Kind::gap_closes:
        if (model::is_rigid(machine_.surface(i).normal)) {
          now.arrived[i] = true;
        } else {
          question.modes.normal[i] = NormalMode::pressing;
          question.modes.impact_rate[i] = std::max(-samples_[k].rate, Real(0));
        }
        now.fresh[i] = true;
        break;
      case Kind::gap_opens:
        question.modes.normal[i] = NormalMode::open;
        break;
      case Kind::force_ends:
        question.modes.normal[i] = NormalMode::released;
        break;
      case Kind::force_returns:
        if (question.modes.normal[i] == NormalMode::released)
          question.modes.normal[i] = NormalMode::pressing;
        now.fresh[i] = true;
        break;
      case Kind::normal_ends:
        question.vanished[i] = true;
        break;
      case Kind::slip_ends:
        now.ended[i] = true;
        break;
      case Kind::stick_ends:
        question.saturated[i] = phase_.forces().friction[i] > 0 ? -1 : 1;
        break;
      case Kind::leading:
        now.is_painleve = true;
        break;
    }
  }
  const Real noise = kGapNoise * length_scale();
  for (std::size_t k = 0; k < watch_.switches().size(); ++k) {
    const auto [kind, i] = watch_.switches()[k];
    if (kind == Kind::gap_closes && samples_[k].value <= noise &&
        model::is_rigid(machine_.surface(i).normal) &&
        samples_[k].rate < -rest_speed(watch_.open_contact(i).normal))
      now.arrived[i] = now.fresh[i] = true;
    if (kind == Kind::slip_ends && samples_[k].rate < 0 &&
        samples_[k].value <= rest_speed(phase_.row(i)))
      now.ended[i] = true;
  }
}

void Engine::handle_events(Outcome& outcome) {
  const Real no_time = kNoTime * std::max(std::abs(time_), options_.step);
  repeated_ = time_ - last_event_ <= no_time ? repeated_ + 1 : 0;
  last_event_ = time_;
  Situation now;
  now.before = phase_.modes();
  now.question.modes = now.before;
  const auto contacts = static_cast<std::size_t>(elements_.contact_count);
  const std::size_t frictions = elements_.list.size();
  now.question.is_candidate.assign(frictions, false);
  now.question.saturated.assign(frictions, 0);
  now.question.vanished.assign(contacts, false);
  now.arrived.assign(contacts, false);
  now.fresh.assign(contacts, false);
  now.ended.assign(frictions, false);
  now.impulse.assign(contacts, Vec2::Zero());
  sort_fired(now);
  if (repeated_ > kMostRepeated) {
    outcome.worsen(SolveStatus::stalled,
                   fmt::format("{} events at t = {} s without time in between: a time step leads "
                               "through",
                               repeated_, time_));
    step_through(outcome);
    return;
  }
  v_before_ = x_.v;
  energy_before_ = energy();
  collide(now, outcome);
  ask_frictions(now);
  decide(now, outcome);
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

/// Modes from nothing but q and v, these moved onto the constraints first where they are kept
/// there.
void Engine::begin(Outcome& outcome) {
  is_lost_ = false;
  repeated_ = 0;
  speed_scale_ = std::sqrt(2 * machine_.kinetic_energy(x_.v));
  Modes modes;
  modes.normal.assign(static_cast<std::size_t>(elements_.contact_count), NormalMode::open);
  modes.friction.assign(elements_.list.size(), FrictionMode::none);
  modes.impact_rate.assign(static_cast<std::size_t>(elements_.contact_count), 0);
  set_modes(modes);
  if (options_.stabilisation == "projection") projection_.apply(time_, modes, x_);
  refresh();
  // Whatever touches has fired.
  fired_.clear();
  const Real noise = kStartGap * length_scale();
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const bool is_rigid = model::is_rigid(machine_.surface(watch_.switches()[k].index).normal);
    if (samples_[k].value > (is_rigid ? noise : 0)) continue;
    fired_.push_back(k);
    if (is_rigid) outcome.max_penetration = std::max(outcome.max_penetration, -samples_[k].value);
  }
  handle_events(outcome);
}

/// Impacts of all rigid contacts that touch, if one of them approaches; who is closed then.
void Engine::collide(Situation& now, Outcome& outcome) {
  Modes& modes = now.question.modes;
  std::vector<Index> touching;
  std::vector<ContactTerms> terms;
  bool approaches = false;
  now.gap_rate.assign(static_cast<std::size_t>(elements_.contact_count), 0);
  now.slip = now.gap_rate;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (!now.arrived[i] && modes.normal[i] != NormalMode::closed) continue;
    ContactTerms& at = terms.emplace_back();
    machine_.contact(i, x_.q, x_.v, at);
    touching.push_back(i);
    now.gap_rate[i] = at.gap_rate;
    now.slip[i] = at.slip;
    approaches = approaches || at.gap_rate < -slow_speed(at.normal);
  }
  if (touching.empty()) return;
  std::optional<Real> limit;
  if (approaches) {
    ImpactProblem problem;
    std::vector<PlanarRow> rows;
    std::vector<Real> rates;
    std::vector<Index> tangent_row(touching.size(), -1);
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const model::ImpactLaw& law = machine_.surface(touching[k]).impact;
      problem.normals.push_back({law.restitution});
      problem.is_poisson = problem.is_poisson || law.is_poisson;
      rows.push_back(terms[k].normal);
      rates.push_back(terms[k].gap_rate);
    }
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const FrictionElement& tangent = elements_.list[elements_.tangent(touching[k])];
      const FrictionElement& rolling = elements_.list[elements_.rolling(touching[k])];
      const Real restitution = machine_.surface(touching[k]).impact.tangential_restitution;
      if (tangent.kinetic_friction > 0) {
        tangent_row[k] = static_cast<Index>(rows.size());
        problem.frictions.push_back({static_cast<Index>(k), tangent.kinetic_friction, restitution});
        rows.push_back(terms[k].tangent);
        rates.push_back(terms[k].slip);
      }
      if (rolling.kinetic_friction > 0) {
        problem.frictions.push_back({static_cast<Index>(k), rolling.kinetic_friction, 0});
        rows.push_back(spin_row(terms[k]));
        rates.push_back(terms[k].spin);
      }
    }
    std::vector<Index> joint_of_press;
    for (Index j = 0; j < elements_.joint_count; ++j) {
      const FrictionElement& element = elements_.list[elements_.joint(j)];
      if (!(element.kinetic_friction > 0)) continue;
      dynamics::PlanarMachine::JointSlip slip;
      machine_.joint_slip(j, x_.q, x_.v, slip);
      JointPress press;
      press.friction = static_cast<Index>(problem.frictions.size());
      press.element = &element;
      press.upper_slope = element.kinetic_friction;
      press.lower_slope = -element.kinetic_friction;
      problem.presses.push_back(press);
      problem.frictions.push_back({-1, element.kinetic_friction, 0});
      joint_of_press.push_back(slip.first_constraint);
      rows.push_back(slip.row);
      rates.push_back(slip.slip);
    }
    const Reduction reduction(phase_.constraints().rows, machine_.inverse_mass(), rows);
    for (std::size_t j = 0; j < problem.presses.size(); ++j)
      problem.presses[j].X = reduction.reactions(joint_of_press[j], 2);
    problem.G = reduction.G();
    problem.rate = Eigen::Map<const VecX>(rates.data(), static_cast<Index>(rates.size()));
    const ImpactAnswer answer = options_.impacts == "sequential" ? sequential_impact(problem)
                                                                 : simultaneous_impact(problem);
    outcome.solves += answer.solves;
    outcome.residual = std::max(outcome.residual, answer.certificate.natural_map);
    if (answer.status != SolveStatus::converged)
      outcome.worsen(answer.status, fmt::format("impact at t = {} s: {}", time_, answer.detail));
    const Real kinetic = machine_.kinetic_energy(x_.v);
    if (answer.energy > kEnergyNoise * kinetic)
      outcome.worsen(SolveStatus::stalled,
                     fmt::format("the impact law raises the energy at t = {} s by {} J of {} J",
                                 time_, answer.energy, kinetic));
    reduction.push(answer.impulse, x_.v);
    now.has_collided = true;
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const Index i = touching[k];
      now.impulse[i].x() = answer.impulse[static_cast<Index>(k)];
      if (tangent_row[k] >= 0) now.impulse[i].y() = answer.impulse[tangent_row[k]];
      impulses_[i] += now.impulse[i];
    }
  }
  speed_scale_ = std::max(speed_scale_, std::sqrt(2 * machine_.kinetic_energy(x_.v)));
  bool is_drifting = false;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const Index i = touching[k];
    const Real rate = terms[k].normal.times(x_.v);
    const bool is_closed = rate <= slow_speed(terms[k].normal);
    is_drifting = is_drifting || (is_closed && std::abs(rate) > rest_speed(terms[k].normal));
    modes.normal[i] = is_closed ? NormalMode::closed : NormalMode::open;
    if (now.impulse[i].x() > 0 && now.arrived[i] && terms[k].gap_rate < 0) {
      const std::optional<Real> end = series_[i].add(time_, -terms[k].gap_rate);
      if (end && !now.limit) {
        now.limit = end;
        now.limit_contact = i;
      }
    }
  }
  if (now.limit)
    close_series(now, now.limit_contact, *now.limit);
  else if (is_drifting)
    projection_.apply_to_velocity(time_, modes, x_);
}

/// Puts an end to infinitely many impacts: all contacts that are in the tail of a series, or
/// closed, stay together; those that slip no faster than they approach are held.
void Engine::close_series(Situation& now, Index contact, Real limit) {
  Modes& modes = now.question.modes;
  const Real speed = std::abs(now.gap_rate[contact]);
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (i != contact && !series_[i].is_tail()) continue;
    modes.normal[i] = NormalMode::closed;
    now.fresh[i] = true;
    const Index e = elements_.tangent(i);
    if (elements_.list[e].has_stick && std::abs(now.slip[i]) <= kHeldSlip * speed)
      modes.friction[e] = FrictionMode::stick;
    series_[i].reset();
  }
  projection_.apply_to_velocity(time_, modes, x_);
  now.limit = limit;
}

/// Slips and candidates: what the velocities say, where a mode does not go on.
void Engine::ask_frictions(Situation& now) {
  Question& question = now.question;
  Modes& modes = question.modes;
  ContactTerms terms;
  const auto ask = [&](Index e, const PlanarRow& row, bool is_new) {
    const FrictionElement& element = elements_.list[e];
    FrictionMode& mode = modes.friction[e];
    if (!element.is_there()) {
      mode = FrictionMode::none;
      return;
    }
    const Real slip = row.times(x_.v);
    const bool is_resting = std::abs(slip) <= rest_speed(row);
    if (element.dahl >= 0) {
      const FrictionMode by_slip = slip < 0 ? FrictionMode::slip_minus : FrictionMode::slip_plus;
      if (is_new || mode == FrictionMode::none || !is_resting) mode = by_slip;
      if (now.ended[e])
        mode = mode == FrictionMode::slip_plus ? FrictionMode::slip_minus : FrictionMode::slip_plus;
      return;
    }
    if (!element.has_stick) {
      mode = FrictionMode::smooth;
      return;
    }
    const bool goes_on = !is_new && !now.has_collided && !now.ended[e];
    if (goes_on && sign_of(mode) != 0) return;
    if ((goes_on && mode == FrictionMode::stick) || now.ended[e] || is_resting) {
      question.is_candidate[e] = true;
      mode = FrictionMode::stick;
    } else {
      mode = slip < 0 ? FrictionMode::slip_minus : FrictionMode::slip_plus;
    }
  };
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const NormalMode mode = modes.normal[i];
    if (mode != NormalMode::closed && mode != NormalMode::pressing) {
      modes.friction[elements_.tangent(i)] = FrictionMode::none;
      modes.friction[elements_.rolling(i)] = FrictionMode::none;
      continue;
    }
    machine_.contact(i, x_.q, x_.v, terms);
    const bool is_new = now.fresh[i] || modes.friction[elements_.tangent(i)] == FrictionMode::none;
    ask(elements_.tangent(i), terms.tangent, is_new);
    ask(elements_.rolling(i), spin_row(terms),
        now.fresh[i] || modes.friction[elements_.rolling(i)] == FrictionMode::none);
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    dynamics::PlanarMachine::JointSlip slip;
    machine_.joint_slip(j, x_.q, x_.v, slip);
    const Index e = elements_.joint(j);
    ask(e, slip.row, modes.friction[e] == FrictionMode::none);
  }
}

void Engine::decide(Situation& now, Outcome& outcome) {
  const Verdict verdict = decision_.decide(time_, x_, now.question);
  outcome.solves += verdict.solves;
  outcome.residual = std::max(outcome.residual, verdict.certificate.natural_map);
  const bool is_unsolved = verdict.status != SolveStatus::converged;
  if (is_unsolved || verdict.is_ambiguous || now.is_painleve) {
    add_event(EventKind::painleve, -1);
    const std::string why =
        fmt::format("Painlevé at t = {} s: {}", time_,
                    is_unsolved ? "no acceleration satisfies the laws (" + verdict.detail + ")"
                                : "more than one acceleration satisfies the laws, or none");
    if (options_.on_painleve == "stop") {
      outcome.worsen(SolveStatus::numerical_error, why);
      return;
    }
    step_through(outcome);
    return;
  }
  set_modes(verdict.modes);
  for (std::size_t e = 0; e < elements_.list.size(); ++e)
    if (elements_.list[e].dahl >= 0 && verdict.modes.friction[e] == FrictionMode::none)
      x_.s[elements_.list[e].dahl] = 0;
  refresh();
  const bool is_shared_badly =
      std::any_of(samples_.begin(), samples_.end(), [](const Sample& s) { return s.value < 0; });
  if (is_shared_badly && phase_.is_redundant()) {
    phase_.set_reference(verdict.normal, verdict.friction);
    refresh();
  }
  record_changes(now);
}

/// Events: what differs between the modes before and after.
void Engine::record_changes(const Situation& now) {
  const Modes& modes = phase_.modes();
  ContactTerms terms;
  const auto add = [&](EventKind kind, Index contact) {
    Event& event = add_event(kind, contact);
    event.v_before = v_before_;
    event.energy_before = energy_before_;
    if (contact < 0) return;
    machine_.contact(contact, x_.q, v_before_, terms);
    event.gap_rate_before = terms.gap_rate;
    event.slip_before = terms.slip;
    event.gap_rate_after = terms.normal.times(x_.v);
    event.slip_after = terms.tangent.times(x_.v);
    event.impulse = now.impulse[contact];
  };
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const NormalMode was = now.before.normal[i], is = modes.normal[i];
    const bool was_open = was == NormalMode::open || was == NormalMode::released;
    const bool is_open = is == NormalMode::open || is == NormalMode::released;
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
    const FrictionElement& element = elements_.list[e];
    const FrictionMode was = now.before.friction[e], is = modes.friction[e];
    const bool is_joint = element.kind == FrictionElement::Kind::joint;
    const Index who = is_joint ? -1 - element.index : element.index;
    if (was == is || was == FrictionMode::none || is == FrictionMode::none) continue;
    if (is == FrictionMode::stick)
      add(EventKind::stick, who);
    else if (was == FrictionMode::stick)
      add(EventKind::slip, who);
    else
      add(EventKind::reversal, who);
  }
  if (now.limit) {
    add(EventKind::accumulation, now.limit_contact);
    events_.back().time = *now.limit;
  }
}

/// A step of Moreau's time stepping with inelastic impacts, for where forces do not exist or events
/// do not end: M (v' − v) = h Q + Φ_qᵀ Λ + …, 0 ≤ ġ' ⟂ Λ_N ≥ 0, Coulomb friction on impulses.
void Engine::step_through(Outcome& outcome) {
  const Real h = std::min({options_.step, kThrough, end_ - time_});
  if (!(h > 0)) {
    is_lost_ = true;
    return;
  }
  Modes free = phase_.modes();
  const Real noise = kGapNoise * length_scale();
  ImpactProblem problem;
  std::vector<PlanarRow> rows;
  std::vector<ContactTerms> terms;
  std::vector<Index> touching;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_rigid = model::is_rigid(machine_.surface(i).normal);
    if (!is_rigid && free.normal[i] == NormalMode::pressing) {
      for (const Index e : {elements_.tangent(i), elements_.rolling(i)})
        if (free.friction[e] == FrictionMode::stick) free.friction[e] = FrictionMode::none;
      continue;
    }
    if (!is_rigid) continue;
    ContactTerms at;
    machine_.contact(i, x_.q, x_.v, at);
    if (at.gap > noise && free.normal[i] != NormalMode::closed) continue;
    free.normal[i] = NormalMode::open;
    for (const Index e : {elements_.tangent(i), elements_.rolling(i)})
      free.friction[e] = FrictionMode::none;
    touching.push_back(i);
    terms.push_back(at);
  }
  for (Index j = 0; j < elements_.joint_count; ++j)
    free.friction[elements_.joint(j)] = FrictionMode::none;
  set_modes(free);
  phase_.evaluate_plain(time_, x_, k_);
  x_.v += h * k_.a;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    problem.normals.push_back({0});
    rows.push_back(terms[k].normal);
  }
  for (std::size_t k = 0; k < touching.size(); ++k) {
    const FrictionElement& tangent = elements_.list[elements_.tangent(touching[k])];
    if (!(tangent.kinetic_friction > 0)) continue;
    problem.frictions.push_back({static_cast<Index>(k), tangent.kinetic_friction, 0});
    rows.push_back(terms[k].tangent);
  }
  const Reduction reduction(phase_.constraints().rows, machine_.inverse_mass(), rows);
  problem.G = reduction.G();
  problem.rate.resize(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    problem.rate[static_cast<Index>(k)] = rows[k].times(x_.v);
  const ImpactAnswer answer = simultaneous_impact(problem);
  ++outcome.solves;
  if (answer.status != SolveStatus::converged) {
    outcome.worsen(SolveStatus::numerical_error,
                   fmt::format("no time step leads on from t = {} s: {}", time_, answer.detail));
    return;
  }
  reduction.push(answer.impulse, x_.v);
  for (std::size_t k = 0; k < touching.size(); ++k)
    impulses_[touching[k]].x() += answer.impulse[static_cast<Index>(k)];
  x_.q += h * x_.v;
  time_ += h;
  is_lost_ = true;
}

}  // namespace talus::stepping::machine
