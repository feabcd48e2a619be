#pragma once

#include <string>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::reproduce {

/// One contact, as a paper gives it: u = A r + b under friction μ, contact frame, normal first.
struct ContactCase {
  Mat3 A = Mat3::Identity();
  Vec3 b = Vec3::Zero();
  Real friction = 0;
};

/// Random contacts of boxes with a fixed plane: corners of boxes of mass 1 whose edges have ratios
/// up to `aspect`, in any attitude; b_N = −10^U(−1, 0.5), b_T uniform in [−2, 2]², μ uniform up to
/// `friction`.
struct Population {
  Real aspect = 10, friction = 1;
  Index samples = 10000;
  Index seed = 1;
};

/// All that the laws make of one contact that closes. Energies are E = ½rᵀA r + bᵀr, the change of
/// kinetic energy [J].
struct ContactStudy {
  struct Solution {
    Vec3 impulse;
    Real energy;
    bool sticks;
  };
  std::vector<Solution> coulomb;  ///< all solutions, the most dissipative first
  Solution dissipative, cone, frictionless;
  Real eccentricity = 0;  ///< ε of the conic in the plane of r_T
  int minima = 0;         ///< of E over the angle on the conic, by a scan
};

/// @param contact with b_N < 0 and μ > 0 (contract).
[[nodiscard]] ContactStudy study(const ContactCase& contact);

/// Energies of a population's contacts under the laws, one entry per contact.
struct PopulationStudy {
  VecX coulomb;      ///< of the most dissipative Coulomb solution
  VecX dissipative;  ///< of maximum dissipation
  VecX cone;         ///< of cone complementarity
  std::vector<int> coulomb_count;
  std::vector<bool> sticks;
  Index disordered = 0;  ///< contacts without E_cone ≤ E_dissipative ≤ E_Coulomb ≤ −b_N²/2a < 0
};

[[nodiscard]] PopulationStudy study(const Population& population);

/// Impulse and energy on the conic in direction φ of r_T; not finite where the conic has no point.
struct ConicPoint {
  Vec3 impulse;
  Real energy;
};
[[nodiscard]] ConicPoint on_conic(const ContactCase& contact, Real angle);

}  // namespace talus::reproduce
