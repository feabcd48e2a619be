#include <talus/stepping/detail/planar_step_judge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/step_residual.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/implicit_spring.hpp>
#include <talus/stepping/detail/planar_state_judge.hpp>
#include <talus/stepping/detail/planar_step_contact.hpp>
#include <talus/stepping/detail/row_length.hpp>

namespace talus::stepping::detail {
namespace {

using certify::StepRow;
using dynamics::ContactTerms;
using dynamics::ElasticRow;
using dynamics::JacobianRow;
using dynamics::System;

class StepJudge {
 public:
  StepJudge(const System& machine, const laws::FrictionElements& elements, const PlanarStep& step)
      : machine_(machine), elements_(elements), step_(step), h_(step.bias.step_size) {
    machine.take_mass(step.contact_q);
    mass_ = &machine.step_mass(h_, step.bias.theta);
    machine.given_force({step.time, step.time + h_}, step.contact_q, force_velocity(), applied_);
    applied_ *= h_;
    machine.constraints(step.joint_time, step.joint_q, step.v, constraints_);
    machine.elastic_rows(step.contact_q, springs_);
    find_acting();
    find_islands();
    sum_impulses();
  }

  JudgedStep verdict() {
    equations();
    constraints();
    springs();
    contacts();
    joints();
    JudgedStep judged{residual_.certificate(), "", raised(), squeezed()};
    Index& worst = judged.certificate.worst_contact;
    if (worst >= 0) return judged;
    if (worst < -1) judged.worst = name(-2 - worst);
    worst = -1;
    return judged;
  }

 private:
  /// v, or the mean velocity where M changes.
  [[nodiscard]] VecX force_velocity() const {
    if (!machine_.has_varying_mass()) return step_.v;
    return step_.bias.theta * step_.v_end + (1 - step_.bias.theta) * step_.v;
  }

  /// Contacts with an impulse, rising.
  void find_acting() {
    for (const Index i : step_.normal.places())
      if (!is_idle(i)) acting_.push_back(i);
    for (const Index e : step_.friction.places())
      if (e < elements_.joint(0) && step_.friction[e] != 0)
        acting_.push_back(e < elements_.rolling(0) ? e : e - elements_.rolling(0));
    std::sort(acting_.begin(), acting_.end());
    acting_.erase(std::unique(acting_.begin(), acting_.end()), acting_.end());
  }

  void find_islands() {
    islands_.start(machine_.body_count());
    const auto join = [&](Index a, Index b) {
      if (a >= 0 && b >= 0 && moves(a) && moves(b)) islands_.join(a, b);
    };
    for (const JacobianRow& row : constraints_.rows) join(row.body_a, row.body_b);
    for (const ElasticRow& spring : springs_) join(spring.row.body_a, spring.row.body_b);
    for (const Index i : acting_) {
      const auto [a, b] = machine_.bodies_of(i);
      join(a, b);
    }
  }
  [[nodiscard]] bool moves(Index body) const { return machine_.mass().moves(body); }
  [[nodiscard]] Index island(const JacobianRow& row) {
    for (const Index body : {row.body_a, row.body_b})
      if (body >= 0 && moves(body)) return islands_.root(body);
    return 0;
  }

  /// v' and the sum of the magnitudes that make it.
  void sum_impulses() {
    const dynamics::MassMatrix& mass = *mass_;
    unforced_ = step_.v + mass.solve(applied_);
    v_ = unforced_;
    VecX stirring = applied_.cwiseAbs();
    const auto act = [&](const JacobianRow& row, Real impulse) {
      apply_impulse(row, impulse, mass, v_);
      row.add_magnitude_to(stirring, impulse);
    };
    for (std::size_t k = 0; k < constraints_.rows.size(); ++k)
      act(constraints_.rows[k], step_.lambda[static_cast<Index>(k)]);
    for (std::size_t k = 0; k < springs_.size(); ++k) act(springs_[k].row, spring_impulse(k));
    ContactTerms terms;
    for (const Index i : acting_) {
      (void)contact(i, terms);
      act(terms.normal, step_.normal[i]);
      act(terms.tangent, step_.friction[elements_.tangent(i)]);
      act(terms.rolling, step_.friction[elements_.rolling(i)]);
    }
    dynamics::JointSlip slip;
    for (Index j = 0; j < elements_.joint_count; ++j) {
      machine_.joint_slip(j, step_.joint_time, step_.joint_q, step_.v, slip);
      act(slip.row, step_.friction[elements_.joint(j)]);
    }
    stir_ = step_.v.cwiseAbs() + mass.solve_bound(stirring);
  }
  PlanarTurn contact(Index i, ContactTerms& terms) const {
    return step_contact(machine_, i,
                        {step_.is_midpoint, h_, step_.bias.theta, step_.q, step_.v, step_.contact_q,
                         step_.late, step_.unturned},
                        terms);
  }

