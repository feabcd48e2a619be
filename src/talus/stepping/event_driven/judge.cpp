#include <talus/stepping/event_driven/judge.hpp>

#include <cmath>

#include <talus/certify/force_residual.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/row_length.hpp>

namespace talus::stepping::event_driven {

using dynamics::ContactTerms;
using dynamics::JacobianRow;
using dynamics::System;

namespace {

class Judge {
 public:
  Judge(const System& machine, const laws::FrictionTable& elements, const Instant& instant)
      : machine_(machine), elements_(elements), at_(instant) {
    machine.take_mass(instant.x.q);
    machine.force(instant.time, instant.x.q, instant.x.v, total_);
    size_ = total_.cwiseAbs();
  }

  certify::Certificate solution() {
    constraints();
    contacts();
    joints();
    motion();
    return residual_.certificate();
  }

 private:
  void act(const JacobianRow& row, Real force) {
    row.add_to(total_, force);
    row.add_magnitude_to(size_, force);
  }
  [[nodiscard]] Real own(const JacobianRow& row) const {
    return inverse_effective_mass(row, machine_.mass());
  }

  void constraints() {
    dynamics::ConstraintTerms terms;
    machine_.constraints(at_.time, at_.x.q, at_.x.v, terms);
    // Where a shaft turns evenly all that is left is rounding of what turning makes.
    const Real noise =
        tolerance::kAccelerationNoise * detail::turning_acceleration(machine_, at_.x.v);
    for (std::size_t k = 0; k < terms.rows.size(); ++k) {
      const auto i = static_cast<Index>(k);
      const Real acceleration = terms.rows[k].times(at_.rate.a);
      const Real sum = acceleration + terms.drift[i];
      residual_.add_constraint(std::abs(sum) <= noise * std::sqrt(own(terms.rows[k])) ? 0 : sum,
                               std::abs(acceleration) + std::abs(terms.drift[i]),
                               own(terms.rows[k]));
      act(terms.rows[k], at_.forces.lambda[i]);
    }
  }

  /// Friction between bounds that a normal force makes.
  void friction(Index e, const JacobianRow& row, Real slip, Real drift, Real normal) {
    const laws::FrictionElement& element = elements_.list[e];
    const Real force = at_.forces.friction[e], weight = own(row);
    act(row, force);
    if (!element.is_there()) {
      residual_.add_force(force, 0, weight);
      return;
    }
    const auto kinetic = [&](Real v) {
      if (element.kind == laws::FrictionElement::Kind::rolling)
        return v < 0 ? element.law->rolling * normal : -element.law->rolling * normal;
      return model::slip_force(*element.law, v, normal);
    };
    if (element.dahl >= 0) {
      residual_.add_force(force, -at_.x.s[element.dahl] - element.law->viscous * slip, weight);
      return;
    }
    const bool is_at_rest = std::abs(slip) <= at_.speed_noise * std::sqrt(weight);
    if (!element.has_stick || !is_at_rest) {
      residual_.add_force(force, kinetic(slip), weight);
      return;
    }
    constexpr Real kCreep = 1e-300;  // a direction without a speed
    const Real bound = element.static_friction * normal;
    residual_.add_friction_at_rest(force, -bound, bound, kinetic(kCreep), kinetic(-kCreep),
                                   row.times(at_.rate.a) + drift, weight);
  }

  /// Whether a rigid contact whose gap is zero parts; or is about to collide, or at a corner where
  /// it has no normal or just comes to a side, so that the law of closed contacts does not hold
  /// yet: these two are said of contacts without force only.
  [[nodiscard]] bool is_about_to_move(const ContactTerms& terms, Real weight, Real force) const {
    const Real slow = at_.speed_noise * std::sqrt(weight);
    return terms.gap_rate > slow ||
           (force == 0 && terms.gap_rate < -slow && terms.gap > -at_.gap_noise) ||
           (force == 0 && (terms.distance_to_edge_end < 0 ||
                           (terms.distance_to_edge_end <= 2 * terms.edge_end_noise &&
                            terms.gap > -at_.gap_noise)));
  }

  void contacts() {
    ContactTerms terms;
    for (Index i = 0; i < elements_.contact_count; ++i) {
      residual_.count(i);
      const Real normal = at_.forces.normal[i];
      const Index t = elements_.tangent(i), r = elements_.rolling(i);
      const bool is_idle =
          normal == 0 && at_.forces.friction[t] == 0 && at_.forces.friction[r] == 0;
      if (is_idle && machine_.gap(i, at_.x.q) > at_.gap_noise) continue;
      machine_.contact(i, at_.x.q, at_.x.v, terms);
      const Real weight = own(terms.normal);
      bool is_apart = false;  // no force, and no friction either
      if (!model::is_rigid(machine_.law(i).normal)) {
        const Real by_law = terms.gap < 0
                                ? model::normal_force(machine_.law(i).normal, -terms.gap,
                                                      -terms.gap_rate, at_.modes.impact_rate[i])
                                : 0;
        residual_.add_force(normal, by_law, weight);
        is_apart = by_law == 0;
      } else if (terms.gap > at_.gap_noise || is_about_to_move(terms, weight, normal)) {
        residual_.add_force(normal, 0, weight);
        is_apart = true;
      } else {
        residual_.add_normal(normal, terms.normal.times(at_.rate.a) + terms.normal_drift, weight);
        is_apart = normal == 0;
      }
      act(terms.normal, normal);
      if (is_apart) {
        residual_.add_force(at_.forces.friction[t], 0, own(terms.tangent));
        residual_.add_force(at_.forces.friction[r], 0, own(terms.rolling));
        act(terms.tangent, at_.forces.friction[t]);
        act(terms.rolling, at_.forces.friction[r]);
        continue;
      }
      friction(t, terms.tangent, terms.slip, terms.tangent_drift, normal);
      friction(r, terms.rolling, terms.spin, 0, normal);
    }
  }

  void joints() {
    for (Index j = 0; j < elements_.joint_count; ++j) {
      residual_.count(-2 - j);
      dynamics::JointSlip slip;
      machine_.joint_slip(j, at_.time, at_.x.q, at_.x.v, slip);
      friction(elements_.joint(j), slip.row, slip.slip, slip.drift,
               machine_.joint_normal_force(j, at_.forces.lambda));
    }
  }

  void motion() {
    const VecX& inverse = machine_.mass().inverse_diagonal();
    const VecX by_acceleration = machine_.mass().times(at_.rate.a);
    for (Index k = 0; k < inverse.size(); ++k)
      if (inverse[k] > 0)
        residual_.add_equation(1 / inverse[k], by_acceleration[k] * inverse[k], total_[k],
                               size_[k] + std::abs(by_acceleration[k]));
  }

  const System& machine_;
  const laws::FrictionTable& elements_;
  const Instant& at_;
  certify::ForceResidual residual_;
  VecX total_, size_;  // forces on each coordinate, and their magnitudes
};

}  // namespace

certify::Certificate judge(const System& machine, const laws::FrictionTable& elements,
                           const Instant& instant) {
  return Judge(machine, elements, instant).solution();
}

}  // namespace talus::stepping::event_driven
