#include <talus/stepping/event_driven/phase.hpp>

#include <algorithm>
#include <cmath>

#include <talus/laws/joint_lcp.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/event_driven/reduced_delassus.hpp>

namespace talus::stepping::event_driven {

using dynamics::ContactTerms;
using dynamics::JacobianRow;
using dynamics::System;

namespace {

constexpr int kMostPasses = 200;  // of the fixed point of joint friction
constexpr Real kDahlTime = 1e-6;  // [s] in which Dahl's force follows its bound at least
constexpr Real kLeastRedundantShare =
    1e-6;  // of a friction in what redundant contacts bear together

}  // namespace

Phase::Phase(const System& machine, const laws::FrictionTable& elements)
    : machine_(machine), elements_(elements) {
  const Index n = machine.coordinate_count(), contacts = machine.contact_count();
  const auto count = static_cast<Index>(elements.list.size());
  Q_ = work_ = VecX::Zero(n);
  free_ = (machine.mass().inverse_diagonal().array() > 0).cast<Real>();
  terms_.resize(static_cast<std::size_t>(contacts));
  rows_.resize(elements.list.size());
  slip_ = drift_ = slope_ = offset_ = VecX::Zero(count);
  joint_slips_.resize(static_cast<std::size_t>(elements.joint_count));
  forces_.lambda = r_ = VecX::Zero(machine.constraint_count());
  forces_.normal = VecX::Zero(contacts);
  forces_.friction = VecX::Zero(count);
  forces_.joint_normal = VecX::Zero(elements.joint_count);
  constraints_.rows.reserve(static_cast<std::size_t>(machine.constraint_count()));
  laws::Modes modes;
  modes.normal.resize(static_cast<std::size_t>(contacts), laws::NormalMode::open);
  modes.friction.resize(elements.list.size(), laws::FrictionMode::none);
  modes.impact_rate.resize(static_cast<std::size_t>(contacts), 0);
  set_modes(modes);
}

void Phase::set_modes(const laws::Modes& modes) {
  modes_ = modes;
  modes_.side.assign(modes.normal.size(), -1);
  reference_.resize(0);
  contact_system_.set_least_pivot(linalg::MinimumNorm::kRounding);
  forces_.normal.setZero();
  forces_.friction.setZero();
  active_.clear();
  joints_.clear();
  unknowns_.clear();
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const laws::NormalMode mode = modes.normal[i];
    if (mode == laws::NormalMode::open || mode == laws::NormalMode::released) continue;
    active_.push_back(i);
    if (mode == laws::NormalMode::closed) unknowns_.push_back({i, -1});
    for (const Index e : {elements_.tangent(i), elements_.rolling(i)})
      if (modes.friction[e] == laws::FrictionMode::stick) unknowns_.push_back({-1, e});
  }
  for (Index i = 0; i < elements_.joint_count; ++i) {
    const Index e = elements_.joint(i);
    const laws::FrictionMode mode = modes.friction[e];
    if (mode == laws::FrictionMode::stick) unknowns_.push_back({-1, e});
    const laws::FrictionElement& element = elements_.list[e];
    if (mode != laws::FrictionMode::stick && mode != laws::FrictionMode::none && element.dahl < 0 &&
        element.is_pressed)
      joints_.push_back(i);
  }
  const auto c = static_cast<Index>(unknowns_.size());
  const Index m = machine_.constraint_count();
  test_.resize(unknowns_.size());
  force_.resize(unknowns_.size());
  target_.resize(c);
  contact_system_.reserve(c);
  X_.resize(m, c);
  test_phi_.resize(c, m);
  S_.resize(c, c);
  scale_.resize(c);
  weight_.resize(c);
  y_.resize(c);
  responses_.resize(joints_.size());
  joint_force_ = joint_miss_ = VecX::Zero(static_cast<Index>(joints_.size()));
  for (Response& response : responses_) {
    response.a.resize(machine_.coordinate_count());
    response.lambda.resize(m);
    response.y.resize(c);
  }
}

