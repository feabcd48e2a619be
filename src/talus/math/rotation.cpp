#include <talus/math/rotation.hpp>

#include <cmath>

namespace talus {

Quat rotation_exp(const Vec3& rotation_vector) {
  const Real angle2 = rotation_vector.squaredNorm();
  Real sine = 0, cosine = 0;  // sin(a/2)/a, cos(a/2)
  if (angle2 < 1e-3) {  // by their series, to round-off: quick, and the quotient loses no digits
    sine = Real(0.5) - angle2 * (1.0 / 48 - angle2 * (1.0 / 3840 - angle2 / 645120));
    cosine = 1 - angle2 * (1.0 / 8 - angle2 * (1.0 / 384 - angle2 / 46080));
  } else {
    const Real angle = std::sqrt(angle2);
    sine = std::sin(angle / 2) / angle;
    cosine = std::cos(angle / 2);
  }
  const Vec3 xyz = sine * rotation_vector;
  return Quat(cosine, xyz.x(), xyz.y(), xyz.z());
}

Quat integrate_rotation(const Quat& q, const Vec3& angular_velocity, Real duration) {
  return (rotation_exp(duration * angular_velocity) * q).normalized();
}

Quat rotation_between(const Vec3& from, const Vec3& to) { return Quat::FromTwoVectors(from, to); }

}  // namespace talus
