#pragma once

#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/motion.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// Place, velocities and accelerations of a body at a time, world axes.
struct PrescribedMotion {
  Pose pose;
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();                  ///< [m/s], [rad/s]
  Vec3 acceleration = Vec3::Zero(), w_rate = Vec3::Zero();  ///< [m/s²], [rad/s²]
  Real turn = 0;  ///< about z against `rest` with whole turns, where all axes are ±z [rad]
};

/// A prescribed motion with its exact derivatives; at a kink of a table they are those to the
/// right. O(terms + log entries of a table).
/// @param rest the pose without any term.
[[nodiscard]] PrescribedMotion prescribed_motion(const std::vector<model::MotionTerm>& terms,
                                                 const Pose& rest, Real time);

/// Whether given velocities jump after a time, at the latest at another one, and stay as they are
/// for longer than a step of size h: jumps that follow each other faster are samples of a curve.
/// @param next_jump the first one after a time.
template <class NextJump>
[[nodiscard]] bool jumps_once(const NextJump& next_jump, Real after, Real last, Real h) {
  constexpr Real kLonger = 1 + 1e-6;
  const Real jump = next_jump(after);
  return jump <= last && next_jump(jump) > jump + kLonger * h;
}

/// The first time after `time` at which a table of the motion has a kink; infinity if there is
/// none.
[[nodiscard]] Real next_kink(const std::vector<model::MotionTerm>& terms, Real time);

/// Gives the bodies that motions move their poses at the start of a step, or of a part of one, and
/// velocities for it: the mean ones, or where anything rebounds and they jump in the step those
/// after the jump, with which bodies approach then.
/// @param h end − start, without the rounding of times.
void prescribe(const model::Model& model, Real start, Real end, Real h, model::State& state);

}  // namespace talus::dynamics
