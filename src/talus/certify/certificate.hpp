#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include <talus/base/types.hpp>

namespace talus::certify {

/// Independent residuals of a candidate answer, by name. Everything but the plain residual and the
/// velocity is free of units: the same problem in other units of mass, length or time has the same
/// certificate. K is the cone of the law that was asked for (Coulomb: K_μ with û; LCP: z ≥ 0 with
/// w), ρᵢ = d/tr Aᵢᵢ per contact, δᵢ = ‖rᵢ − P_K(rᵢ − ρᵢûᵢ)‖/ρᵢ [m/s] how far the contact is from
/// its law, less what rounding makes of velocities (docs/adr/0019).
struct Certificate {
  Real natural_map = 0;  ///< largest over the islands of √(Σ ρᵢδᵢ²) / √(Σ ‖rᵢ‖²/ρᵢ); denominator
                         ///< √(Σ ‖P_K(−ρᵢbᵢ)‖²/ρᵢ) where r = 0; of the constraints of machines
                         ///< alone √(Σ m V²) of `work`, if that is larger; 0/0 = 0. The headline
  Real plain =
      0;  ///< ‖r − P_K(r − û)‖₂ / max(‖b‖, ‖r‖, ‖u‖): what other libraries print; mixes N·s and m/s
  Real primal = 0;  ///< ‖r − P_K(r)‖₂ / ‖r‖₂, or ‖P_K(−ρb)‖₂ where r = 0: how far r is outside K
  Real dual = 0;             ///< ‖ρ(û − P_K*(û))‖₂ / the same: how far û is outside K*
  Real complementarity = 0;  ///< Σ|rᵢ·ûᵢ| / Σ rᵢ·rᵢ/ρᵢ (0 where r = 0)
  Real equation_of_motion =
      0;  ///< ‖M v − H r − f‖ / max(‖M v‖, ‖H r‖, ‖f‖); 0 where the form has no v. Where u is given
          ///< beside r, also how far it is from W r + b (velocity_residual.hpp)
  Real worst_velocity = 0;  ///< largest δᵢ [m/s], rounding included: the violation as users see it
  Real violation = std::numeric_limits<Real>::quiet_NaN();
  ///< largest δᵢ/Vᵢ or |min(r_N/ρ, u_N)|ᵢ/Vᵢ, Vᵢ the speed at which the contact closes without
  ///< impulses, what forces add in the step, or the approach of its island on average: no impulses
  ///< are in Vᵢ, however large they are. NaN: not measured in this form
  Real work = std::numeric_limits<Real>::quiet_NaN();
  ///< largest over the islands of Σ|rᵢ·ûᵢ| / Σ m V², less what rounding makes, m and V of the
  ///< bodies: the work that contacts should not do over the energy at stake, again without impulses
  ///< below. NaN: as above
  Index worst_contact = -1;  ///< contact with the largest violation, or share of natural_map where
                             ///< violations are not measured; −1 without contacts
  Real worst_share = 0;      ///< its share of its island's squared natural map, in [0, 1]
  bool is_finite = false;    ///< false if any number that was measured is NaN or infinite: such a
                             ///< certificate meets nothing

  /// What the violation may be at a tolerance of the natural map: 1000 tol, and never above 1/10.
  [[nodiscard]] static Real violation_at(Real tolerance) noexcept {
    return std::min(1000 * tolerance, Real(0.1));
  }

  /// A number that decides.
  struct Measure {
    std::string_view name;  ///< "natural map", "equation of motion", "violation", "work"
    Real value = 0;         ///< its field above
    Real limit = 0;         ///< > 0: what it may be at most
    [[nodiscard]] Real excess() const noexcept { return value / limit; }
  };
  /// The measure that is largest over its limit at a tolerance: the answer meets the tolerance if
  /// its excess is at most 1. Natural map and equation of motion may be the tolerance, the
  /// violation violation_at(tolerance), the work 1; one that is not measured decides nothing.
  [[nodiscard]] Measure worst(Real tolerance) const noexcept {
    Measure worst{"natural map", natural_map, tolerance};
    if (!is_finite) {
      worst.value = std::numeric_limits<Real>::infinity();
      return worst;
    }
    for (const Measure& measure :
         {Measure{"equation of motion", equation_of_motion, tolerance},
          Measure{"violation", violation, violation_at(tolerance)}, Measure{"work", work, 1}})
      if (measure.excess() > worst.excess()) worst = measure;  // false for NaN
    return worst;
  }
  [[nodiscard]] Real excess(Real tolerance) const noexcept { return worst(tolerance).excess(); }
  [[nodiscard]] bool meets(Real tolerance) const noexcept { return excess(tolerance) <= 1; }
};

}  // namespace talus::certify