  /// What impulses of rigid contacts and frictions do to the energy of an island, over what they do
  /// to and fro, as certify::raised_energy. Those of joints are among them: step_.free is without.
  /// What compliant contacts have lost of the energy that they took and stored is given for it.
  [[nodiscard]] Real raised() {
    std::vector<Real> work(static_cast<std::size_t>(machine_.body_count()), 0), size = work;
    const auto add = [&](const JacobianRow& row, Real impulse) {
      const Real own = inverse_effective_mass(row, *mass_);
      if (std::abs(impulse) * own <= noise(row)) return;  // its sign is rounding
      const Real before = row.times(step_.free), after = row.times(v_);
      const auto at = static_cast<std::size_t>(island(row));
      work[at] += impulse * (before + after) / 2 - std::abs(impulse) * resolution(row);
      size[at] += std::abs(impulse) * (std::abs(before) + std::abs(after) + forced(row)) / 2;
    };
    ContactTerms terms;
    for (const Index i : acting_) {
      (void)contact(i, terms);
      if (const model::NormalLaw& law = machine_.law(i).normal; !model::is_rigid(law)) {
        const Real given =
            step_.normal[i] * (terms.normal.times(step_.free) + terms.normal.times(v_)) / 2;
        const Real stored = model::stored_energy(law, -machine_.gap(i, step_.q_end)) -
                            model::stored_energy(law, -machine_.gap(i, step_.q));
        work[static_cast<std::size_t>(island(terms.normal))] += std::min(given + stored, Real(0));
        continue;
      }
      add(terms.normal, step_.normal[i]);
      for (const auto& [e, row] : {std::pair(elements_.tangent(i), terms.tangent),
                                   std::pair(elements_.rolling(i), terms.rolling)})
        if (elements_[e].dahl < 0) add(row, step_.friction[e]);
    }
    dynamics::JointSlip slip;
    for (Index j = 0; j < elements_.joint_count; ++j) {
      machine_.joint_slip(j, step_.joint_time, step_.joint_q, step_.v, slip);
      if (elements_[elements_.joint(j)].dahl < 0) add(slip.row, step_.friction[elements_.joint(j)]);
    }
    Real most = 0;
    for (std::size_t i = 0; i < work.size(); ++i)
      if (work[i] > 0) most = std::max(most, work[i] / size[i]);
    return most;
  }

  [[nodiscard]] std::array<Index, 2> squeezed() {
    struct Pressed {
      Index a, b;
      Vec3 direction;  // from a to b
    };
    std::vector<Pressed> pressed;
    ContactTerms terms;
    for (const Index i : acting_) {
      if (!machine_.is_of_shapes(i) || !model::is_rigid(machine_.law(i).normal)) continue;
      (void)contact(i, terms);
      const Real own = inverse_effective_mass(terms.normal, *mass_);
      if (step_.normal[i] * own <= forced(terms.normal) + noise(terms.normal)) continue;
      const auto [a, b] = machine_.bodies_of(i);
      if (a < b)
        pressed.push_back({a, b, terms.direction});
      else
        pressed.push_back({b, a, -terms.direction});
    }
    std::sort(pressed.begin(), pressed.end(), [](const Pressed& p, const Pressed& r) {
      return std::pair(p.a, p.b) < std::pair(r.a, r.b);
    });
    for (std::size_t i = 0; i < pressed.size(); ++i)
      for (std::size_t j = i;
           j-- > 0 && pressed[j].a == pressed[i].a && pressed[j].b == pressed[i].b;)
        if (pressed[i].direction.dot(pressed[j].direction) < tolerance::kOpposed)
          return {pressed[i].a, pressed[i].b};
    return {-1, -1};
  }