void Phase::take_sides(const Point& x) {
  for (const Index i : active_) {
    if (modes_.normal[i] != laws::NormalMode::closed || !machine_.is_sharp(i)) continue;
    machine_.contact(i, x.q, x.v, terms_[i]);
    modes_.side[i] = terms_[i].side;
  }
}

void Phase::evaluate(Real time, Point& x, Rate& rate) {
  gather(time, x);
  machine_.coordinate_rate(x.q, x.v, rate.q);
  factor();
  machine_.mass().solve(Q_, rate.a);
  machine_.prescribe(time, x.q, x.v, rate.a);
  solve(rate.a, forces_.lambda, y_, false);
  if (rank_ < static_cast<Index>(unknowns_.size())) share(y_, rate.a);
  if (!joints_.empty()) solve_joint_friction(rate.a);
  finish(x, rate);
}

void Phase::evaluate_plain(Real time, Point& x, Rate& rate) {
  is_plain_ = true;
  evaluate(time, x, rate);
  is_plain_ = false;
}

void Phase::project_error(Point& error) {
  if (constraint_factor_.rank() >= full_rank_factor_.rank()) {
    full_rank_factor_ = constraint_factor_;
    full_rank_rows_ = constraints_.rows;
  }
  for (VecX* part : {&error.q, &error.v}) {
    for (Index k = 0; k < full_rank_factor_.count(); ++k)
      r_[k] = part == &error.v || machine_.holds_place(k) ? full_rank_rows_[k].times(*part) : 0;
    full_rank_factor_.solve(r_, r_);
    for (Index k = 0; k < full_rank_factor_.count(); ++k)
      apply_impulse(full_rank_rows_[k], -r_[k], machine_.mass(), *part);
  }
}

Real Phase::applied_force_norm() const {
  return std::sqrt(machine_.mass().inverse_form(Q_) + brakes_);
}

/// All rows, known forces and targets of the rates.
void Phase::gather(Real time, Point& x) {
  time_ = time;
  machine_.prescribe(time, x.q, x.v, work_);
  machine_.take_mass(x.q);
  machine_.force(time, x.q, x.v, Q_);
  machine_.constraints(time, x.q, x.v, constraints_);
  for (const Index i : active_) gather_contact(i, x);
  brakes_ = 0;
  for (Index i = 0; i < elements_.joint_count; ++i) gather_joint(i, time, x);
  const Baumgarte by = is_plain_ ? Baumgarte{} : baumgarte_;
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const auto [contact, element] = unknowns_[u];
    const auto at = static_cast<Index>(u);
    if (contact >= 0) {
      const ContactTerms& terms = terms_[contact];
      test_[u] = force_[u] = terms.normal;
      for (const Index e : {elements_.tangent(contact), elements_.rolling(contact)})
        if (slope_[e] != 0) force_[u].add(rows_[e], slope_[e]);
      target_[at] = terms.normal_drift + by.alpha * terms.gap_rate + by.beta * terms.gap;
    } else {
      test_[u] = force_[u] = rows_[element];
      target_[at] = drift_[element] + by.alpha * slip_[element];
    }
  }
}

void Phase::gather_contact(Index i, const Point& x) {
  ContactTerms& terms = terms_[i];
  machine_.contact_on_side(i, modes_.side_of(i), x.q, x.v, terms);
  if (modes_.normal[i] == laws::NormalMode::pressing) {
    forces_.normal[i] = terms.gap < 0 ? model::normal_force(machine_.law(i).normal, -terms.gap,
                                                            -terms.gap_rate, modes_.impact_rate[i])
                                      : 0;
    terms.normal.add_to(Q_, forces_.normal[i]);
  }
  const Index tangent = elements_.tangent(i), rolling = elements_.rolling(i);
  slope_[tangent] = slope_[rolling] = 0;
  if (modes_.friction[tangent] != laws::FrictionMode::none) {
    rows_[tangent] = terms.tangent;
    slip_[tangent] = terms.slip;
    drift_[tangent] = terms.tangent_drift;
    add_friction(tangent, i, x);
  }
  if (modes_.friction[rolling] != laws::FrictionMode::none) {
    JacobianRow& row = rows_[rolling];
    row = {terms.normal.body_a, terms.normal.body_b, Vec3(0, 0, -1), Vec3(0, 0, 1)};
    slip_[rolling] = row.times(x.v);
    drift_[rolling] = 0;
    add_friction(rolling, i, x);
  }
}

