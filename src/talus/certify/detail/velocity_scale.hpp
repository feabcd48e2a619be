#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <talus/base/types.hpp>

namespace talus::certify::detail {

/// Of a relative velocity: some ten additions and products, each with half a unit of round-off.
constexpr Real kVelocityRoundOff = 8 * std::numeric_limits<Real>::epsilon();

/// Of an impulse: an error that is a difference of impulses is known no better.
constexpr Real kImpulseRoundOff = 4 * std::numeric_limits<Real>::epsilon();

/// A contact as its velocity scale is computed from it.
struct Demand {
  Index island = 0;  ///< contacts of one island have one number, in [0, count of islands)
  Real approach = 0;  ///< d = max(0, −b_N) [m/s], with cohesion max(c/ρ, −b_N): what the contact
                      ///< has to answer
  Real speed = 0;   ///< ‖b‖ [m/s]
  Real rho = 0;     ///< ρ > 0 [kg]
  Real forced = 0;  ///< h a [m/s]: by how much forces change the velocities of its bodies
};

/// Where a contact belongs and what its errors are measured by.
struct ContactScale {
  Real speed = 1;    ///< V [m/s] > 0
  Index island = 0;  ///< as in Demand
};

/// What the contacts of one island have to answer on average.
struct IslandDemand {
  Real approach = 0, approaching = 0, speed = 0, all = 0;  // Σ ρ d², Σ ρ (d > 0), Σ ρ b², Σ ρ

  /// @param d of Demand [m/s]. @param speed2 ‖b‖² [m²/s²]. @param rho ρ [kg]; 0 adds nothing.
  void add(Real d, Real speed2, Real rho) {
    approach += rho * d * d;
    approaching += d > 0 ? rho : 0;
    speed += rho * speed2;
    all += rho;
  }
  void add(const IslandDemand& other) {
    approach += other.approach;
    approaching += other.approaching;
    speed += other.speed;
    all += other.all;
  }
  /// The least V of its contacts [m/s] > 0: max(h a, √(Σ ρ_j d_j² / Σ ρ_j)).
  [[nodiscard]] Real least_scale(Real forced) const {
    const Real mean = approaching > 0 ? std::sqrt(approach / approaching) : std::sqrt(speed / all);
    // A mean whose squares underflow is 0; one of no masses is not a number.
    return std::max({forced, mean > 0 ? mean : Real(0), std::numeric_limits<Real>::min()});
  }
};

/// The speeds by which errors of contacts are measured (docs/adr/0019):
///   V_i = max(d_i, h a_i, √(Σ ρ_j d_j² / Σ ρ_j)), sums over the contacts of the island with d_j >
///   0.
/// Where nothing in an island approaches the means are those of ‖b‖. Contacts that nothing drives
/// get the smallest positive number. Free of impulses, of other islands and of sliding speeds.
/// @param islands how many. @param demands of every contact.
/// @return V [m/s] > 0, one per contact. Cost O(contacts + islands); sums in the order of contacts.
[[nodiscard]] std::vector<Real> velocity_scales(Index islands, std::span<const Demand> demands);

}  // namespace talus::certify::detail
