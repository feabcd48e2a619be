#pragma once

#include <talus/base/random.hpp>
#include <talus/math/vector.hpp>

namespace talus::test {

/// One contact: its block, free velocity and friction.
struct ContactBlock {
  Mat3 A;
  Vec3 b;
  Real friction = 0;
};

Mat3 symmetric_block(Real a, Real b, Real c, Real d, Real e, Real f);

Real contact_energy(const Mat3& A, const Vec3& b, const Vec3& r);

// Cases of contact theory with several solutions, printed to 12–14 digits.
ContactBlock case_nu1();
ContactBlock case_nu4();
ContactBlock case_fig4();
ContactBlock case_parabola();
ContactBlock case_sphere();

/// A box of mass 1 with edges of ratios up to `aspect` in random attitude, touching a fixed plane
/// with a corner; μ up to `largest_friction`, closing.
ContactBlock random_box_contact(Random& random, Real aspect, Real largest_friction);

/// Changes μ so that the eccentricity is ε: μ = ε a/‖c‖.
void set_eccentricity(ContactBlock& contact, Real eccentricity);

/// Least E over the boundary of {u_N = 0} ∩ K_μ by a scan of the angle and golden sections about
/// every minimum of the scan, in long double: an upper bound of the least E, and nearly always it.
Real scanned_energy(const ContactBlock& contact, int samples = 96);

/// How far r with b_N < 0, μ > 0 is from what maximum dissipation asks for (the conditions of
/// Karush, Kuhn and Tucker): u_N = 0, r in the cone, and stick, or u_T = −κ(d + μc/a) with κ ≥ 0 at
/// the boundary; over the terms that cancel.
Real kkt_residual(const ContactBlock& contact, const Vec3& r);

}  // namespace talus::test
