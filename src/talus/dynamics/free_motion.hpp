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

/// Turns a body for a time h in a step of the θ-scheme, whose impulses have changed ω₀ into ω, both
/// of the pose q: by h ω̄, ω̄ = (1 − θ) ω₀ + θ ω, where that is a free motion of the same momentum.
///
/// Freely with ω for h + τ, then about the spin angular momentum L by an angle a: neither changes L
/// or the kinetic energy. To first order these turn by h ω + τ ω + a L/|L|, and τ, |τ| ≤ (1 − θ) h,
/// and a are those for which that is nearest to h ω̄. About a fixed principal axis, and of bodies
/// with isotropic inertia, it is h ω̄ exactly; of other turns the part of (1 − θ) h (ω₀ − ω) along L
/// × ω is left out, by which the energy would change. Isotropic bodies turn by (1 − θ) h ω₀, then θ
/// h ω.
/// @param before ω₀, world frame [rad/s]. Everything else as in rotate_freely(), θ in [1/2, 1].
void rotate_by_mean(const Mat3& inertia, Real theta, const Vec3& before, Quat& q,
                    Vec3& angular_velocity, Real duration);

/// True if J is a multiple of the identity to the last bit.
[[nodiscard]] bool is_isotropic(const Mat3& inertia);

}  // namespace talus::dynamics
