#pragma once

#include <talus/stepping/event_driven/phase.hpp>

namespace talus::stepping::event_driven {

/// Takes drift back: moves q by the least amount (in the metric of M) on Φ = 0 and g = 0 of closed
/// contacts, v on Φ̇ = 0, ġ = 0 and γ = 0 of sticking ones:
///   q ← q − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ c,   v ← v − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ ċ.
/// One Newton step each, as drift is small; ċ is that at the new q. Nothing allocates after the
/// first call of a size.
class DriftProjection {
 public:
  DriftProjection(const dynamics::System& machine, const laws::FrictionTable& elements)
      : machine_(machine), elements_(elements) {}
  void apply(Real time, const laws::Modes& modes, Point& x);
  /// Only v: what is left of an accumulation point.
  void apply_to_velocity(Real time, const laws::Modes& modes, Point& x);

 private:
  void gather(Real time, const laws::Modes& modes, Point& x);
  [[nodiscard]] const VecX& impulses();
  void move(VecX& v);

  const dynamics::System& machine_;
  const laws::FrictionTable& elements_;
  dynamics::ConstraintTerms constraints_;
  dynamics::ContactTerms terms_;
  std::vector<dynamics::JacobianRow> rows_;
  VecX value_, rate_, violation_, acceleration_;
  dynamics::ConstraintFactor constraint_factor_;
};

}  // namespace talus::stepping::event_driven