/// Friction of a contact that slips: known, or proportional to an unknown normal force.
void Phase::add_friction(Index e, Index contact, const Point& x) {
  const laws::FrictionElement& element = elements_.list[e];
  const laws::FrictionMode mode = modes_.friction[e];
  if (mode == laws::FrictionMode::stick) return;
  laws::SlipLaw law;
  if (element.dahl >= 0)
    law = {0, -x.s[element.dahl] - element.law->viscous * slip_[e]};
  else
    law = laws::slip_law(element, mode, slip_[e]);
  slope_[e] = law.slope;
  offset_[e] = law.offset;
  Real known = law.offset;
  if (modes_.normal[contact] == laws::NormalMode::pressing) {
    known += law.slope * forces_.normal[contact];
    slope_[e] = 0;
    offset_[e] = known;
  }
  rows_[e].add_to(Q_, known);
}

void Phase::gather_joint(Index i, Real time, const Point& x) {
  const Index e = elements_.joint(i);
  const laws::FrictionElement& element = elements_.list[e];
  const bool is_none = modes_.friction[e] == laws::FrictionMode::none;
  if (is_none && element.preload == 0) return;
  dynamics::JointSlip& slip = joint_slips_[i];
  machine_.joint_slip(i, time, x.q, x.v, slip);
  const Real brake = element.static_friction * element.preload;
  brakes_ += brake * brake * inverse_effective_mass(slip.row, machine_.mass());
  if (is_none) return;
  rows_[e] = slip.row;
  slip_[e] = slip.slip;
  drift_[e] = slip.drift;
  if (modes_.friction[e] == laws::FrictionMode::stick) return;
  if (element.dahl >= 0) {
    slope_[e] = 0;
    offset_[e] = -x.s[element.dahl] - element.law->viscous * slip.slip;
    rows_[e].add_to(Q_, offset_[e]);
    return;
  }
  const laws::SlipLaw law = laws::slip_law(element, modes_.friction[e], slip.slip);
  slope_[e] = law.slope;
  offset_[e] = law.offset;
  if (element.is_pressed) return;
  slope_[e] = 0;
  offset_[e] += law.slope * element.preload;
  rows_[e].add_to(Q_, offset_[e]);
}

/// S = R M⁻¹ Cᵀ − R M⁻¹ Φ_qᵀ D⁻¹ Φ_q M⁻¹ Cᵀ with R the rates' rows and C the forces' rows: what the
/// unknown forces do once the reactions have answered.
void Phase::factor() {
  const dynamics::MassMatrix& mass = machine_.mass();
  constraint_factor_.factorise(constraints_.rows, mass);
  if (constraint_factor_.rank() > full_rank_) {
    full_rank_ = constraint_factor_.rank();
    full_pivot_ = 0;
  }
  if (constraint_factor_.rank() == full_rank_)
    full_pivot_ = std::max(full_pivot_, constraint_factor_.least_pivot());
  is_singular_ = is_singular_ || constraint_factor_.rank() < full_rank_ ||
                 constraint_factor_.least_pivot() < tolerance::kNearSingular * full_pivot_;
  const Index m = constraint_factor_.count();
  const auto c = static_cast<Index>(unknowns_.size());
  painleve_indicator_ = 1;
  for (Index j = 0; j < c; ++j) {
    for (Index k = 0; k < m; ++k) {
      r_[k] = delassus_entry(constraints_.rows[k], force_[j], mass);
      test_phi_(j, k) = delassus_entry(constraints_.rows[k], test_[j], mass);
    }
    if (m > 0) {
      constraint_factor_.solve(r_, r_);
      X_.col(j) = r_;
    }
  }
  for (Index i = 0; i < c; ++i) {
    for (Index j = 0; j < c; ++j) {
      Real sum = delassus_entry(test_[i], force_[j], mass);
      for (Index k = 0; k < m; ++k) sum -= test_phi_(i, k) * X_(k, j);
      S_(i, j) = sum;
    }
    const Real own = inverse_effective_mass(test_[i], mass);
    scale_[i] = own > 0 ? 1 / std::sqrt(own) : 1;
    if (unknowns_[i].contact >= 0)
      painleve_indicator_ = std::min(painleve_indicator_, S_(i, i) / own);
  }
}

