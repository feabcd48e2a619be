#pragma once

#include <talus/math/rotation.hpp>
#include <talus/math/simd.hpp>

namespace talus {

/// Up to 64 orientations that turn at constant angular velocities at once: integrate_rotation() to
/// the last bit, at about a fifth of its cost.
class RotationBlock {
 public:
  static constexpr int kSize = 64;
  /// ‖h ω‖² below which the series of rotation_exp() hold [rad²].
  static constexpr Real kSmall = 1e-3;

  [[nodiscard]] bool is_full() const { return count_ == kSize; }
  [[nodiscard]] int size() const { return count_; }
  void clear() { count_ = 0; }
  /// @param angular_velocity ω [rad/s], world frame, with ‖h ω‖² < kSmall (contract).
  void push(const Quat& orientation, const Vec3& angular_velocity) {
    for (int k = 0; k < 3; ++k) angular_velocity_[k][count_] = angular_velocity[k];
    for (int k = 0; k < 4; ++k) orientation_[k][count_] = orientation.coeffs()[k];
    ++count_;
  }
  /// Turns all of them. @param duration h [s]. @param simd nothing depends on it.
  void integrate(Real duration, Simd simd = best_simd());
  /// The orientation of what was pushed as number i.
  [[nodiscard]] Quat orientation(int i) const {
    return Quat(orientation_[3][i], orientation_[0][i], orientation_[1][i], orientation_[2][i]);
  }

 private:
  int count_ = 0;
  alignas(64) Real angular_velocity_[3][kSize] = {};
  alignas(64) Real orientation_[4][kSize] = {};  // x, y, z, w
};

}  // namespace talus
