#include <talus/stepping/event_driven/stick_slip_decision.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/laws/painleve_proof.hpp>
#include <talus/laws/tolerances.hpp>

namespace talus::stepping::event_driven {

using dynamics::JacobianRow;
using dynamics::System;
using problem::SolveStatus;

namespace {

bool slips(laws::FrictionMode mode) {
  return mode == laws::FrictionMode::slip_plus || mode == laws::FrictionMode::slip_minus;
}

laws::FrictionMode slip_mode(Real direction) {
  return direction < 0 ? laws::FrictionMode::slip_minus : laws::FrictionMode::slip_plus;
}

}  // namespace

/// The rows that are decided together, and what is known of them.
struct StickSlipDecision::Problem {
  const std::vector<bool>& is_candidate;
  VecX lambda_free;               // reactions without the rows' forces
  ContactRows drifts = {};        // the rows, each with its drift
  std::vector<Row> normals = {};  // their owners
  std::vector<Index> place = {};  // of every contact among the normals, −1: not closed
  struct Friction {
    Row owner;
    Real slip;
    Index first_constraint;  // of a joint's reactions, −1: a contact's friction
  };
  std::vector<Friction> frictions = {};
  std::vector<JacobianRow> rows = {};  // all, normals first
};

StickSlipDecision::StickSlipDecision(const System& machine, const laws::FrictionTable& elements)
    : machine_(machine), elements_(elements), probe_(machine, elements) {
  rate_.a = VecX::Zero(machine.coordinate_count());
  rate_.s = VecX::Zero(elements.dahl_count);
}

/// √(aᵀ M a) over what forces move.
Real StickSlipDecision::norm(const VecX& a) const { return machine_.mass().norm(a); }

/// Accelerations along a row that round-off of all the others can make.
Real StickSlipDecision::rest(const JacobianRow& row) const {
  return tolerance::kNoAcceleration * size_ *
         std::sqrt(inverse_effective_mass(row, machine_.mass()));
}

/// Accelerations without what is to be decided: without contact forces and joint friction.
void StickSlipDecision::set_free_motion(Real time, Point& x, const laws::Modes& modes) {
  laws::Modes free = modes;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_closed = modes.normal[i] == laws::NormalMode::closed;
    if (is_closed) free.normal[i] = laws::NormalMode::open;
    for (const Index e : {elements_.tangent(i), elements_.rolling(i)})
      if (is_closed || free.friction[e] == laws::FrictionMode::stick)
        free.friction[e] = laws::FrictionMode::none;
  }
  for (Index i = 0; i < elements_.joint_count; ++i)
    if (elements_.list[elements_.joint(i)].dahl < 0)
      free.friction[elements_.joint(i)] = laws::FrictionMode::none;
  probe_.set_modes(free);
  probe_.evaluate_plain(time, x, rate_);
}

ModeSolution StickSlipDecision::attempt(Real time, Point& x, const ModeQuery& query) {
  ModeSolution solution;
  solution.modes = query.modes;
  std::vector<bool> is_candidate = query.is_candidate;
  const auto count = static_cast<Index>(elements_.list.size());
  for (Index e = 0; e < count; ++e) {
    laws::FrictionMode& mode = solution.modes.friction[e];
    if (is_candidate[e] && query.saturated[e] != 0) {
      mode = slip_mode(query.saturated[e]);
      is_candidate[e] = false;
    }
    if (is_candidate[e]) mode = laws::FrictionMode::stick;
  }
  for (Index i = 0; i < elements_.contact_count; ++i)
    if (query.vanished[i]) {
      solution.modes.normal[i] = laws::NormalMode::open;
      solution.modes.friction[elements_.tangent(i)] = laws::FrictionMode::none;
      solution.modes.friction[elements_.rolling(i)] = laws::FrictionMode::none;
    }

  // Static friction first; what starts to slip falls from μ₀ to μ and the rest is decided again
  // (`pfeiffer_1996` §5), at most once per candidate.
  for (;;) {
    set_free_motion(time, x, solution.modes);
    Problem problem{is_candidate, probe_.forces().lambda};
    if (!solve(problem, solution)) return solution;
    // solve() has put the new slips into verdict.modes; they are candidates no more.
    bool is_new = false;
    for (Index e = 0; e < count; ++e)
      if (is_candidate[e] && slips(solution.modes.friction[e])) {
        is_candidate[e] = false;
        is_new = true;
      }
    if (!is_new) return solution;
  }
}