  void equations() {
    const VecX& inverse = mass_->inverse_diagonal();
    const VecX missing = mass_->times(step_.v_end - v_);
    for (Index k = 0; k < inverse.size(); ++k)
      if (inverse[k] > 0)
        residual_.add_equation(islands_.root(k / mass_->width()), 1 / inverse[k], missing[k],
                               applied_[k], stir_[k] / inverse[k],
                               (std::abs(step_.v[k]) + std::abs(v_[k])) / inverse[k]);
  }

  /// A row whose law adds `shift` to its rate, in metres.
  [[nodiscard]] StepRow row_of(const JacobianRow& row, Real impulse, Real shift, Real length) {
    StepRow r;
    r.island = island(row);
    r.own = inverse_effective_mass(row, *mass_) * length * length;
    r.rate = (row.times(v_) + shift) * length;
    r.before = (row.times(unforced_) + shift) * length;
    r.round_off = noise(row) * length;
    r.resolution = resolution(row) * length;
    r.applied = forced(row);
    r.impulse = impulse / length;
    return r;
  }
  /// h a: what applied forces alone add to the velocities of a row's bodies.
  [[nodiscard]] Real forced(const JacobianRow& row) const {
    Real most = row.is_general() ? row.magnitude(mass_->solve(applied_)) : 0;
    for (const Index body : {row.body_a, row.body_b})
      if (machine_.mass().is_planar() && body >= 0 && moves(body))
        most = std::max(most, mass_->inverse_mass(body) * applied_.segment<2>(3 * body).norm());
    return most;
  }
  [[nodiscard]] Real noise(const JacobianRow& row) const {
    return tolerance::kRateRounding * row.magnitude(stir_) + lost(row);
  }
  /// What rounding makes of a rate without that of impulses, which may be of any size.
  [[nodiscard]] Real resolution(const JacobianRow& row) const {
    return tolerance::kRateRounding * (row.magnitude(step_.free) + row.magnitude(v_)) + lost(row);
  }

  /// A rate that moves no coordinate in the step.
  [[nodiscard]] Real lost(const JacobianRow& row) const {
    Real sum = 0;
    if (row.is_general()) sum = row.magnitude(step_.contact_q);
    for (const auto& [body, part] : {std::pair(row.body_a, row.a), std::pair(row.body_b, row.b)})
      if (!row.is_general() && body >= 0) {
        const Vec3 at = step_.contact_q.segment<3>(3 * body).cwiseAbs();
        const Real reach = machine_.bounding_radius(body);
        sum += part.head<2>().norm() * (at.head<2>().norm() + (std::isfinite(reach) ? reach : 0)) +
               std::abs(part[2]) * (at[2] + 1);
      }
    return tolerance::kGapDifference * sum / h_;
  }

  void constraints() {
    for (std::size_t k = 0; k < constraints_.rows.size(); ++k) {
      const auto i = static_cast<Index>(k);
      const JacobianRow& row = constraints_.rows[k];
      residual_.count(-2 - i);
      // The rate is Φ_q v + Φ_t at v; midpoint: the sum of those before and after is 0.
      const Real prescribed = constraints_.rate[i] - row.times(step_.v);
      const Real shift = step_.is_midpoint ? constraints_.rate[i] + prescribed : prescribed;
      StepRow r = row_of(row, 0, shift, row_length(machine_, row));
      r.round_off += tolerance::kRateRounding * std::abs(shift) * row_length(machine_, row);
      residual_.add_constraint(r);
    }
  }

