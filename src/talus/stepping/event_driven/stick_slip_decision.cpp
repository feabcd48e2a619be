#include <talus/stepping/event_driven/stick_slip_decision.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/stepping/event_driven/painleve_proof.hpp>
#include <talus/stepping/tolerances.hpp>

namespace talus::stepping::event_driven {

using dynamics::JacobianRow;
using dynamics::System;
using problem::SolveStatus;

namespace {

bool slips(FrictionMode mode) {
  return mode == FrictionMode::slip_plus || mode == FrictionMode::slip_minus;
}

FrictionMode slip_mode(Real direction) {
  return direction < 0 ? FrictionMode::slip_minus : FrictionMode::slip_plus;
}

}  // namespace

/// The rows that are decided together, and what is known of them.
struct Decision::Problem {
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

Decision::Decision(const System& machine, const FrictionTable& elements)
    : machine_(machine), elements_(elements), probe_(machine, elements) {
  rate_.a = VecX::Zero(machine.coordinate_count());
  rate_.s = VecX::Zero(elements.dahl_count);
}

/// √(aᵀ M a) over what forces move.
Real Decision::norm(const VecX& a) const { return machine_.mass().norm(a); }

/// Accelerations along a row that round-off of all the others can make.
Real Decision::rest(const JacobianRow& row) const {
  return tolerance::kNoAcceleration * size_ *
         std::sqrt(inverse_effective_mass(row, machine_.mass()));
}

/// Accelerations without what is to be decided: without contact forces and joint friction.
void Decision::set_free_motion(Real time, Point& x, const Modes& modes) {
  Modes free = modes;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_closed = modes.normal[i] == NormalMode::closed;
    if (is_closed) free.normal[i] = NormalMode::open;
    for (const Index e : {elements_.tangent(i), elements_.rolling(i)})
      if (is_closed || free.friction[e] == FrictionMode::stick)
        free.friction[e] = FrictionMode::none;
  }
  for (Index i = 0; i < elements_.joint_count; ++i)
    if (elements_.list[elements_.joint(i)].dahl < 0)
      free.friction[elements_.joint(i)] = FrictionMode::none;
  probe_.set_modes(free);
  probe_.evaluate_plain(time, x, rate_);
}

Verdict Decision::attempt(Real time, Point& x, const Question& question) {
  Verdict verdict;
  verdict.modes = question.modes;
  std::vector<bool> is_candidate = question.is_candidate;
  const auto count = static_cast<Index>(elements_.list.size());
  for (Index e = 0; e < count; ++e) {
    FrictionMode& mode = verdict.modes.friction[e];
    if (is_candidate[e] && question.saturated[e] != 0) {
      mode = slip_mode(question.saturated[e]);
      is_candidate[e] = false;
    }
    if (is_candidate[e]) mode = FrictionMode::stick;
  }
  for (Index i = 0; i < elements_.contact_count; ++i)
    if (question.vanished[i]) {
      verdict.modes.normal[i] = NormalMode::open;
      verdict.modes.friction[elements_.tangent(i)] = FrictionMode::none;
      verdict.modes.friction[elements_.rolling(i)] = FrictionMode::none;
    }

  // Static friction first; what starts to slip falls from μ₀ to μ and the rest is decided again
  // (`pfeiffer_1996` §5), at most once per candidate.
  for (;;) {
    set_free_motion(time, x, verdict.modes);
    Problem problem{is_candidate, probe_.forces().lambda};
    if (!solve(problem, verdict)) return verdict;
    // solve() has put the new slips into verdict.modes; they are candidates no more.
    bool is_new = false;
    for (Index e = 0; e < count; ++e)
      if (is_candidate[e] && slips(verdict.modes.friction[e])) {
        is_candidate[e] = false;
        is_new = true;
      }
    if (!is_new) return verdict;
  }
}

/// Rows: normals of closed contacts, then every friction that an unknown force has a part in.
void Decision::gather_rows(const Modes& modes, Problem& problem) const {
  const Point& x = *point_;
  const auto add_friction = [&](Row owner, const JacobianRow& row, Real slip, Real drift,
                                Index first) {
    problem.drifts.add_friction(row, drift);
    problem.frictions.push_back({owner, slip, first});
  };
  problem.place.assign(static_cast<std::size_t>(elements_.contact_count), -1);
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const bool is_closed = modes.normal[i] == NormalMode::closed;
    if (!is_closed && modes.normal[i] != NormalMode::pressing) continue;
    const auto takes_part = [&](FrictionMode mode) {
      return mode == FrictionMode::stick || (is_closed && mode != FrictionMode::none);
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
    if (modes.friction[e] == FrictionMode::none || elements_.list[e].dahl >= 0) continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time_, x.q, x.v, slip);
    add_friction({-1, e}, slip.row, slip.slip, slip.drift, slip.first_constraint);
  }
  problem.rows = problem.drifts.rows();
}

