#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/laws/impact.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/event_driven/contact_rows.hpp>
#include <talus/stepping/event_driven/event_context.hpp>
#include <talus/stepping/event_driven/reduced_delassus.hpp>

// What moves velocities at once: impacts, and impulsive steps where no acceleration exists.

namespace talus::stepping::event_driven {

using dynamics::ContactTerms;
using dynamics::JacobianRow;
using problem::SolveStatus;

namespace {

constexpr Real kHeldSlip = 10;  // slip over approach at the end of a series of impacts
constexpr Real kReach = 10;     // gaps that are left to a series, over its approach times its rest
constexpr Real kThrough = 0.1;  // of a step: the time step that leads through
constexpr Index kMostInstantImpacts =
    15;  // events without time in between, before restitution ends

}  // namespace

/// Rigid contacts that touch at an event.
struct Touching {
  std::vector<Index> contact;
  std::vector<ContactTerms> terms;
  bool approaches = false;  // one of them
  bool is_end = false;      // of a series: no restitution
};

/// Rigid contacts that touch, and their rates before the impact.
Touching Engine::find_touching(EventContext& now) const {
  Touching touching;
  // Impacts that follow each other without time in between: the end of a series that several
  // contacts make together, where no contact's own is geometric. All that touch end it together.
  touching.is_end = repeated_ > kMostInstantImpacts;
  const auto touches = [&](Index i) {
    if (now.arrived[i] || now.query.modes.normal[i] == laws::NormalMode::closed) return true;
    return touching.is_end && model::is_rigid(machine_.law(i).normal) &&
           machine_.gap(i, x_.q) <= tolerance::kNoGap * length_scale();
  };
  now.gap_rate.assign(static_cast<std::size_t>(elements_.contact_count), 0);
  now.slip = now.gap_rate;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (!touches(i)) continue;
    ContactTerms& at = touching.terms.emplace_back();
    machine_.contact(i, x_.q, x_.v, at);
    touching.contact.push_back(i);
    now.gap_rate[i] = at.gap_rate;
    now.slip[i] = at.slip;
    touching.approaches = touching.approaches || at.gap_rate < -slow_speed(at.normal);
  }
  return touching;
}

namespace {

/// The rows of an impact, and what its answer is read with.
struct ImpactRows {
  laws::ImpactProblem problem;
  ContactRows rows;
  std::vector<Index> tangent;         // per contact that touches: its friction, −1: none
  std::vector<Index> first_reaction;  // per press
};

/// Friction of joints in an impact, pressed by their reactions.
void add_joints(const dynamics::System& machine, const laws::FrictionTable& elements, Real time,
                const Point& x, ImpactRows& impact) {
  for (Index j = 0; j < elements.joint_count; ++j) {
    const laws::FrictionElement& element = elements.list[elements.joint(j)];
    // A bound that is given is one of a force: no impulse.
    if (!(element.kinetic_friction > 0) || !element.is_pressed) continue;
    dynamics::JointSlip slip;
    machine.joint_slip(j, time, x.q, x.v, slip);
    laws::JointNormalForce joint_normal;
    joint_normal.friction = impact.rows.add_friction(slip.row, slip.slip);
    joint_normal.element = &element;
    joint_normal.upper_slope = element.kinetic_friction;
    joint_normal.lower_slope = -element.kinetic_friction;
    impact.problem.joint_normals.push_back(joint_normal);
    impact.problem.frictions.push_back({-1, element.kinetic_friction, 0});
    impact.first_reaction.push_back(slip.first_constraint);
  }
}

/// Normals and frictions of contacts that touch, then frictions of joints.
ImpactRows impact_rows(const dynamics::System& machine, const laws::FrictionTable& elements,
                       Real time, const Point& x, const Touching& touching) {
  ImpactRows impact;
  laws::ImpactProblem& problem = impact.problem;
  for (std::size_t k = 0; k < touching.contact.size(); ++k) {
    const Index i = touching.contact[k];
    const ContactTerms& at = touching.terms[k];
    const model::ImpactLaw& law = machine.law(i).impact;
    const Index normal = impact.rows.add_normal(at.normal, at.gap_rate);
    problem.normals.push_back({touching.is_end ? 0 : law.restitution});
    problem.is_poisson = problem.is_poisson || law.is_poisson;
    const Real tangential = touching.is_end ? 0 : law.tangential_restitution;
    const Real sliding = elements.list[elements.tangent(i)].kinetic_friction;
    const Real rolling = elements.list[elements.rolling(i)].kinetic_friction;
    impact.tangent.push_back(sliding > 0 ? impact.rows.add_friction(at.tangent, at.slip) : -1);
    if (sliding > 0) problem.frictions.push_back({normal, sliding, tangential});
    if (!(rolling > 0)) continue;
    impact.rows.add_friction(at.rolling, at.spin);
    problem.frictions.push_back({normal, rolling, 0});
  }
  add_joints(machine, elements, time, x, impact);
  return impact;
}

}  // namespace

