#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/stepping/event_driven/event_context.hpp>
#include <talus/stepping/event_driven/impact.hpp>
#include <talus/stepping/event_driven/reduction.hpp>

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
    15;                                  // events without time in between, before restitution ends
constexpr Real kImpactGapNoise = 1e-12;  // of the distances about: no gap

}  // namespace

/// Impacts of all rigid contacts that touch, if one of them approaches; who is closed then.
void Engine::collide(Situation& now, Outcome& outcome) {
  Modes& modes = now.question.modes;
  std::vector<Index> touching;
  std::vector<ContactTerms> terms;
  bool approaches = false;
  // Impacts that follow each other without time in between: the end of a series that several
  // contacts make together, where no contact's own is geometric. All that touch end it together.
  const bool is_end = repeated_ > kMostInstantImpacts;
  const auto touches = [&](Index i) {
    if (now.arrived[i] || modes.normal[i] == NormalMode::closed) return true;
    return is_end && model::is_rigid(machine_.law(i).normal) &&
           machine_.gap(i, x_.q) <= kImpactGapNoise * length_scale();
  };
  now.gap_rate.assign(static_cast<std::size_t>(elements_.contact_count), 0);
  now.slip = now.gap_rate;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (!touches(i)) continue;
    ContactTerms& at = terms.emplace_back();
    machine_.contact(i, x_.q, x_.v, at);
    touching.push_back(i);
    now.gap_rate[i] = at.gap_rate;
    now.slip[i] = at.slip;
    approaches = approaches || at.gap_rate < -slow_speed(at.normal);
  }
  if (touching.empty()) return;
  if (approaches) {
    ImpactProblem problem;
    std::vector<JacobianRow> rows;
    std::vector<Real> rates;
    std::vector<Index> tangent_row(touching.size(), -1);
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const model::ImpactLaw& law = machine_.law(touching[k]).impact;
      problem.normals.push_back({is_end ? 0 : law.restitution});
      problem.is_poisson = problem.is_poisson || law.is_poisson;
      rows.push_back(terms[k].normal);
      rates.push_back(terms[k].gap_rate);
    }
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const FrictionElement& tangent = elements_.list[elements_.tangent(touching[k])];
      const FrictionElement& rolling = elements_.list[elements_.rolling(touching[k])];
      const Real restitution = is_end ? 0 : machine_.law(touching[k]).impact.tangential_restitution;
      if (tangent.kinetic_friction > 0) {
        tangent_row[k] = static_cast<Index>(rows.size());
        problem.frictions.push_back({static_cast<Index>(k), tangent.kinetic_friction, restitution});
        rows.push_back(terms[k].tangent);
        rates.push_back(terms[k].slip);
      }
      if (rolling.kinetic_friction > 0) {
        problem.frictions.push_back({static_cast<Index>(k), rolling.kinetic_friction, 0});
        rows.push_back(terms[k].rolling);
        rates.push_back(terms[k].spin);
      }
    }
    std::vector<Index> joint_of_press;
    for (Index j = 0; j < elements_.joint_count; ++j) {
      const FrictionElement& element = elements_.list[elements_.joint(j)];
      if (!(element.kinetic_friction > 0)) continue;
      dynamics::JointSlip slip;
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
    const Reduction reduction(phase_.constraints().rows, machine_.mass(), rows);
    for (std::size_t j = 0; j < problem.presses.size(); ++j)
      problem.presses[j].X = reduction.reactions(joint_of_press[j], 2);
    problem.G = reduction.G();
    problem.rate = Eigen::Map<const VecX>(rates.data(), static_cast<Index>(rates.size()));
    const bool is_sequential = options_.impacts == "sequential";
    const bool is_bounded = options_.restitution != "as_given";
    const ImpactAnswer answer = is_bounded      ? bounded_impact(problem, is_sequential)
                                : is_sequential ? sequential_impact(problem)
                                                : simultaneous_impact(problem);
    outcome.solves += answer.solves;
    outcome.residual = std::max(outcome.residual, answer.certificate.natural_map);
    if (answer.status == SolveStatus::infeasible) {
      outcome.worsen(SolveStatus::numerical_error,
                     fmt::format("impact at t = {} s: no impulse satisfies the laws: {}", time_,
                                 answer.detail),
                     answer.unsolved);
      return;
    }
    if (answer.status != SolveStatus::converged)
      outcome.worsen(answer.status, fmt::format("impact at t = {} s: {}", time_, answer.detail),
                     answer.unsolved);
    if (raises_energy(problem, answer))
      outcome.worsen(SolveStatus::stalled,
                     fmt::format("the impact law raises the energy at t = {} s by {} J of {} J",
                                 time_, answer.energy, machine_.kinetic_energy(x_.v)));
    now.share = answer.share;
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
    const bool has_ended =
        is_end && approaches && now.impulse[i].x() > 0 && machine_.law(i).impact.restitution > 0;
    if (has_ended && !now.limit) {
      now.limit = time_;
      now.limit_contact = i;
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
    const Real reach = kReach * speed * std::max(limit - time_, Real(0));
    const bool is_near = machine_.gap(i, x_.q) <= reach + kImpactGapNoise * length_scale();
    if (i != contact && !(series_[i].is_tail() && is_near)) continue;
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

/// A step of Moreau's time stepping with inelastic impacts, for where forces do not exist or events
/// do not end: M (v' − v) = h Q + Φ_qᵀ Λ + …, 0 ≤ ġ' ⟂ Λ_N ≥ 0, Coulomb friction on impulses.
/// Frictions whose normal force is known at its start, in joints and compliant contacts, are
/// bounded by h times that.
void Engine::step_through(Outcome& outcome) {
  const Real h = std::min(kThrough * options_.step, end_ - time_);
  if (!(h > 0)) {
    is_lost_ = true;
    return;
  }
  v_before_ = x_.v;
  const Real energy_before = energy();
  Modes free = phase_.modes();
  const Real noise = kImpactGapNoise * length_scale();
  ImpactProblem problem;
  std::vector<JacobianRow> rows, friction_rows;
  std::vector<Index> touching;
  std::vector<bool> is_tangent;  // per friction
  const auto rub = [&](Index e, const JacobianRow& row, Index normal, Real known) {
    const FrictionElement& element = elements_.list[e];
    free.friction[e] = FrictionMode::none;
    if (!(element.kinetic_friction > 0) || !element.is_there()) return;
    problem.frictions.push_back(
        {normal, element.kinetic_friction, 0, h * element.kinetic_friction * known});
    friction_rows.push_back(row);
    is_tangent.push_back(element.kind == FrictionElement::Kind::tangent);
  };
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_rigid = model::is_rigid(machine_.law(i).normal);
    ContactTerms at;
    const Index t = elements_.tangent(i), r = elements_.rolling(i);
    if (!is_rigid && free.normal[i] == NormalMode::pressing) {
      machine_.contact(i, x_.q, x_.v, at);
      const Real known = phase_.forces().normal[i];
      if (free.friction[t] == FrictionMode::stick) rub(t, at.tangent, -1, known);
      if (free.friction[r] == FrictionMode::stick) rub(r, at.rolling, -1, known);
      continue;
    }
    if (!is_rigid) continue;
    machine_.contact(i, x_.q, x_.v, at);
    if (at.gap > noise && free.normal[i] != NormalMode::closed) continue;
    const auto normal = static_cast<Index>(touching.size());
    free.normal[i] = NormalMode::open;
    touching.push_back(i);
    rows.push_back(at.normal);
    problem.normals.push_back({0});
    rub(t, at.tangent, normal, 0);
    rub(r, at.rolling, normal, 0);
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Index e = elements_.joint(j);
    if (elements_.list[e].dahl >= 0 || !elements_.list[e].has_stick ||
        free.friction[e] == FrictionMode::none)
      continue;  // a force of the phase
    dynamics::JointSlip slip;
    machine_.joint_slip(j, x_.q, x_.v, slip);
    rub(e, slip.row, -1, phase_.forces().press[j]);
  }
  rows.insert(rows.end(), friction_rows.begin(), friction_rows.end());
  set_modes(free);
  phase_.evaluate_plain(time_, x_, k_);
  x_.v += h * k_.a;  // free velocity of the time step (`moreau_1988`)
  const Reduction reduction(phase_.constraints().rows, machine_.mass(), rows);
  problem.G = reduction.G();
  problem.rate.resize(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    problem.rate[static_cast<Index>(k)] = rows[k].times(x_.v);
  const ImpactAnswer answer = simultaneous_impact(problem);
  ++outcome.solves;
  if (answer.status != SolveStatus::converged) {
    outcome.worsen(SolveStatus::numerical_error,
                   fmt::format("no time step leads on from t = {} s: {}", time_, answer.detail),
                   answer.unsolved);
    return;
  }
  reduction.push(answer.impulse, x_.v);
  for (std::size_t k = 0; k < touching.size(); ++k)
    impulses_[touching[k]].x() += answer.impulse[static_cast<Index>(k)];
  for (std::size_t f = 0; f < problem.frictions.size(); ++f)
    if (problem.frictions[f].normal >= 0 && is_tangent[f])
      impulses_[touching[problem.frictions[f].normal]].y() +=
          answer.impulse[static_cast<Index>(touching.size() + f)];
  x_.q += h * x_.v;  // with the velocity after the impulses
  time_ += h;
  is_lost_ = true;
  Event& event = add_event(EventKind::time_step, -1);
  event.v_before = v_before_;
  event.energy_before = energy_before;
}

}  // namespace talus::stepping::event_driven
