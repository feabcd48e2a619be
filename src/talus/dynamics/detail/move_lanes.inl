// Written once and compiled for each instruction set by move_lanes_<set>.cpp. Includes nothing with
// functions that other files could share.

#include <talus/dynamics/detail/move_lanes.hpp>
#include <talus/math/quat_lanes.hpp>
#include <talus/math/small_turn.hpp>

namespace talus::dynamics::detail {
namespace {

bool move_balls(const MovingBalls& balls, std::int64_t first, int count) {
  const Lanes zero{}, h = all(balls.step_size);
  double lost = 0;  // finite exactly if all its terms times 0 are 0
  for (int i = 0; i < count; i += kWidth) {
    const int own = count - i < kWidth ? count - i : kWidth;
    Lanes c[kRow];
    alignas(64) double length[kWidth], q[4][kWidth], w[3][kWidth];
    for (int l = 0; l < kWidth; ++l) {  // behind the last body it is repeated
      const std::int64_t body = first + i + (l < own ? l : own - 1);
      for (int k = 0; k < kChunks; ++k)
        c[kWidth * k + l] = load(balls.solved + kRow * body + kWidth * k);
      length[l] = balls.length[body];
      for (int k = 0; k < 4; ++k) q[k][l] = balls.orientation[4 * body + k];
    }
    for (int k = 0; k < kChunks; ++k) transpose(c + kWidth * k);
    const Lanes reach = load(length);
    const Vec3Lanes spin = {c[4] / reach, c[5] / reach, c[6] / reach}, phi = h * spin;
    if (any(~(phi.x * phi.x + (phi.y * phi.y + phi.z * phi.z) < all(kSmallTurn2)))) return false;
    const Bits moves = (c[0] != zero) | (c[1] != zero) | (c[2] != zero) | (spin.x != zero) |
                       (spin.y != zero) | (spin.z != zero);
    const QuatLanes from = {load(q[0]), load(q[1]), load(q[2]), load(q[3])};
    const QuatLanes to = normalized(rotation_exp(phi) * from);
    store(q[0], moves ? to.x : from.x);
    store(q[1], moves ? to.y : from.y);
    store(q[2], moves ? to.z : from.z);
    store(q[3], moves ? to.w : from.w);
    store(w[0], spin.x);
    store(w[1], spin.y);
    store(w[2], spin.z);
    for (int l = 0; l < own; ++l) {
      const std::int64_t body = first + i + l;
      const double *v = balls.solved + kRow * body, *x = balls.position + 3 * body;
      double* end = balls.next_position + 3 * body;
      for (int k = 0; k < 3; ++k) {
        end[k] = moves[l] != 0 ? x[k] + balls.step_size * v[k] : x[k];
        balls.next_velocity[3 * body + k] = v[k];
        balls.next_angular_velocity[3 * body + k] = w[k][l];
      }
      lost += 0 * (end[0] + end[1] + end[2]);
      for (int k = 0; k < 4; ++k) balls.next_orientation[4 * body + k] = q[k][l];
    }
  }
  return lost == 0;  // or NaN
}

}  // namespace
}  // namespace talus::dynamics::detail
