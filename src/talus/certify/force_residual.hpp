#pragma once

#include <talus/certify/certificate.hpp>

namespace talus::certify {

/// Certificate of forces and accelerations at an instant, gathered number by number: the laws of
/// bilateral constraints, unilateral contacts and friction at the level of accelerations.
///
/// `own` of a row is J M⁻¹ Jᵀ [1/kg], the acceleration that a unit force along it makes if nothing
/// answers: √own F and a/√own have one unit whatever the row measures, √kg m/s², and so has
/// f/√m of an equation of motion. Violations are gathered in it and divided by the size of all
/// applied forces ‖f/√m‖, of the forces that laws give or let a friction at rest bear, and of the
/// accelerations prescribed.
class ForceResidual {
 public:
  /// m a = Σ f. @param size Σ |f| of all forces on the coordinate, inertia included.
  void add_equation(Real mass, Real acceleration, Real force, Real size);
  /// Φ̈ = 0. @param size of the parts that cancel.
  void add_constraint(Real acceleration, Real size, Real own);
  /// 0 ≤ g̈ ⟂ F ≥ 0 of a closed contact.
  void add_normal(Real force, Real acceleration, Real own);
  /// A force that is given by a law, or zero.
  void add_force(Real force, Real by_law, Real own);
  /// −a ∈ N_[lower, upper](F): friction of a contact at rest. Where its slip velocity just passes
  /// through zero the kinetic force of the instants before or after it is as good: of the three the
  /// nearest counts.
  /// @param slip_plus, slip_minus kinetic friction in either direction.
  void add_friction_at_rest(Real force, Real lower, Real upper, Real slip_plus, Real slip_minus,
                            Real acceleration, Real own);
  /// A bound that a friction force may not pass, |F| ≤ bound.
  void add_bound(Real force, Real bound, Real own);

  /// natural_map: all violations of laws over the size; equation_of_motion: those of m a = Σ f;
  /// primal: forces outside of their sets; dual: accelerations outside of theirs; worst_contact:
  /// the number given to count() before the worst violation.
  [[nodiscard]] Certificate certificate() const;
  /// What comes now belongs to contact i.
  void count(Index contact) { contact_ = contact; }

 private:
  void violate(Real by);

  Real motion_ = 0, laws_ = 0, primal_ = 0, dual_ = 0, size_ = 0, worst_ = -1;
  Index contact_ = -1, worst_contact_ = -1;
  bool is_finite_ = true;
};

}  // namespace talus::certify