/// Rows: normals of closed contacts, then every friction that an unknown force has a part in.
void StickSlipDecision::gather_rows(const laws::Modes& modes, Problem& problem) const {
  const Point& x = *point_;
  const auto add_friction = [&](Row owner, const JacobianRow& row, Real slip, Real drift,
                                Index first) {
    problem.drifts.add_friction(row, drift);
    problem.frictions.push_back({owner, slip, first});
  };
  problem.place.assign(static_cast<std::size_t>(elements_.contact_count), -1);
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_closed = modes.normal[i] == laws::NormalMode::closed;
    if (!is_closed && modes.normal[i] != laws::NormalMode::pressing) continue;
    const auto takes_part = [&](laws::FrictionMode mode) {
      return mode == laws::FrictionMode::stick || (is_closed && mode != laws::FrictionMode::none);
    };
    dynamics::ContactTerms at;
    machine_.contact(i, x.q, x.v, at);
    if (is_closed) {
      problem.place[i] = problem.drifts.add_normal(at.normal, at.normal_drift);
      problem.normals.push_back({i, -1});
    }
    const Index t = elements_.tangent(i), r = elements_.rolling(i);
    if (takes_part(modes.friction[t]))
      add_friction({i, t}, at.tangent, at.slip, at.tangent_drift, -1);
    if (takes_part(modes.friction[r])) add_friction({i, r}, at.rolling, at.spin, 0, -1);
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Index e = elements_.joint(j);
    if (modes.friction[e] == laws::FrictionMode::none || elements_.list[e].dahl >= 0) continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time_, x.q, x.v, slip);
    add_friction({-1, e}, slip.row, slip.slip, slip.drift, slip.first_constraint);
  }
  problem.rows = problem.drifts.rows();
}

/// Bounds of a friction: between ±μ₀ N where it is held, the two in one where it slips.
void StickSlipDecision::add_bounds(const laws::Modes& modes, const Problem& problem, Index friction,
                                   const ReducedDelassus& reduction) {
  const Problem::Friction& row = problem.frictions[static_cast<std::size_t>(friction)];
  const laws::FrictionElement& element = elements_.list[row.owner.element];
  const laws::FrictionMode mode = modes.friction[row.owner.element];
  const bool is_stick = mode == laws::FrictionMode::stick;
  laws::FrictionRow bounds;
  laws::SlipLaw law{element.static_friction, 0};
  if (!is_stick && element.dahl >= 0)
    law = {0, -point_->s[element.dahl] - element.law->viscous * row.slip};
  else if (!is_stick)
    law = laws::slip_law(element, mode, row.slip);
  const Real lower = is_stick ? -law.slope : law.slope, upper = law.slope;
  bounds.lower = bounds.upper = law.offset;
  if (row.owner.contact < 0 && !element.is_pressed) {
    bounds.lower += lower * element.preload;
    bounds.upper += upper * element.preload;
  } else if (row.owner.contact < 0) {
    laws::JointNormalForce joint_normal;
    joint_normal.friction = friction;
    joint_normal.element = &element;
    joint_normal.lower_slope = lower;
    joint_normal.upper_slope = upper;
    joint_normal.preload = element.preload;
    joint_normal.free = problem.lambda_free.segment<2>(row.first_constraint);
    joint_normal.X = reduction.reactions(row.first_constraint, 2);
    joint_normals_.push_back(joint_normal);
  } else if (modes.normal[row.owner.contact] == laws::NormalMode::closed) {
    bounds.normal = problem.place[row.owner.contact];
    bounds.lower_slope = lower;
    bounds.upper_slope = upper;
  } else {
    const Real known = probe_.forces().normal[row.owner.contact];
    bounds.lower += lower * known;
    bounds.upper += upper * known;
  }
  contacts_.frictions.push_back(bounds);
}

/// Frictions that were held and accelerate slip from now on. @return whether a candidate does.
bool StickSlipDecision::release_held(const Problem& problem, const laws::ContactForces& forces,
                                     laws::Modes& modes) const {
  const Index k = problem.drifts.normal_count();
  bool slips_anew = false;
  for (std::size_t f = 0; f < problem.frictions.size(); ++f) {
    const Row& owner = problem.frictions[f].owner;
    laws::FrictionMode& mode = modes.friction[owner.element];
    const Index at = k + static_cast<Index>(f), normal = contacts_.frictions[f].normal;
    const bool is_free = normal >= 0 && is_parting(problem, forces, normal);
    if (mode == laws::FrictionMode::stick && !is_free &&
        std::abs(forces.rate[at]) > rest(problem.rows[at]))
      mode = slip_mode(forces.rate[at]);
    slips_anew = slips_anew || (problem.is_candidate[owner.element] && slips(mode));
  }
  return slips_anew;
}

/// Whether a normal accelerates apart, beyond round-off of the accelerations that met here.
bool StickSlipDecision::is_parting(const Problem& problem, const laws::ContactForces& forces,
                                   Index normal) const {
  return forces.rate[normal] > rest(problem.rows[normal]);
}

