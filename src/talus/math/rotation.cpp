#include <talus/math/rotation.hpp>
#include <talus/math/small_turn.hpp>

#include <cmath>

namespace talus {

Quat rotation_exp(const Vec3& rotation_vector) {
  const Real angle2 = rotation_vector.squaredNorm();
  Real sine = 0, cosine = 0;   // sin(a/2)/a, cos(a/2)
  if (angle2 < kSmallTurn2) {  // by their series: quick, and the quotient loses no digits
    sine = Real(0.5) - angle2 * (1.0 / 48 - angle2 * (1.0 / 3840 - angle2 * (1.0 / 645120)));
    cosine = 1 - angle2 * (1.0 / 8 - angle2 * (1.0 / 384 - angle2 * (1.0 / 46080)));
  } else {
    const Real angle = std::sqrt(angle2);
    sine = std::sin(angle / 2) / angle;
    cosine = std::cos(angle / 2);
  }
  const Vec3 xyz = sine * rotation_vector;
  return Quat(cosine, xyz.x(), xyz.y(), xyz.z());
}

Vec3 rotation_log(const Quat& q) {
  const Real sine = q.vec().norm(), sign = q.w() < 0 ? -1 : 1;
  if (sine == 0) return Vec3::Zero();
  return sign * 2 * std::atan2(sine, std::abs(q.w())) / sine * q.vec();
}

Vec3 rotation_vector_rate(const Vec3& x, const Vec3& angular_velocity) {
  const Real angle2 = x.squaredNorm();
  Real c = 0;
  if (angle2 < 1e-2) {  // its series, to round-off
    c = 1.0 / 12 + angle2 * (1.0 / 720 +
                             angle2 * (1.0 / 30240 + angle2 * (1.0 / 1209600 + angle2 / 47900160)));
  } else {
    const Real half = std::sqrt(angle2) / 2;
    c = (1 - half / std::tan(half)) / angle2;
  }
  const Vec3 turned = x.cross(angular_velocity);
  return angular_velocity + 0.5 * turned + c * x.cross(turned);
}

Quat integrate_rotation(const Quat& q, const Vec3& angular_velocity, Real duration) {
  return (rotation_exp(duration * angular_velocity) * q).normalized();
}

Quat rotation_between(const Vec3& from, const Vec3& to) { return Quat::FromTwoVectors(from, to); }

}  // namespace talus
