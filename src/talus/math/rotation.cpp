#include <talus/math/rotation.hpp>

#include <cmath>

namespace talus {

Quat rotation_exp(const Vec3& rotation_vector) {
  const Real angle = rotation_vector.norm();
  // sin(a/2)/a by its series where the quotient would lose digits: the next term, a⁴/3840, is below
  // round-off.
  const Real factor = angle < 1e-3 ? Real(0.5) - angle * angle / 48 : std::sin(angle / 2) / angle;
  const Vec3 xyz = factor * rotation_vector;
  return Quat(std::cos(angle / 2), xyz.x(), xyz.y(), xyz.z());
}

Quat integrate_rotation(const Quat& q, const Vec3& angular_velocity, Real duration) {
  return (rotation_exp(duration * angular_velocity) * q).normalized();
}

}  // namespace talus