/// Φ_q v̇ + Φ̇_q v + 2Φ_qt v + Φ_tt = −αΦ̇ − βΦ for λ, then S y = target − rates for the forces of
/// closed contacts and held frictions.
/// Rates and forces from a = M⁻¹ (known forces). A response is to a force alone: no drift.
void Phase::solve(VecX& a, VecX& lambda, VecX& y, bool is_response) {
  const dynamics::MassMatrix& mass = machine_.mass();
  const Baumgarte by = is_plain_ ? Baumgarte{} : baumgarte_;
  const Index m = constraint_factor_.count();
  const auto c = static_cast<Index>(unknowns_.size());
  for (Index k = 0; k < m; ++k) {
    lambda[k] = -constraints_.rows[k].times(a);
    if (!is_response)
      lambda[k] -=
          constraints_.drift[k] + by.alpha * constraints_.rate[k] + by.beta * constraints_.value[k];
  }
  if (m > 0) constraint_factor_.solve(lambda, lambda);
  for (Index k = 0; k < m; ++k) apply_impulse(constraints_.rows[k], lambda[k], mass, a);
  if (c == 0) return;
  contact_system_.start(c);
  for (Index i = 0; i < c; ++i) {
    contact_system_.right_side(i) = -test_[i].times(a) - (is_response ? 0 : target_[i]);
    for (Index j = 0; j < c; ++j) contact_system_.matrix(i, j) = S_(i, j);
  }
  rank_ = contact_system_.solve(scale_, nullptr, y);
  for (Index j = 0; j < c; ++j) {
    apply_impulse(force_[j], y[j], mass, a);
    for (Index k = 0; k < m; ++k) {
      lambda[k] -= X_(k, j) * y[j];
      apply_impulse(constraints_.rows[k], -X_(k, j) * y[j], mass, a);
    }
  }
}

void Phase::set_reference(const VecX& normal, const VecX& friction) {
  reference_.resize(static_cast<Index>(unknowns_.size()));
  contact_system_.set_least_pivot(tolerance::kNearlySingularPivot);
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const auto [contact, element] = unknowns_[u];
    reference_[static_cast<Index>(u)] = contact >= 0 ? normal[contact] : friction[element];
  }
}

void Phase::set_reference(const VecX& reference) {
  reference_ = reference;
  contact_system_.set_least_pivot(tolerance::kNearlySingularPivot);
}

/// Redundant contacts: the rates are right whatever the choice; friction is shared by μ₀ F_N.
void Phase::share(VecX& y, VecX& a) {
  const auto c = static_cast<Index>(unknowns_.size());
  if (reference_.size() == c) {
    move_to(y, a, nullptr);
    return;
  }
  Real most = 0;
  const auto bound = [&](Index i) {
    const Index e = unknowns_[i].element;
    const laws::FrictionElement& element = elements_.list[e];
    if (element.kind == laws::FrictionElement::Kind::joint) return Real(0);
    Real normal = forces_.normal[element.index];
    for (Index j = 0; j < c; ++j)
      if (unknowns_[j].contact == element.index) normal = y[j];
    return element.static_friction * std::max(normal, Real(0));
  };
  for (Index i = 0; i < c; ++i)
    if (unknowns_[i].element >= 0) most = std::max(most, bound(i));
  if (most == 0) return;
  for (Index i = 0; i < c; ++i) {
    const Real size = scale_[i] * scale_[i];
    weight_[i] =
        unknowns_[i].element >= 0 ? size * std::max(bound(i) / most, kLeastRedundantShare) : size;
  }
  move_to(y, a, &weight_);
}