/// Solves an impact by the law that is asked for, and moves the velocities by its impulses.
/// @return false: no impulse satisfies the laws.
bool Engine::apply_impact(const Touching& touching, EventContext& now, Outcome& outcome) {
  ImpactRows impact = impact_rows(machine_, elements_, time_, x_, touching);
  laws::ImpactProblem& problem = impact.problem;
  const ReducedDelassus reduction(phase_.constraints().rows, machine_.mass(), impact.rows.rows());
  for (std::size_t j = 0; j < problem.joint_normals.size(); ++j)
    problem.joint_normals[j].X = reduction.reactions(impact.first_reaction[j], 2);
  problem.G = reduction.G();
  problem.rate = impact.rows.values();
  const bool is_sequential = options_.impacts == "sequential";
  const bool is_bounded = options_.restitution != "as_given";
  const laws::ImpactAnswer answer = is_bounded      ? laws::bounded_impact(problem, is_sequential)
                                    : is_sequential ? laws::sequential_impact(problem)
                                                    : laws::simultaneous_impact(problem);
  outcome.solves += answer.solves;
  outcome.residual = std::max(outcome.residual, answer.certificate.natural_map);
  if (answer.status == SolveStatus::infeasible) {
    outcome.worsen(
        SolveStatus::numerical_error,
        fmt::format("impact at t = {} s: no impulse satisfies the laws: {}", time_, answer.detail),
        answer.unsolved);
    return false;
  }
  if (answer.status != SolveStatus::converged)
    outcome.worsen(answer.status, fmt::format("impact at t = {} s: {}", time_, answer.detail),
                   answer.unsolved);
  if (laws::raises_energy(problem, answer))
    outcome.worsen(SolveStatus::stalled,
                   fmt::format("the impact law raises the energy at t = {} s by {} J of {} J",
                               time_, answer.energy, machine_.kinetic_energy(x_.q, x_.v)));
  now.restitution_factor = answer.restitution_factor;
  reduction.apply_impulse(answer.impulse, x_.v);
  now.has_collided = true;
  for (std::size_t k = 0; k < touching.contact.size(); ++k) {
    const Index i = touching.contact[k];
    now.impulse[i].x() = answer.impulse[static_cast<Index>(k)];
    if (impact.tangent[k] >= 0)
      now.impulse[i].y() = answer.impulse[impact.rows.normal_count() + impact.tangent[k]];
    impulses_[i] += now.impulse[i];
  }
  return true;
}

/// Who is closed by the rates after the impact. @return whether a closed contact moves by more than
/// rounding.
bool Engine::close_by_rates(const Touching& touching, EventContext& now) const {
  bool is_drifting = false;
  for (std::size_t k = 0; k < touching.contact.size(); ++k) {
    const JacobianRow& normal = touching.terms[k].normal;
    const Real rate = normal.times(x_.v);
    const bool is_closed = rate <= slow_speed(normal);
    is_drifting = is_drifting || (is_closed && std::abs(rate) > rest_speed(normal));
    now.query.modes.normal[touching.contact[k]] =
        is_closed ? laws::NormalMode::closed : laws::NormalMode::open;
  }
  return is_drifting;
}

