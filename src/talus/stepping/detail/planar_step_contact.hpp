#pragma once

#include <talus/dynamics/contact_bias.hpp>
#include <talus/laws/step_laws.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>

namespace talus::stepping::detail {

/// Where a step of planar_moreau takes its contacts.
struct StepPlace {
  bool is_midpoint = false;
  Real h = 0, theta = 1;
  const VecX &q, &v;                         ///< at the start of the step
  const VecX& middle;                        ///< q + (1 − θ) h v
  const PlanarLateContacts* late = nullptr;  ///< that came about within it; null: none
  const std::unordered_set<Index>* unturned =
      nullptr;  ///< contacts taken at the middle alone; null: none
};

/// By how much the rows of a contact turn over half a step, at the velocities before it:
/// J_M v − J v [m/s]; the velocities of its law are J_M v' and this (detail/middle_contacts.hpp).
struct PlanarTurn {
  Real normal = 0, slip = 0;
};

/// A contact as the law of a step takes it: one that comes about within it where it does, one whose
/// normal does not hold where the bodies will be with the normal there, all others at the middle.
/// Rigid ones of the midpoint rule are those of the start carried there: with the gap and the
/// velocities of the start and the rows of the middle, unless it is another side or corner that
/// meets there; then all is that of the start. Those that are unturned have the gap of the start,
/// and the velocities too are of the middle: then impulses without restitution never raise the
/// energy, as Σ r·J_M (v + v') = 2 Σ r·J_M v' − Σ rᵀW r and no law lets r·J_M v' be above 0.
/// @param terms out; the gap is that of the start and (1 − θ) h ġ, of compliant ones that at the
/// middle.
[[nodiscard]] PlanarTurn step_contact(const dynamics::System& machine, Index contact,
                                      const StepPlace& place, dynamics::ContactTerms& terms);

/// A contact of a step with the law of gaps (dynamics::contact_bias).
struct GapLaw {
  dynamics::BiasLaw law;
  Real gap = 0;            ///< at the start [m]; what is closed in the midpoint rule may part as
                           ///< fast as it has been parting, no faster: no less than 0
  Real approach = 0;       ///< at the start [m/s]
  Real free_approach = 0;  ///< under applied forces and constraints alone [m/s]

  /// @param terms, turn of step_contact(). @param free velocities.
  GapLaw(const dynamics::BiasLaw& law, bool is_midpoint, const dynamics::ContactTerms& terms,
         const PlanarTurn& turn, const VecX& free);
  [[nodiscard]] Real bias(Real restitution) const {
    return dynamics::contact_bias(law, gap, restitution, approach, free_approach);
  }
  /// Whether it is struck in this step: then restitution acts.
  [[nodiscard]] bool closes() const { return dynamics::closes(law, gap, approach, free_approach); }
};

/// What is given of a normal in a step before the impulses are. @param begun δ̇ where the contact
/// began [m/s], 0 where it has not.
[[nodiscard]] laws::StepNormal step_normal(const model::InterfaceLaw& surface,
                                           const dynamics::ContactTerms& terms, const GapLaw& gaps,
                                           Real begun);

}  // namespace talus::stepping::detail