/// Other forces that do as much, S y' = S y: with the least weighted norm, or nearest to the
/// reference. Where slipping contacts are redundant their frictions may differ, and with them the
/// accelerations: Coulomb's law has several answers then, all of them with the same rates.
void Phase::move_to(VecX& y, VecX& a, const VecX* weight) {
  const auto c = static_cast<Index>(unknowns_.size());
  const Index m = constraint_factor_.count();
  const bool has_reference = reference_.size() == c;
  const dynamics::MassMatrix& mass = machine_.mass();
  const auto act = [&](Real sign) {
    for (Index j = 0; j < c; ++j) {
      apply_impulse(force_[j], sign * y[j], mass, a);
      for (Index k = 0; k < m; ++k) {
        forces_.lambda[k] -= sign * X_(k, j) * y[j];
        apply_impulse(constraints_.rows[k], -sign * X_(k, j) * y[j], mass, a);
      }
    }
  };
  act(-1);
  if (has_reference) y -= reference_;
  contact_system_.start(c);
  for (Index i = 0; i < c; ++i) {
    contact_system_.right_side(i) = S_.row(i).dot(y);
    for (Index j = 0; j < c; ++j) contact_system_.matrix(i, j) = S_(i, j);
  }
  (void)contact_system_.solve(scale_, weight, y);
  if (has_reference) y += reference_;
  act(1);
}

/// F = slope N(λ) + offset in joints whose reaction λ depends on F itself.
void Phase::solve_joint_friction(VecX& a) {
  const dynamics::MassMatrix& mass = machine_.mass();
  const auto count = joints_.size();
  for (std::size_t j = 0; j < count; ++j) {
    Response& response = responses_[j];
    response.a.setZero();
    rows_[elements_.joint(joints_[j])].add_to(response.a, 1);
    mass.solve(response.a, response.a);
    solve(response.a, response.lambda, response.y, true);
  }
  VecX& F = joint_force_;
  for (std::size_t j = 0; j < count; ++j) F[j] = offset_[elements_.joint(joints_[j])];
  relaxation_.start(static_cast<Index>(count));
  is_jammed_ = true;
  for (int pass = 0; pass < kMostPasses && is_jammed_; ++pass) {
    Real change = 0, size = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const Index e = elements_.joint(joints_[k]),
                  first = joint_slips_[joints_[k]].first_constraint;
      Real lambda_1 = forces_.lambda[first], lambda_2 = forces_.lambda[first + 1];
      for (std::size_t j = 0; j < count; ++j) {
        lambda_1 += responses_[j].lambda[first] * F[j];
        lambda_2 += responses_[j].lambda[first + 1] * F[j];
      }
      const Real next =
          slope_[e] * joint_normal_force(elements_.list[e], lambda_1, lambda_2) + offset_[e];
      joint_miss_[k] = next - F[k];
      change = std::max(change, std::abs(joint_miss_[k]));
      size = std::max({size, std::abs(next), std::abs(slope_[e] * lambda_1)});
    }
    is_jammed_ = !(change <= tolerance::kFixedPointChange *
                                 size);  // F = slope N(λ(F)) + offset (`irons_1969`)
    relaxation_.step(joint_miss_, F);
  }
  if (is_jammed_) solve_jammed();
  for (std::size_t j = 0; j < count; ++j) {
    const Real force = F[j];
    forces_.friction[elements_.joint(joints_[j])] = force;
    a += force * responses_[j].a;
    forces_.lambda += force * responses_[j].lambda;
    y_ += force * responses_[j].y;
  }
}

