#pragma once

#include <talus/math/vector.hpp>

namespace talus {

using Quat = Eigen::Quaternion<Real>;  ///< constructed and written (w, x, y, z); unit when it is an
                                       ///< orientation

/// The rotation by the angle ‖φ‖ about φ, as a unit quaternion: exp(φ/2). Exact for any φ, smooth
/// at 0.
/// @param rotation_vector φ [rad], any length, world frame.
[[nodiscard]] Quat rotation_exp(const Vec3& rotation_vector);

/// The shortest φ with q = ± exp(φ/2). @param q unit.
[[nodiscard]] Vec3 rotation_log(const Quat& q);

/// ẋ of a rotation R = R₀ exp(x) that turns with the angular velocity Ω in its own frame:
///   ẋ = J_r(x)⁻¹ Ω = Ω + ½ x × Ω + c x × (x × Ω),  c = (1 − (θ/2) cot(θ/2))/θ²,  θ = ‖x‖ < 2π
/// (`bruls_2010`).
[[nodiscard]] Vec3 rotation_vector_rate(const Vec3& x, const Vec3& angular_velocity);

/// Orientation after a constant angular velocity over a time: q' = exp(h ω/2) q, normalised.
/// @param angular_velocity ω [rad/s], world frame. @param duration h [s].
[[nodiscard]] Quat integrate_rotation(const Quat& q, const Vec3& angular_velocity, Real duration);

/// The rotation by the smallest angle that takes one direction to another.
/// @param from, to any lengths > 0. Where they are opposite, the axis is any normal of `from`.
[[nodiscard]] Quat rotation_between(const Vec3& from, const Vec3& to);

}  // namespace talus