/// Adds the impacts to the series of their contacts; the first whose limit is known ends.
void Engine::count_impacts(const Touching& touching, EventContext& now) {
  const auto end_at = [&](Index contact, Real limit) {
    if (now.limit) return;
    now.limit = limit;
    now.limit_contact = contact;
  };
  for (std::size_t k = 0; k < touching.contact.size(); ++k) {
    const Index i = touching.contact[k];
    if (!(now.impulse[i].x() > 0)) continue;
    const Real gap_rate = touching.terms[k].gap_rate;
    if (now.arrived[i] && gap_rate < 0)
      if (const std::optional<Real> limit = series_[i].add(time_, -gap_rate)) end_at(i, *limit);
    if (touching.is_end && touching.approaches && machine_.law(i).impact.restitution > 0)
      end_at(i, time_);
  }
}

/// Impacts of all rigid contacts that touch, if one of them approaches; who is closed then.
void Engine::collide(EventContext& now, Outcome& outcome) {
  const Touching touching = find_touching(now);
  if (touching.contact.empty()) return;
  if (touching.approaches && !apply_impact(touching, now, outcome)) return;
  speed_scale_ = std::max(speed_scale_, std::sqrt(2 * machine_.kinetic_energy(x_.q, x_.v)));
  const bool is_drifting = close_by_rates(touching, now);
  count_impacts(touching, now);
  if (now.limit)
    close_series(now, now.limit_contact, *now.limit);
  else if (is_drifting)
    projection_.apply_to_velocity(time_, now.query.modes, x_);
}

/// Puts an end to infinitely many impacts: all contacts that are in the tail of a series, or
/// closed, stay together; those that slip no faster than they approach are held.
void Engine::close_series(EventContext& now, Index contact, Real limit) {
  laws::Modes& modes = now.query.modes;
  const Real speed = std::abs(now.gap_rate[contact]);
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const Real reach = kReach * speed * std::max(limit - time_, Real(0));
    const bool is_near = machine_.gap(i, x_.q) <= reach + tolerance::kNoGap * length_scale();
    if (i != contact && !(series_[i].is_tail() && is_near)) continue;
    modes.normal[i] = laws::NormalMode::closed;
    now.fresh[i] = true;
    const Index e = elements_.tangent(i);
    if (elements_.list[e].has_stick && std::abs(now.slip[i]) <= kHeldSlip * speed)
      modes.friction[e] = laws::FrictionMode::stick;
    series_[i].reset();
  }
  projection_.apply_to_velocity(time_, modes, x_);
  now.limit = limit;
}

/// An impulsive step: what moves freely in it, and the inelastic impact that stands for the rest.
struct ImpulsiveStep {
  Real h = 0;
  laws::Modes free;  // modes without the contacts and frictions of the problem
  laws::ImpactProblem problem;
  ContactRows rows;
  std::vector<Index> contact;    // per normal
  std::vector<bool> is_tangent;  // per friction
};

/// A friction of the step. @param normal whose impulse presses; −1: the force known presses.
void Engine::add_friction_row(ImpulsiveStep& step, Index e, const JacobianRow& row, Index normal,
                              Real known) const {
  const laws::FrictionElement& element = elements_.list[e];
  step.free.friction[e] = laws::FrictionMode::none;
  if (!(element.kinetic_friction > 0) || !element.is_there()) return;
  step.problem.frictions.push_back(
      {normal, element.kinetic_friction, 0, step.h * element.kinetic_friction * known});
  step.rows.add_friction(row, 0);
  step.is_tangent.push_back(element.kind == laws::FrictionElement::Kind::tangent);
}