  [[nodiscard]] Real spring_impulse(std::size_t k) const {
    return step_.lambda[static_cast<Index>(constraints_.rows.size() + k)];
  }
  /// λ = −pull − g w'.
  void springs() {
    for (std::size_t k = 0; k < springs_.size(); ++k) {
      const ElasticRow& spring = springs_[k];
      const ImplicitSpring<Real> law = implicit_spring(spring, h_, step_.bias.theta, step_.v);
      const Real length = row_length(machine_, spring.row);
      residual_.count(-2 - machine_.constraint_count() - elements_.joint_count - spring.element);
      residual_.add_function(row_of(spring.row, spring_impulse(k), 0, length),
                             -(law.pull + law.g * spring.row.times(v_)) / length,
                             law.g / (length * length));
    }
  }

  void contacts() {
    ContactTerms terms;
    for (const Index i : considered()) {
      const Real normal = step_.normal[i];
      const bool is_idle = this->is_idle(i);
      if (is_idle && is_far(i)) continue;
      const PlanarTurn turn = contact(i, terms);
      // An open contact takes part where the step ends in a penetration.
      if (is_idle && is_open(i) && machine_.gap(i, step_.q_end) >= 0) continue;
      residual_.count(i);
      const bool is_rigid = model::is_rigid(machine_.law(i).normal);
      if (is_rigid)
        rigid(i, terms, turn);
      else
        compliant(i, terms);
      StepRow opening;
      const bool drags = normal == 0 && step_.friction[elements_.tangent(i)] != 0;
      if (drags) opening = is_rigid ? normal_row(i, terms, turn) : opening_row(i, terms);
      const Real share = restitution_share(i);
      friction(
          elements_.tangent(i), terms.tangent, terms.slip, share * turn.slip, normal,
          gap_law(terms, turn).closes() ? share * machine_.law(i).impact.tangential_restitution : 0,
          1, drags ? &opening : nullptr);
      friction(elements_.rolling(i), terms.rolling, terms.spin, 0, normal, 0,
               row_length(machine_, terms.rolling));
    }
  }

  /// Whether a contact is apart where the step takes it: its own gap is, that of a side which lies
  /// ahead (look_ahead) need not be.
  [[nodiscard]] bool is_open(Index i) const {
    return !is_late(i) && machine_.gap(i, step_.q) > 0 && machine_.gap(i, step_.contact_q) > 0;
  }

  [[nodiscard]] bool is_idle(Index i) const {
    return step_.normal[i] == 0 && step_.friction[elements_.tangent(i)] == 0 &&
           step_.friction[elements_.rolling(i)] == 0;
  }
  /// How far no point of a body gets in this step.
  [[nodiscard]] Real way(Index body) const {
    Real way = 0;
    if (machine_.shape_contact_count() == 0) return way;
    for (const VecX& v : {std::cref(step_.v), std::cref(v_)}) {
      const Real turn = std::abs(v[3 * body + 2]);
      way += h_ * (v.segment<2>(3 * body).norm() +
                   (turn > 0 ? machine_.bounding_radius(body) * turn : 0));
    }
    return way;
  }
  /// Whether no motion of this step can close a gap.
  [[nodiscard]] bool is_far(Index i) const {
    const auto [a, b] = machine_.bodies_of(i);
    return machine_.gap_bound(i, step_.contact_q) > way(a) + way(b);
  }
  /// Contacts that some motion of this step can close, and all that have an impulse, rising.
  [[nodiscard]] std::vector<Index> considered() const {
    VecX margin(machine_.body_count());
    for (Index i = 0; i < machine_.body_count(); ++i) margin[i] = way(i);
    std::vector<Index> contacts;
    machine_.near_contacts(step_.contact_q, margin, contacts);
    contacts.insert(contacts.end(), acting_.begin(), acting_.end());
    std::sort(contacts.begin(), contacts.end());
    contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
    return contacts;
  }

  [[nodiscard]] bool is_late(Index i) const { return step_.late != nullptr && step_.late->has(i); }
  [[nodiscard]] GapLaw gap_law(const ContactTerms& terms, const PlanarTurn& turn) const {
    return {step_.bias, step_.is_midpoint, terms, turn, step_.free};
  }

  /// What is left of a rebound, and of what rows turn by.
  [[nodiscard]] Real restitution_share(Index contact) const {
    return std::clamp(step_.restitution[contact], Real(0), Real(1));
  }

