#pragma once

#include <vector>

#include <talus/certify/certificate.hpp>

namespace talus::certify {

/// A scalar row of a step at the level of velocities and impulses: its rate after the step is
/// u' = J v', its impulse r, both found by the caller from the impulses of all rows alone.
struct StepRow {
  Index island = 0;     ///< rows of one island have one number ≥ 0
  Real applied = 0;     ///< h a, a what applied forces alone accelerate the row's bodies with [m/s]
  Real own = 0;         ///< J M⁻¹ Jᵀ [1/kg] ≥ 0; 0: nothing moves the row
  Real rate = 0;        ///< u' with what its law adds (a shift, a restitution) [m/s]
  Real before = 0;      ///< the same without any impulse, of which the demand on the step is made
  Real round_off = 0;   ///< of the rate: what rounding makes of it [m/s] ≥ 0
  Real resolution = 0;  ///< of it, what is not due to the sizes of impulses [m/s] ≥ 0
  Real impulse = 0;     ///< r [N s]
};

/// Certificate of a time step of multibody dynamics, gathered row by row: bilateral constraints,
/// unilateral contacts, friction, and laws that are functions of the velocity.
///
/// The violation of a row is its distance from the graph of its law in energy, d [√kg m/s], of
/// the point (√own r, u'/√own); d √own is a velocity. What rounding makes of it is taken off.
/// All rows are in metres: rows of an angle are multiplied by a length by the caller.
///
/// natural_map is the largest over islands of ‖d‖/S, S² = Σ (h Q)²/m + Σ u²/own + Σ own r² with the
/// rates u that rows have without impulses and their laws forbid, r the impulses of contacts and
/// laws. violation is max d √own/V, V as docs/adr/0019 and not below h a: it has no impulses in
/// it, however large they are. worst_contact is the number given to count() before the row with the
/// largest. work is the largest over islands of Σ |w| / Σ V²/own, w = r u' of a unilateral contact
/// and r u' + slip |u'| of friction, u' less its resolution alone and Σ |w| less what rounding
/// makes of the energy of motion: impulses that balance each other may be so large that the
/// rounding which d leaves out is worth the energy at stake.
class StepResidual {
 public:
  /// m (v' − v) = Σ impulses of a coordinate. @param error of that equation [kg m/s].
  /// @param applied h Q [N s]. @param size of the momenta and impulses that it sums. @param
  /// momentum m (|v| + |v'|).
  void add_equation(Index island, Real mass, Real error, Real applied, Real size,
                    Real momentum = 0);
  /// u' = 0.
  void add_constraint(const StepRow& row);
  /// 0 ≤ r ⟂ u' ≥ 0.
  void add_normal(const StepRow& row);
  /// u' ≥ 0 of a row that takes no impulse.
  void add_approach(const StepRow& row);
  /// r = f(u'). @param by_law f(u') [N s]. @param slope |f'(u')| [kg].
  void add_function(const StepRow& row, Real by_law, Real slope);
  /// Viscous friction of a contact that bears nothing: r = 0, or r = −λ viscous u' with any λ in
  /// [0, 1] where the contact does not open. @param viscous [kg]. @param opening the normal's row:
  /// its rate is 0 where the contact neither presses nor opens.
  void add_idle_drag(const StepRow& row, Real viscous, const StepRow& opening);
  /// Friction: −slip ≤ r ≤ slip with r = −slip sgn u' where u' ≠ 0, and lower ≤ r ≤ upper where
  /// u' = 0 [N s].
  void add_friction(const StepRow& row, Real lower, Real upper, Real slip);
  /// What comes now belongs to contact i.
  void count(Index contact) { contact_ = contact; }

  [[nodiscard]] Certificate certificate() const;

 private:
  struct Violation {
    Index island, contact;
    Real distance, own, demand, speed, applied, power;
  };
  /// @param power that the row should not have [kg m²/s²].
  void violate(const StepRow& row, Real distance, Real demand, Real power = 0);
  struct Size {
    Real demand = 0, impulse = 0, energy = 0;  // [kg m²/s²]
  };
  [[nodiscard]] Size& size(Index island);

  std::vector<Violation> violations_;
  std::vector<Size> size_;  // per island
  Real motion_ = 0, momenta_ = 0, primal_ = 0, dual_ = 0;
  Index contact_ = -1;
  bool is_finite_ = true;
};

}  // namespace talus::certify
