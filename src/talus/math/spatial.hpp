#pragma once

#include <talus/math/rotation.hpp>

namespace talus {

/// Position and orientation of a frame B in a frame A: p_A = p + R(q) p_B.
struct Pose {
  Vec3 p = Vec3::Zero();      ///< p_AB [m]: origin of B from A, in A
  Quat q = Quat::Identity();  ///< R_AB, unit
  [[nodiscard]] Vec3 operator*(const Vec3& point) const { return p + q * point; }
  [[nodiscard]] Pose operator*(const Pose& other) const { return {p + q * other.p, q * other.q}; }
  [[nodiscard]] Pose inverse() const {
    const Quat inverse_q = q.conjugate();
    return {-(inverse_q * p), inverse_q};
  }
};

/// Velocity of a rigid body at its centre of mass, in the world frame (linear; angular).
struct Twist {
  Vec3 v = Vec3::Zero();  ///< [m/s]
  Vec3 w = Vec3::Zero();  ///< ω [rad/s]
};

}  // namespace talus
