#pragma once

#include <variant>
#include <vector>

#include <talus/math/spatial.hpp>

namespace talus::model {

/// Turning at a constant rate about an axis through a point: a drum, a mixer. Angle Ω t.
struct ConstantRotation {
  Vec3 axis = Vec3::UnitZ();  ///< unit, world
  Vec3 point = Vec3::Zero();  ///< [m], world
  Real speed = 0;             ///< Ω [rad/s]
};

/// Turning to and fro about an axis through a point. Angle α sin(2π f t + φ).
struct HarmonicRotation {
  Vec3 axis = Vec3::UnitZ();  ///< unit, world
  Vec3 point = Vec3::Zero();  ///< [m], world
  Real amplitude = 0;         ///< α [rad]
  Real frequency = 0;         ///< f [1/s]
  Real phase = 0;             ///< φ [rad]
};

/// Moving to and fro along a line: a shaker. Displacement a sin(2π f t + φ).
struct HarmonicTranslation {
  Vec3 amplitude = Vec3::Zero();  ///< a [m], world
  Real frequency = 0;             ///< f [1/s]
  Real phase = 0;                 ///< φ [rad]
};

/// Moving at constant velocity and turning at constant rate about the body's own origin.
struct ConstantTwist {
  Vec3 velocity = Vec3::Zero();          ///< [m/s], world
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s], world
};

/// A table over time, linear between its entries and constant outside: a gate, a piston. First the
/// turn by the angle about the axis, then the displacement.
struct TabulatedMotion {
  std::vector<Real> time;          ///< [s], increasing
  std::vector<Vec3> displacement;  ///< [m], one per time, or none
  std::vector<Real> angle;         ///< [rad], one per time, or none
  Vec3 axis = Vec3::UnitZ();       ///< unit, world
  Vec3 point = Vec3::Zero();       ///< [m], world
};

using MotionTerm = std::variant<ConstantRotation, HarmonicRotation, HarmonicTranslation,
                                ConstantTwist, TabulatedMotion>;

/// A prescribed motion: the pose as a function of time. The terms act one after another, the first
/// one first, on the pose that the body has without them.
struct Motion {
  Index body = 0;
  Pose rest;  ///< X_WB without any term
  std::vector<MotionTerm> terms;
};

/// The pose at a time: X_WB(t) = T_n(t) … T_1(t) X_WB. Exact for every t: nothing is summed up over
/// steps. O(terms + log entries of a table).
[[nodiscard]] Pose pose_at(const Motion& motion, Real time);

/// The constant twist that takes one pose to another in a time: v = Δp/h, ω = log(R' Rᵀ)/h. A turn
/// of more than half a revolution comes out as the shorter one the other way.
[[nodiscard]] Twist twist_between(const Pose& from, const Pose& to, Real duration);

}  // namespace talus::model