bool StickSlipDecision::solve(Problem& problem, ModeSolution& solution) {
  laws::Modes& modes = solution.modes;
  gather_rows(modes, problem);
  const ReducedDelassus reduction(probe_.constraints().rows, machine_.mass(), problem.rows);
  contacts_ = {};
  joint_normals_ = {};
  contacts_.G = reduction.G();
  contacts_.b = problem.drifts.values();
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    contacts_.b[static_cast<Index>(i)] += problem.rows[i].times(rate_.a);
  contacts_.noise = tolerance::kAccelerationRounding * norm(rate_.a);
  for (Index f = 0; f < problem.drifts.friction_count(); ++f)
    add_bounds(modes, problem, f, reduction);
  const laws::ContactForces forces = laws::solve_or_prove(contacts_, joint_normals_);
  ++solution.solves;
  solution.status = forces.status;
  solution.certificate = forces.certificate;
  solution.detail = forces.detail;
  solution.unsolved = forces.unsolved;
  solution.is_ambiguous = forces.is_ambiguous;
  solution.answers = forces.answers;
  if (forces.status != SolveStatus::converged) return false;

  rows_ = problem.normals;
  for (const Problem::Friction& row : problem.frictions) rows_.push_back(row.owner);
  answer_rate_ = forces.rate;
  set_forces(forces.force, solution);
  a_ = rate_.a;
  reduction.apply_impulse(forces.force, a_);
  // In equilibrium nothing is left but the round-off of what the joints hold.
  size_ = std::max({norm(a_), norm(rate_.a), probe_.applied_force_norm()});
  if (release_held(problem, forces, modes)) return true;
  for (std::size_t i = 0; i < problem.normals.size(); ++i) {
    if (!is_parting(problem, forces, static_cast<Index>(i))) continue;
    const Index contact = problem.normals[i].contact;
    modes.normal[contact] = laws::NormalMode::open;
    modes.friction[elements_.tangent(contact)] = laws::FrictionMode::none;
    modes.friction[elements_.rolling(contact)] = laws::FrictionMode::none;
  }
  return true;
}

void StickSlipDecision::set_forces(const VecX& force, ModeSolution& solution) const {
  solution.normal = VecX::Zero(elements_.contact_count);
  solution.friction = VecX::Zero(static_cast<Index>(elements_.list.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto [contact, element] = rows_[i];
    (element < 0 ? solution.normal[contact] : solution.friction[element]) =
        force[static_cast<Index>(i)];
  }
}

void StickSlipDecision::centre(ModeSolution& solution) const {
  const laws::ContactStates states = laws::find_all(contacts_, joint_normals_);
  Real nearest = std::numeric_limits<Real>::infinity();
  for (const laws::ContactAnswer& answer : states.answers) {
    const Real distance = (answer.rate - answer_rate_).norm();
    if (!(distance < nearest)) continue;
    nearest = distance;
    set_forces(answer.force, solution);
  }
}

/// Whether contacts that vanished do part, and those that saturated do slip that way.
bool StickSlipDecision::is_way_out(const Point& x, const ModeQuery& query) const {
  dynamics::ContactTerms terms;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const Real s = query.saturated[elements_.tangent(i)];
    const Real roll = query.saturated[elements_.rolling(i)];
    if (!query.vanished[i] && s == 0 && roll == 0) continue;
    machine_.contact(i, x.q, x.v, terms);
    if (query.vanished[i] && terms.normal.times(a_) + terms.normal_drift < -rest(terms.normal))
      return false;
    if (s * (terms.tangent.times(a_) + terms.tangent_drift) < -rest(terms.tangent)) return false;
    if (roll * terms.rolling.times(a_) < -rest(terms.rolling)) return false;
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Real s = query.saturated[elements_.joint(j)];
    if (s == 0) continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time_, x.q, x.v, slip);
    if (s * (slip.row.times(a_) + slip.drift) < -rest(slip.row)) return false;
  }
  return true;
}

ModeSolution StickSlipDecision::solve_modes(Real time, Point& x, const ModeQuery& query) {
  time_ = time;
  point_ = &x;
  ModeSolution solution = attempt(time, x, query);
  const bool has_hints =
      std::any_of(query.vanished.begin(), query.vanished.end(), [](bool b) { return b; }) ||
      std::any_of(query.saturated.begin(), query.saturated.end(), [](Real s) { return s != 0; });
  if (!has_hints || (solution.status == SolveStatus::converged && is_way_out(x, query)))
    return solution;
  ModeQuery open = query;
  open.vanished.assign(open.vanished.size(), false);
  open.saturated.assign(open.saturated.size(), 0);
  const Index solves = solution.solves;
  solution = attempt(time, x, open);
  solution.solves += solves;
  return solution;
}

}  // namespace talus::stepping::event_driven