  [[nodiscard]] StepRow normal_row(Index i, const ContactTerms& terms, const PlanarTurn& turn) {
    return row_of(terms.normal, step_.normal[i],
                  restitution_share(i) * turn.normal + rebound(i, terms, turn), 1);
  }
  /// What its law adds to the rate. A rebound has a bias below 0, of which a share is left; none is
  /// left of it at a share of 0.
  [[nodiscard]] Real rebound(Index i, const ContactTerms& terms, const PlanarTurn& turn) const {
    const Real shift = gap_law(terms, turn).bias(machine_.law(i).impact.restitution);
    return shift < 0 ? restitution_share(i) * shift : shift;
  }
  void rigid(Index i, const ContactTerms& terms, const PlanarTurn& turn) {
    StepRow row = normal_row(i, terms, turn);
    if (step_.normal[i] != 0) {
      residual_.add_normal(row);
      return;
    }
    // Constraints that hold a gap take no impulse off it: there a penetration is not taken back,
    // but may not grow.
    const Real taken_back = std::min(rebound(i, terms, turn), Real(0));
    row.rate -= taken_back;
    row.before -= taken_back;
    residual_.add_approach(row);
  }

  /// A compliant normal's force at a rate after the step.
  [[nodiscard]] model::NormalForce force(Index i, const ContactTerms& terms, Real after) const {
    const Real begun = step_.impact_rate[i], before = terms.gap_rate, theta = step_.bias.theta;
    const Real mean = theta * after + (1 - theta) * before;
    const Real penetration = -(terms.gap - (1 - theta) * h_ * before + theta * h_ * mean);
    return model::normal_force_slopes(machine_.law(i).normal, penetration, -mean,
                                      begun > 0 ? begun : std::max(-before, Real(0)));
  }
  void compliant(Index i, const ContactTerms& terms) {
    const Real theta = step_.bias.theta;
    const model::NormalForce now = force(i, terms, terms.normal.times(v_));
    residual_.add_function(row_of(terms.normal, step_.normal[i], 0, 1), h_ * now.value,
                           h_ * theta * (theta * h_ * now.by_penetration + now.by_rate));
  }
  /// The rate after the step less that from which on a compliant normal has no force.
  [[nodiscard]] StepRow opening_row(Index i, const ContactTerms& terms) {
    const Real theta = step_.bias.theta, before = terms.gap_rate;
    const Real start = terms.gap - (1 - theta) * h_ * before;
    const Real touching = -(start / (theta * h_) + (1 - theta) * before) / theta;
    const Real opening =
        model::opening_rate(touching, [&](Real rate) { return force(i, terms, rate).value; });
    return row_of(terms.normal, 0, -opening, 1);
  }

  /// Friction under a normal impulse. @param turn of the row. @param length of a row that is an
  /// angle [m]. @param opening of a contact along whose tangent it acts.
  void friction(Index e, const JacobianRow& row, Real before, Real turn, Real normal,
                Real restitution, Real length, const StepRow* opening = nullptr) {
    const laws::FrictionElement element = elements_[e];
    const Real impulse = step_.friction[e], pressing = std::max(normal, Real(0));
    StepRow r = row_of(row, impulse, turn + restitution * before, length);
    const bool is_apart = element.kind != laws::FrictionElement::Kind::joint && pressing == 0;
    const model::FrictionModel& law = *element.law;
    const Real rate = row.times(v_) + turn;
    if (!element.is_there() || is_apart) {
      r.rate = rate;
      if (opening != nullptr)
        residual_.add_idle_drag(r, h_ * law.viscous, *opening);
      else
        residual_.add_function(r, 0, 0);
      return;
    }
    const bool is_rolling = element.kind == laws::FrictionElement::Kind::rolling;
    if (element.dahl >= 0) {
      const Real force = model::dahl_force(law, step_.memory[e], h_ * rate, pressing / h_);
      const Real direction = rate < 0 ? -1 : 1;
      const Real slope =
          h_ * std::abs(model::dahl_rate(law, force, direction, pressing / h_)) + law.viscous;
      residual_.add_function(r, -h_ * (force + law.viscous * rate), h_ * slope);
      StepRow state = r;
      state.impulse = h_ * step_.memory_end[e];
      residual_.add_function(state, h_ * force, h_ * slope);
      return;
    }
    if (!element.has_stick) {
      residual_.add_function(r, h_ * model::slip_force(law, rate, pressing / h_),
                             h_ * std::abs(model::slip_force_slope(law, rate, pressing / h_)));
      return;
    }
    if (!is_rolling) r.impulse += h_ * law.viscous * rate;  // what is left is set-valued
    const bool is_held = step_.memory[e] != 0 || std::abs(before) <= noise(row);
    const Real slip = slip_friction(element, before) * pressing / length;
    const Real stick = element.static_friction * pressing / length;
    Real lower = -slip, upper = slip;
    if (is_held) {
      lower = -stick;
      upper = stick;
    } else if (restitution == 0) {  // one that turns round is held in between
      (before > 0 ? upper : lower) = before > 0 ? std::max(slip, stick) : -std::max(slip, stick);
    }
    residual_.add_friction(r, lower, upper, slip);
  }

