#pragma once

#include <talus/base/types.hpp>

namespace talus::certify {

/// Independent residuals of a candidate answer, by name. Everything but the plain residual and the
/// velocity is free of units: the same problem in other units of mass, length or time has the same
/// certificate. K is the cone of the law that was asked for (Coulomb: K_μ with û; LCP: z ≥ 0 with
/// w), ρᵢ = d/tr Aᵢᵢ per contact.
struct Certificate {
  Real natural_map =
      0;  ///< ‖r − P_K(r − ρû)‖₂ / ‖r‖₂; denominator ‖P_K(−ρb)‖₂ where r = 0; 0/0 = 0. The headline
  Real plain =
      0;  ///< ‖r − P_K(r − û)‖₂ / max(‖b‖, ‖r‖, ‖u‖): what other libraries print; mixes N·s and m/s
  Real primal = 0;  ///< ‖r − P_K(r)‖₂ / the denominator of natural_map: how far r is outside K
  Real dual = 0;             ///< ‖ρ(û − P_K*(û))‖₂ / the same: how far û is outside K*
  Real complementarity = 0;  ///< Σ|rᵢ·ûᵢ| / Σ rᵢ·rᵢ/ρᵢ (0 where r = 0)
  Real equation_of_motion =
      0;  ///< ‖M v − H r − f‖ / max(‖M v‖, ‖H r‖, ‖f‖); 0 where the form has no v
  Real worst_velocity =
      0;  ///< largest ‖rᵢ − P_K(rᵢ − ρûᵢ)‖/ρᵢ [m/s]: the violation as users see it
  Real violation =
      0;  ///< largest δᵢ/Vᵢ, δᵢ the velocity above less what rounding makes of it, Vᵢ the speed at
          ///< which the contact closes without impulses, or its island on average (docs/adr/0019):
          ///< no impulses are in Vᵢ, however large they are. 0: the form has no contacts to judge
  Index worst_contact = -1;  ///< contact with the largest violation, or share of natural_map where
                             ///< violations are not judged; −1 without contacts
  Real worst_share = 0;      ///< its share of the squared natural map, in [0, 1]
  Real round_off =
      0;  ///< natural_map that rounding of the velocities alone can make: where impulses are
          ///< tiny against momenta no residual can be told from it. 0: not estimated
  bool is_finite =
      false;  ///< false if any number above is NaN or infinite: such a certificate meets nothing

  /// True if the headline residual, or what rounding leaves of it, (and the equation of motion,
  /// where there is one) is at most the tolerance.
  [[nodiscard]] bool meets(Real tolerance) const noexcept {
    return is_finite && (natural_map <= tolerance || natural_map <= round_off) &&
           equation_of_motion <= tolerance;
  }
};

}  // namespace talus::certify