/// The same as an LCP, where the fixed point does not contract. Allocates.
void Phase::solve_jammed() {
  const auto count = static_cast<Index>(joints_.size());
  laws::ContactLcp contacts{MatX::Zero(count, count), VecX::Zero(count), {}, 0};
  std::vector<laws::JointNormalForce> joint_normals;
  for (Index k = 0; k < count; ++k) {
    const Index joint = joints_[static_cast<std::size_t>(k)], e = elements_.joint(joint);
    const Index first = joint_slips_[joint].first_constraint;
    laws::JointNormalForce joint_normal;
    joint_normal.friction = k;
    joint_normal.element = &elements_.list[e];
    joint_normal.lower_slope = joint_normal.upper_slope = slope_[e];
    joint_normal.preload = joint_normal.element->preload;
    joint_normal.free = forces_.lambda.segment<2>(first);
    joint_normal.X.resize(2, count);
    for (Index j = 0; j < count; ++j)
      joint_normal.X.col(j) = responses_[static_cast<std::size_t>(j)].lambda.segment<2>(first);
    joint_normals.push_back(joint_normal);
    contacts.frictions.push_back({-1, 0, 0, offset_[e], offset_[e]});
  }
  const laws::ContactForces forces = laws::solve(contacts, joint_normals);
  is_jammed_ = forces.status != problem::SolveStatus::converged;
  if (!is_jammed_) joint_force_ = forces.force;
}

/// Forces per contact and element, and the rates of Dahl's states.
void Phase::finish(const Point& x, Rate& rate) {
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const Real force = y_[static_cast<Index>(u)];
    if (unknowns_[u].contact >= 0) forces_.normal[unknowns_[u].contact] = force;
    if (unknowns_[u].element >= 0) forces_.friction[unknowns_[u].element] = force;
  }
  const auto slipping = [&](Index e) {
    return modes_.friction[e] != laws::FrictionMode::none &&
           modes_.friction[e] != laws::FrictionMode::stick;
  };
  for (const Index i : active_)
    for (const Index e : {elements_.tangent(i), elements_.rolling(i)})
      if (slipping(e)) forces_.friction[e] = slope_[e] * forces_.normal[i] + offset_[e];
  for (Index i = 0; i < elements_.joint_count; ++i) {
    const Index e = elements_.joint(i);
    if (modes_.friction[e] == laws::FrictionMode::none) continue;
    const laws::FrictionElement& element = elements_.list[e];
    const Index first = joint_slips_[i].first_constraint;
    forces_.joint_normal[i] =
        element.is_pressed
            ? joint_normal_force(element, forces_.lambda[first], forces_.lambda[first + 1])
            : element.preload;
    if (element.dahl >= 0 || (!element.is_pressed && slipping(e))) forces_.friction[e] = offset_[e];
  }
  force_scale_ = Q_.lpNorm<Eigen::Infinity>();
  for (const Real force : y_) force_scale_ = std::max(force_scale_, std::abs(force));
  if (elements_.dahl_count == 0) return;
  rate.s.setZero();
  for (std::size_t e = 0; e < elements_.list.size(); ++e) {
    const laws::FrictionElement& element = elements_.list[e];
    const auto at = static_cast<Index>(e);
    if (element.dahl < 0 || !slipping(at)) continue;
    const bool is_joint = element.kind == laws::FrictionElement::Kind::joint;
    const Real normal =
        is_joint ? forces_.joint_normal[element.index] : forces_.normal[element.index];
    const Real s = sign_of(modes_.friction[e]);
    // Ḟ is linear in |v| with the sign of the mode, also a little past its end. As F_c goes to 0
    // the force follows within no time: not faster than kDahlTime.
    const auto& law = std::get<model::DahlFriction>(element.law->kind);
    const Real least = law.stiffness * std::abs(slip_[at]) * kDahlTime;
    const Real limit = std::max(element.kinetic_friction * normal, least);
    if (!(limit > 0)) continue;
    const Real unit =
        model::dahl_rate(*element.law, x.s[element.dahl], s, limit / element.kinetic_friction);
    rate.s[element.dahl] = unit * s * slip_[at];
  }
}

}  // namespace talus::stepping::event_driven