/// Rigid contacts that touch, and held frictions of compliant ones.
void Engine::add_contact_rows(ImpulsiveStep& step) const {
  const Real noise = tolerance::kNoGap * length_scale();
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_rigid = model::is_rigid(machine_.law(i).normal);
    if (!is_rigid && step.free.normal[i] != laws::NormalMode::pressing) continue;
    const Index t = elements_.tangent(i), r = elements_.rolling(i);
    ContactTerms at;
    machine_.contact(i, x_.q, x_.v, at);
    if (!is_rigid) {
      const Real known = phase_.forces().normal[i];
      if (step.free.friction[t] == laws::FrictionMode::stick)
        add_friction_row(step, t, at.tangent, -1, known);
      if (step.free.friction[r] == laws::FrictionMode::stick)
        add_friction_row(step, r, at.rolling, -1, known);
      continue;
    }
    if (at.gap > noise && step.free.normal[i] != laws::NormalMode::closed) continue;
    step.free.normal[i] = laws::NormalMode::open;
    step.contact.push_back(i);
    step.problem.normals.push_back({0});
    const Index normal = step.rows.add_normal(at.normal, 0);
    add_friction_row(step, t, at.tangent, normal, 0);
    add_friction_row(step, r, at.rolling, normal, 0);
  }
}

/// Frictions of joints that can stick; the others are forces of the phase.
void Engine::add_joint_rows(ImpulsiveStep& step) const {
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Index e = elements_.joint(j);
    if (elements_.list[e].dahl >= 0 || !elements_.list[e].has_stick ||
        step.free.friction[e] == laws::FrictionMode::none)
      continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time_, x_.q, x_.v, slip);
    add_friction_row(step, e, slip.row, -1, phase_.forces().joint_normal[j]);
  }
}

/// Adds the impulses of the step's contacts to those of the advance.
void Engine::count_impulses(const ImpulsiveStep& step, const VecX& impulse) {
  for (std::size_t k = 0; k < step.contact.size(); ++k)
    impulses_[step.contact[k]].x() += impulse[static_cast<Index>(k)];
  for (std::size_t f = 0; f < step.is_tangent.size(); ++f) {
    const Index normal = step.problem.frictions[f].normal;
    if (normal >= 0 && step.is_tangent[f])
      impulses_[step.contact[normal]].y() +=
          impulse[step.rows.normal_count() + static_cast<Index>(f)];
  }
}

/// A step of Moreau's time stepping (`moreau_1988`) with inelastic impacts, for where forces do not
/// exist or events do not end: M (v' − v) = h Q + Φ_qᵀ Λ + …, 0 ≤ ġ' ⟂ Λ_N ≥ 0, Coulomb friction on
/// impulses. Frictions whose normal force is known at its start, in joints and compliant contacts,
/// are bounded by h times that.
void Engine::impulsive_step(Outcome& outcome) {
  ImpulsiveStep step;
  step.h = std::min(kThrough * options_.step, end_ - time_);
  if (!(step.h > 0)) {
    is_lost_ = true;
    return;
  }
  v_before_ = x_.v;
  const Real energy_before = energy();
  step.free = phase_.modes();
  add_contact_rows(step);
  add_joint_rows(step);
  const std::vector<JacobianRow> rows = step.rows.rows();
  set_modes(step.free);
  phase_.evaluate_plain(time_, x_, k_);
  x_.v += step.h * k_.a;  // free velocity
  const ReducedDelassus reduction(phase_.constraints().rows, machine_.mass(), rows);
  step.problem.G = reduction.G();
  step.problem.rate.resize(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    step.problem.rate[static_cast<Index>(k)] = rows[k].times(x_.v);
  const laws::ImpactAnswer answer = laws::simultaneous_impact(step.problem);
  ++outcome.solves;
  if (answer.status != SolveStatus::converged) {
    outcome.worsen(SolveStatus::numerical_error,
                   fmt::format("no time step leads on from t = {} s: {}", time_, answer.detail),
                   answer.unsolved);
    return;
  }
  reduction.apply_impulse(answer.impulse, x_.v);
  count_impulses(step, answer.impulse);
  x_.q += step.h * x_.v;
  time_ += step.h;
  is_lost_ = true;
  Event& event = add_event(EventKind::time_step, -1);
  event.v_before = v_before_;
  event.energy_before = energy_before;
}

}  // namespace talus::stepping::event_driven
