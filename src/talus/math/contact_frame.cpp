#include <talus/math/contact_frame.hpp>

#include <cmath>

namespace talus {

Mat3 contact_frame(const Vec3& normal) {
  const Real x = normal.x(), y = normal.y(), z = normal.z();
  const Real sign = std::copysign(Real(1), z);
  const Real a = -1 / (sign + z);
  const Real b = x * y * a;
  Mat3 frame;
  frame.col(0) = normal;
  frame.col(1) = Vec3(1 + sign * x * x * a, sign * b, -sign * x);
  frame.col(2) = Vec3(b, sign + y * y * a, -y);
  return frame;
}

}  // namespace talus
