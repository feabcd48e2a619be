#pragma once

#include <talus/math/lanes.hpp>

/// Rotations of W bodies at once, with the operations of rotation.hpp in their order: the same
/// bits.
// NOLINTBEGIN(misc-definitions-in-headers): one copy for each instruction set is what is wanted.
namespace talus {
namespace {

/// w + x i + y j + z k.
struct QuatLanes {
  Lanes x, y, z, w;
};

/// exp(φ/2) by its series, ‖φ‖² < kSmallTurn2.
inline QuatLanes rotation_exp(const Vec3Lanes& phi) {
  const Lanes angle2 = dot(phi, phi);
  const Lanes sine =
      all(0.5) - angle2 * (all(1.0 / 48) - angle2 * (all(1.0 / 3840) - angle2 * all(1.0 / 645120)));
  const Lanes cosine =
      all(1) - angle2 * (all(1.0 / 8) - angle2 * (all(1.0 / 384) - angle2 * all(1.0 / 46080)));
  return {sine * phi.x, sine * phi.y, sine * phi.z, cosine};
}

inline QuatLanes operator*(const QuatLanes& a, const QuatLanes& b) {
  return {(a.w * b.x + a.y * b.z) - (a.z * b.y - a.x * b.w),
          (a.w * b.y + a.y * b.w) + (a.z * b.x - a.x * b.z),
          (a.w * b.z - a.y * b.x) + (a.z * b.w + a.x * b.y),
          (a.w * b.w - a.y * b.y) - (a.z * b.z + a.x * b.x)};
}

inline QuatLanes normalized(const QuatLanes& q) {
  const Lanes length = root((q.x * q.x + q.z * q.z) + (q.y * q.y + q.w * q.w));
  return {q.x / length, q.y / length, q.z / length, q.w / length};
}

}  // namespace
}  // namespace talus
// NOLINTEND(misc-definitions-in-headers)
