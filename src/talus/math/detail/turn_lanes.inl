// integrate_rotation for W rotations at once, with its operations in its order; compiled for each
// instruction set by turn_lanes_<set>.cpp. Includes nothing with functions that other files could
// share.

#include <talus/math/detail/turn_lanes.hpp>
#include <talus/math/lanes.hpp>

namespace talus::detail {
namespace {

/// w + x i + y j + z k.
struct QuatLanes {
  Lanes x, y, z, w;
};

/// exp(φ/2) by its series.
inline QuatLanes rotation_exp(const Vec3Lanes& phi) {
  const Lanes angle2 = dot(phi, phi);
  const Lanes sine =
      all(0.5) - angle2 * (all(1.0 / 48) - angle2 * (all(1.0 / 3840) - angle2 / all(645120)));
  const Lanes cosine =
      all(1) - angle2 * (all(1.0 / 8) - angle2 * (all(1.0 / 384) - angle2 / all(46080)));
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

void turn(const TurnColumns& columns) {
  const int stride = columns.stride;
  const Lanes duration = all(columns.duration);
  for (int i = 0; i < columns.count; i += kWidth) {
    const double* w = columns.angular_velocity + i;
    double* at = columns.orientation + i;
    const QuatLanes q = {load(at), load(at + stride), load(at + 2 * stride), load(at + 3 * stride)};
    const Vec3Lanes phi = {duration * load(w), duration * load(w + stride),
                           duration * load(w + 2 * stride)};
    const QuatLanes turned = normalized(rotation_exp(phi) * q);
    store(at, turned.x);
    store(at + stride, turned.y);
    store(at + 2 * stride, turned.z);
    store(at + 3 * stride, turned.w);
  }
}

}  // namespace
}  // namespace talus::detail
