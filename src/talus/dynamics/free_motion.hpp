#pragma once

#include <talus/math/spatial.hpp>

namespace talus::dynamics {

/// Turns a free rigid body for a time h, conserving spin angular momentum and kinetic energy to
/// round-off.
///
/// The gyroscopic term of Euler's equations is integrated by the mid-point rule with the Cayley map
/// (Simo & Wong 1991, key `simo_1991`), in the body's frame:
///   J (W' − W) + (h/4) (W + W') × J (W + W') = 0,   R' = R cay(h (W + W')/2);
/// R' J W' = R J W holds by the map, and the first equation times (W + W') is the conservation of
/// energy. The 3×3 equation is solved by Newton's method; steps that turn by more than 1/2 rad are
/// cut into equal parts. Bodies with isotropic inertia turn by the exact exponential, ω unchanged.
/// @param inertia J about the centre of mass, body frame [kg m²], SPD. @param q in and out. @param
/// angular_velocity ω, world frame [rad/s], in and out. @param duration h [s].
void rotate_freely(const Mat3& inertia, Quat& q, Vec3& angular_velocity, Real duration);

/// Turns a body for a step of the θ-scheme, in whose pose q at its beginning contacts have changed
/// ω₀ to ω₀ + Δ, and all impulses together to ω.
///
/// First by (1 − θ) h ω₀, as far as a turn keeps the spin and the energy of ω₀ + Δ: freely for a
/// time τ, |τ| ≤ (1 − θ) h, and about the spin by an angle, those that come nearest to it; it is
/// free motion where Δ = 0. Then freely for θ h with what the other impulses add to the spin. The
/// spin at the end is J ω of the beginning, and so is the energy where ω₀ + Δ = ω; to 10⁻⁶ of that
/// of ω₀ where Δ stops the body, which makes the whole turn. About a principal axis, and of
/// isotropic bodies, the turn is by (1 − θ) h ω₀ and θ h ω.
/// @param before ω₀, @param struck Δ, world frame [rad/s]. Everything else as in rotate_freely(), θ
/// in [1/2, 1].
void rotate_by_theta(const Mat3& inertia, Real theta, const Vec3& before, const Vec3& struck,
                     Quat& q, Vec3& angular_velocity, Real duration);

/// True if J is a multiple of the identity to the last bit.
[[nodiscard]] bool is_isotropic(const Mat3& inertia);

}  // namespace talus::dynamics
