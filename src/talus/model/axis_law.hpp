#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

#include <talus/base/types.hpp>
#include <talus/model/time_law.hpp>

// The six relative freedoms of two frames, and what acts along one that a joint leaves free.

namespace talus::model {

/// A relative freedom of a frame J_B against a frame J_A: the coordinates of its origin along the
/// axes of J_A, and turns about the axes x, y, z.
enum class Freedom : unsigned char { x, y, z, turn_x, turn_y, turn_z };

[[nodiscard]] constexpr bool is_turn(Freedom freedom) { return freedom >= Freedom::turn_x; }
/// 0, 1, 2: along or about x, y, z.
[[nodiscard]] constexpr int direction(Freedom freedom) { return static_cast<int>(freedom) % 3; }
[[nodiscard]] constexpr Freedom translation_along(int direction) {
  return static_cast<Freedom>(direction);
}
[[nodiscard]] constexpr Freedom turn_about(int direction) {
  return static_cast<Freedom>(3 + direction);
}

/// A set of freedoms.
class FreedomSet {
 public:
  constexpr FreedomSet() = default;
  constexpr FreedomSet(std::initializer_list<Freedom> freedoms) {
    for (const Freedom freedom : freedoms) mask_ |= bit(freedom);
  }
  [[nodiscard]] constexpr bool has(Freedom freedom) const { return (mask_ & bit(freedom)) != 0; }
  [[nodiscard]] constexpr int count() const { return ones(mask_) + turns(); }
  [[nodiscard]] constexpr int turns() const { return ones(unsigned(mask_) >> 3U); }
  [[nodiscard]] constexpr bool operator==(const FreedomSet&) const = default;

 private:
  [[nodiscard]] static constexpr std::uint8_t bit(Freedom freedom) {
    return static_cast<std::uint8_t>(1U << static_cast<unsigned>(freedom));
  }
  /// Among the three lowest bits.
  [[nodiscard]] static constexpr int ones(unsigned bits) {
    return static_cast<int>((bits & 1U) + ((bits >> 1U) & 1U) + ((bits >> 2U) & 1U));
  }
  std::uint8_t mask_ = 0;
};

/// A motor on an axis with the coordinate q. Its own coordinate is g q and the effort on the axis
/// is g times its own, g the gear ratio; target and bounds are those of the motor.
struct Motor {
  enum class Mode : unsigned char {
    velocity,  ///< g q̇ = target as far as the bounds allow; kd > 0: effort = kd (target − g q̇)
    position,  ///< effort = kp (target − g q) + kd (ṫarget − g q̇), clamped to the bounds
    effort,    ///< effort = target, clamped to the bounds
  };
  Mode mode = Mode::velocity;
  TimeLaw target;      ///< rate [m/s, rad/s], coordinate [m, rad] or effort [N, N m], by the mode
  Real stiffness = 0;  ///< kp ≥ 0 [N/m, N m/rad]
  Real damping = 0;    ///< kd ≥ 0 [N s/m, N m s/rad]
  Real lower_effort = -std::numeric_limits<Real>::infinity();  ///< ≤ 0 [N, N m]
  Real upper_effort = std::numeric_limits<Real>::infinity();   ///< ≥ 0 [N, N m]
  Real gear = 1;                                               ///< g ≠ 0
  /// Whether it holds a velocity, a set-valued law; otherwise its effort is a function.
  [[nodiscard]] bool is_set_valued() const { return mode == Mode::velocity && damping == 0; }
};

/// What acts along a free axis of a joint, q its coordinate [m, rad].
struct AxisLaw {
  Freedom axis = Freedom::turn_z;                       ///< free in the joint
  Real lower = -std::numeric_limits<Real>::infinity();  ///< q ≥ lower [m, rad]
  Real upper = std::numeric_limits<Real>::infinity();   ///< q ≤ upper [m, rad]
  Real restitution = 0;                                 ///< in [0, 1], of an impact on a limit
  Real stiffness = 0, rest = 0;  ///< effort −k (q − q₀): k ≥ 0 [N/m, N m/rad], q₀ [m, rad]
  Real damping = 0;              ///< effort −d q̇, d ≥ 0 [N s/m, N m s/rad]
  Real armature = 0;             ///< I ≥ 0, inertia along the axis [kg, kg m²], with its gear
  Real friction = 0;             ///< largest dry friction that is given, ≥ 0 [N, N m]
  Real friction_coefficient = 0;  ///< μ ≥ 0: dry friction of μ times the joint's reaction
  Real pin_radius = 0;            ///< r ≥ 0 [m]: about a turn that friction is μ r times a force
  std::optional<Motor> motor;
};

}  // namespace talus::model