/// Bounds of a friction: between ±μ₀ N where it is held, the two in one where it slips.
void Decision::add_bounds(const Modes& modes, const Problem& problem, Index friction,
                          const Reduction& reduction) {
  const Problem::Friction& row = problem.frictions[static_cast<std::size_t>(friction)];
  const FrictionElement& element = elements_.list[row.owner.element];
  const FrictionMode mode = modes.friction[row.owner.element];
  const bool is_stick = mode == FrictionMode::stick;
  FrictionRow bounds;
  SlipLaw law{element.static_friction, 0};
  if (!is_stick && element.dahl >= 0)
    law = {0, -point_->s[element.dahl] - element.law->viscous * row.slip};
  else if (!is_stick)
    law = slip_law(element, mode, row.slip);
  const Real lower = is_stick ? -law.slope : law.slope, upper = law.slope;
  bounds.lower = bounds.upper = law.offset;
  if (row.owner.contact < 0 && !element.is_pressed) {
    bounds.lower += lower * element.preload;
    bounds.upper += upper * element.preload;
  } else if (row.owner.contact < 0) {
    JointPress press;
    press.friction = friction;
    press.element = &element;
    press.lower_slope = lower;
    press.upper_slope = upper;
    press.preload = element.preload;
    press.free = problem.lambda_free.segment<2>(row.first_constraint);
    press.X = reduction.reactions(row.first_constraint, 2);
    presses_.push_back(press);
  } else if (modes.normal[row.owner.contact] == NormalMode::closed) {
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
bool Decision::release_held(const Problem& problem, const ContactForces& forces,
                            Modes& modes) const {
  const Index k = problem.drifts.normal_count();
  bool slips_anew = false;
  for (std::size_t f = 0; f < problem.frictions.size(); ++f) {
    const Row& owner = problem.frictions[f].owner;
    FrictionMode& mode = modes.friction[owner.element];
    const Index at = k + static_cast<Index>(f), normal = contacts_.frictions[f].normal;
    const bool is_free = normal >= 0 && is_parting(problem, forces, normal);
    if (mode == FrictionMode::stick && !is_free &&
        std::abs(forces.rate[at]) > rest(problem.rows[at]))
      mode = slip_mode(forces.rate[at]);
    slips_anew = slips_anew || (problem.is_candidate[owner.element] && slips(mode));
  }
  return slips_anew;
}

/// Whether a normal accelerates apart, beyond round-off of the accelerations that met here.
bool Decision::is_parting(const Problem& problem, const ContactForces& forces, Index normal) const {
  return forces.rate[normal] > rest(problem.rows[normal]);
}

bool Decision::solve(Problem& problem, Verdict& verdict) {
  Modes& modes = verdict.modes;
  gather_rows(modes, problem);
  const Reduction reduction(probe_.constraints().rows, machine_.mass(), problem.rows);
  contacts_ = {};
  presses_ = {};
  contacts_.G = reduction.G();
  contacts_.b = problem.drifts.values();
  for (std::size_t i = 0; i < problem.rows.size(); ++i)
    contacts_.b[static_cast<Index>(i)] += problem.rows[i].times(rate_.a);
  contacts_.noise = tolerance::kAccelerationRounding * norm(rate_.a);
  for (Index f = 0; f < problem.drifts.friction_count(); ++f)
    add_bounds(modes, problem, f, reduction);
  const ContactForces forces = solve_or_prove(contacts_, presses_);
  ++verdict.solves;
  verdict.status = forces.status;
  verdict.certificate = forces.certificate;
  verdict.detail = forces.detail;
  verdict.unsolved = forces.unsolved;
  verdict.is_ambiguous = forces.is_ambiguous;
  verdict.answers = forces.answers;
  if (forces.status != SolveStatus::converged) return false;

  rows_ = problem.normals;
  for (const Problem::Friction& row : problem.frictions) rows_.push_back(row.owner);
  answer_rate_ = forces.rate;
  set_forces(forces.force, verdict);
  a_ = rate_.a;
  reduction.push(forces.force, a_);
  // In equilibrium nothing is left but the round-off of what the joints hold.
  size_ = std::max({norm(a_), norm(rate_.a), probe_.drive()});
  if (release_held(problem, forces, modes)) return true;
  for (std::size_t i = 0; i < problem.normals.size(); ++i) {
    if (!is_parting(problem, forces, static_cast<Index>(i))) continue;
    const Index contact = problem.normals[i].contact;
    modes.normal[contact] = NormalMode::open;
    modes.friction[elements_.tangent(contact)] = FrictionMode::none;
    modes.friction[elements_.rolling(contact)] = FrictionMode::none;
  }
  return true;
}

void Decision::set_forces(const VecX& force, Verdict& verdict) const {
  verdict.normal = VecX::Zero(elements_.contact_count);
  verdict.friction = VecX::Zero(static_cast<Index>(elements_.list.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto [contact, element] = rows_[i];
    (element < 0 ? verdict.normal[contact] : verdict.friction[element]) =
        force[static_cast<Index>(i)];
  }
}

void Decision::centre(Verdict& verdict) const {
  const ContactStates states = find_all(contacts_, presses_);
  Real nearest = std::numeric_limits<Real>::infinity();
  for (const ContactAnswer& answer : states.answers) {
    const Real distance = (answer.rate - answer_rate_).norm();
    if (!(distance < nearest)) continue;
    nearest = distance;
    set_forces(answer.force, verdict);
  }
}

/// Whether contacts that vanished do part, and those that saturated do slip that way.
bool Decision::is_way_out(const Point& x, const Question& question) const {
  dynamics::ContactTerms terms;
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const Real s = question.saturated[elements_.tangent(i)];
    const Real roll = question.saturated[elements_.rolling(i)];
    if (!question.vanished[i] && s == 0 && roll == 0) continue;
    machine_.contact(i, x.q, x.v, terms);
    if (question.vanished[i] && terms.normal.times(a_) + terms.normal_drift < -rest(terms.normal))
      return false;
    if (s * (terms.tangent.times(a_) + terms.tangent_drift) < -rest(terms.tangent)) return false;
    if (roll * terms.rolling.times(a_) < -rest(terms.rolling)) return false;
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Real s = question.saturated[elements_.joint(j)];
    if (s == 0) continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, time_, x.q, x.v, slip);
    if (s * (slip.row.times(a_) + slip.drift) < -rest(slip.row)) return false;
  }
  return true;
}

Verdict Decision::decide(Real time, Point& x, const Question& question) {
  time_ = time;
  point_ = &x;
  Verdict verdict = attempt(time, x, question);
  const bool has_hints =
      std::any_of(question.vanished.begin(), question.vanished.end(), [](bool b) { return b; }) ||
      std::any_of(question.saturated.begin(), question.saturated.end(),
                  [](Real s) { return s != 0; });
  if (!has_hints || (verdict.status == SolveStatus::converged && is_way_out(x, question)))
    return verdict;
  Question open = question;
  open.vanished.assign(open.vanished.size(), false);
  open.saturated.assign(open.saturated.size(), 0);
  const Index solves = verdict.solves;
  verdict = attempt(time, x, open);
  verdict.solves += solves;
  return verdict;
}

}  // namespace talus::stepping::event_driven