  /// μ of a friction that slides.
  [[nodiscard]] static Real slip_friction(const laws::FrictionElement& element, Real before) {
    const auto* stribeck = element.kind == laws::FrictionElement::Kind::rolling
                               ? nullptr
                               : std::get_if<model::StribeckFriction>(&element.law->kind);
    if (stribeck == nullptr) return element.kinetic_friction;
    const Real decay =
        std::exp(-std::pow(std::abs(before) / stribeck->velocity, stribeck->exponent));
    return element.kinetic_friction + (element.static_friction - element.kinetic_friction) * decay;
  }

  void joints() {
    const VecX forces = step_.lambda / h_;
    dynamics::JointSlip slip;
    for (Index j = 0; j < elements_.joint_count; ++j) {
      residual_.count(-2 - machine_.constraint_count() - j);
      machine_.joint_slip(j, step_.joint_time, step_.joint_q, step_.v, slip);
      friction(elements_.joint(j), slip.row, slip.slip, 0,
               h_ * machine_.joint_normal_force(j, forces), 0, 1);
    }
  }

  /// The joint or drive of a constraint, the joint of a friction, or the force element.
  [[nodiscard]] std::string name(Index label) const {
    if (label < machine_.constraint_count()) return machine_.constraint_name(label);
    label -= machine_.constraint_count();
    if (const Index element = label - elements_.joint_count; element >= 0) {
      const auto& forces = machine_.parts().forces;
      return forces.empty() ? fmt::format("spring {}", element)
                            : "force element " + forces[static_cast<std::size_t>(element)].name;
    }
    dynamics::JointSlip slip;
    machine_.joint_slip(label, step_.joint_time, step_.joint_q, step_.v, slip);
    return "friction of joint " + machine_.joint_name(slip.joint);
  }

  const System& machine_;
  const laws::FrictionElements& elements_;
  const PlanarStep& step_;
  const Real h_;
  const dynamics::MassMatrix* mass_ = nullptr;  // of the step
  dynamics::ConstraintTerms constraints_;
  std::vector<ElasticRow> springs_;
  std::vector<Index> acting_;
  DisjointSets islands_;
  VecX applied_;   // h Q
  VecX unforced_;  // v + h M⁻¹ Q, M of the step
  VecX v_, stir_;
  certify::StepResidual residual_;
};

}  // namespace

std::string to_text(const JudgedStep& judged, Index worst) {
  return fmt::format(
      "the step misses its laws: natural map {:.3g}, equation of motion {:.3g}, {:.3g} m/s at {}",
      judged.certificate.natural_map, judged.certificate.equation_of_motion,
      judged.certificate.worst_velocity,
      judged.worst.empty() ? fmt::format("contact {}", worst) : judged.worst);
}

JudgedStep judge(const System& machine, const laws::FrictionElements& elements,
                 const PlanarStep& step) {
  return StepJudge(machine, elements, step).verdict();
}

}  // namespace talus::stepping::detail
