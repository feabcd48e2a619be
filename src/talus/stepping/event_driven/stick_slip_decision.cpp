#include <talus/stepping/event_driven/stick_slip_decision.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/stepping/event_driven/painleve_proof.hpp>
#include <talus/stepping/event_driven/reduction.hpp>

namespace talus::stepping::event_driven {

using dynamics::JacobianRow;
using dynamics::System;
using problem::SolveStatus;

namespace {

constexpr Real kRest = 1e-10;      // of the scale of accelerations: no acceleration
constexpr Real kRounding = 1e-14;  // of the accelerations

bool slips(FrictionMode mode) {
  return mode == FrictionMode::slip_plus || mode == FrictionMode::slip_minus;
}

FrictionMode slip_mode(Real direction) {
  return direction < 0 ? FrictionMode::slip_minus : FrictionMode::slip_plus;
}

}  // namespace

/// The rows that are decided together, and what is known of them.
struct Decision::Problem {
  const Modes& modes;
  const std::vector<bool>& is_candidate;
  std::vector<Row> rows;  // normals, then frictions
  Index normal_count = 0;
  std::vector<JacobianRow> planar;
  VecX slip;                            // of friction rows
  VecX lambda_free;                     // reactions without the rows' forces
  std::vector<Index> first_constraint;  // of joint rows
};

Decision::Decision(const System& machine, const FrictionElements& elements)
    : machine_(machine), elements_(elements), probe_(machine, elements) {
  rate_.a = VecX::Zero(machine.coordinate_count());
  rate_.s = VecX::Zero(elements.dahl_count);
}

/// √(aᵀ M a) over what forces move.
Real Decision::norm(const VecX& a) const { return machine_.mass().norm(a); }

/// Accelerations along a row that round-off of all the others can make.
Real Decision::rest(const JacobianRow& row) const {
  return kRest * size_ * std::sqrt(inverse_effective_mass(row, machine_.mass()));
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
    Problem problem{verdict.modes, is_candidate, {}, 0, {}, {}, {}, {}};
    problem.lambda_free = probe_.forces().lambda;
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

bool Decision::solve(Problem& problem, Verdict& verdict) {
  Modes& modes = verdict.modes;
  std::vector<dynamics::ContactTerms> terms(static_cast<std::size_t>(elements_.contact_count));
  const Point& x = *point_;
  // Rows: normals of closed contacts, then every friction that an unknown force has a part in.
  std::vector<Real> drift;
  std::vector<Index> position(static_cast<std::size_t>(elements_.contact_count), -1);
  const auto add = [&](Row row, const JacobianRow& planar, Real slip, Real row_drift, Index first) {
    problem.rows.push_back(row);
    problem.planar.push_back(planar);
    problem.first_constraint.push_back(first);
    drift.push_back(row_drift);
    problem.slip.conservativeResize(static_cast<Index>(problem.rows.size()));
    problem.slip[problem.slip.size() - 1] = slip;
  };
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (modes.normal[i] != NormalMode::closed && modes.normal[i] != NormalMode::pressing) continue;
    machine_.contact(i, x.q, x.v, terms[i]);
    if (modes.normal[i] != NormalMode::closed) continue;
    position[i] = problem.normal_count++;
    add({i, -1}, terms[i].normal, 0, terms[i].normal_drift, -1);
  }
  for (Index i = 0; i < elements_.contact_count; ++i) {
    if (modes.normal[i] != NormalMode::closed && modes.normal[i] != NormalMode::pressing) continue;
    const bool is_closed = modes.normal[i] == NormalMode::closed;
    const Index t = elements_.tangent(i), r = elements_.rolling(i);
    if (modes.friction[t] == FrictionMode::stick ||
        (is_closed && modes.friction[t] != FrictionMode::none))
      add({i, t}, terms[i].tangent, terms[i].slip, terms[i].tangent_drift, -1);
    if (modes.friction[r] == FrictionMode::stick ||
        (is_closed && modes.friction[r] != FrictionMode::none))
      add({i, r}, terms[i].rolling, terms[i].spin, 0, -1);
  }
  for (Index j = 0; j < elements_.joint_count; ++j) {
    const Index e = elements_.joint(j);
    if (modes.friction[e] == FrictionMode::none || elements_.list[e].dahl >= 0) continue;
    dynamics::JointSlip slip;
    machine_.joint_slip(j, x.q, x.v, slip);
    add({-1, e}, slip.row, slip.slip, slip.drift, slip.first_constraint);
  }

  const auto n = static_cast<Index>(problem.rows.size());
  const Reduction reduction(probe_.constraints().rows, machine_.mass(), problem.planar);
  ContactLcp& contacts = contacts_ = {};
  contacts.G = reduction.G();
  contacts.b.resize(n);
  for (Index i = 0; i < n; ++i)
    contacts.b[i] = problem.planar[static_cast<std::size_t>(i)].times(rate_.a) +
                    drift[static_cast<std::size_t>(i)];
  contacts.noise = kRounding * norm(rate_.a);
  std::vector<JointPress>& presses = presses_ = {};
  for (Index i = problem.normal_count; i < n; ++i) {
    const Row& row = problem.rows[static_cast<std::size_t>(i)];
    const FrictionElement& element = elements_.list[row.element];
    const FrictionMode mode = modes.friction[row.element];
    const bool is_stick = mode == FrictionMode::stick;
    FrictionRow friction;
    SlipLaw law{element.static_friction, 0};
    if (!is_stick && element.dahl >= 0)
      law = {0, -x.s[element.dahl] - element.law->viscous * problem.slip[i]};
    else if (!is_stick)
      law = slip_law(element, mode, problem.slip[i]);
    const Real lower = is_stick ? -law.slope : law.slope, upper = law.slope;
    friction.lower = friction.upper = law.offset;
    if (row.contact < 0) {
      JointPress press;
      press.friction = static_cast<Index>(contacts.frictions.size());
      press.element = &element;
      press.lower_slope = lower;
      press.upper_slope = upper;
      press.preload = element.preload;
      const Index first = problem.first_constraint[static_cast<std::size_t>(i)];
      press.free = problem.lambda_free.segment<2>(first);
      press.X = reduction.reactions(first, 2);
      presses.push_back(press);
    } else if (modes.normal[row.contact] == NormalMode::closed) {
      friction.normal = position[row.contact];
      friction.lower_slope = lower;
      friction.upper_slope = upper;
    } else {
      const Real known = probe_.forces().normal[row.contact];
      friction.lower += lower * known;
      friction.upper += upper * known;
    }
    contacts.frictions.push_back(friction);
  }
  const ContactForces forces = solve_or_prove(contacts, presses);
  ++verdict.solves;
  verdict.status = forces.status;
  verdict.certificate = forces.certificate;
  verdict.detail = forces.detail;
  verdict.unsolved = forces.unsolved;
  verdict.is_ambiguous = forces.is_ambiguous;
  verdict.answers = forces.answers;
  if (forces.status != SolveStatus::converged) return false;

  rows_ = problem.rows;
  answer_rate_ = forces.rate;
  set_forces(forces.force, verdict);

  // Who accelerates: beyond round-off of the accelerations that met here.
  a_ = rate_.a;
  reduction.push(forces.force, a_);
  // In equilibrium nothing is left but the round-off of what the joints hold.
  size_ = std::max({norm(a_), norm(rate_.a), probe_.drive()});
  const auto is_parting = [&](Index normal) {
    return forces.rate[normal] > rest(problem.planar[static_cast<std::size_t>(normal)]);
  };
  const Index k = problem.normal_count;
  for (Index i = k; i < n; ++i) {
    const Row& row = problem.rows[static_cast<std::size_t>(i)];
    if (modes.friction[row.element] != FrictionMode::stick) continue;
    const Index normal = contacts.frictions[static_cast<std::size_t>(i - k)].normal;
    if (normal >= 0 && is_parting(normal)) continue;
    const JacobianRow& planar = problem.planar[static_cast<std::size_t>(i)];
    if (std::abs(forces.rate[i]) > rest(planar))
      modes.friction[row.element] = slip_mode(forces.rate[i]);
  }
  const bool slips_anew = std::any_of(
      problem.rows.begin() + problem.normal_count, problem.rows.end(), [&](const Row& row) {
        return problem.is_candidate[row.element] && slips(modes.friction[row.element]);
      });
  if (slips_anew) return true;
  for (Index i = 0; i < k; ++i) {
    if (!is_parting(i)) continue;
    const Index contact = problem.rows[static_cast<std::size_t>(i)].contact;
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
    machine_.joint_slip(j, x.q, x.v, slip);
    if (s * (slip.row.times(a_) + slip.drift) < -rest(slip.row)) return false;
  }
  return true;
}

Verdict Decision::decide(Real time, Point& x, const Question& question) {
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
