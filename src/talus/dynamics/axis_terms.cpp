#include <talus/dynamics/axis_terms.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>

namespace talus::dynamics {
namespace {

using model::Freedom;

/// The only turn that is held (contract).
int held_direction(model::FreedomSet held) {
  return held.has(Freedom::turn_x) ? 0 : held.has(Freedom::turn_y) ? 1 : 2;
}

/// The coordinate of a free turn, in (−π, π]. @param frames JointFrames; of a JointPlace, here and
/// below, the value alone.
template <class Joint>
auto free_turn_terms(const Joint& frames, model::FreedomSet held, int turn) {
  const auto a = [&](int direction) -> Vec3 { return frames.J_A.E.col(direction % 3); };
  const auto b = [&](int direction) -> Vec3 { return frames.J_B.E.col(direction % 3); };
  if (held.turns() == 2)  // about k: i_B from i_A to j_A
    return angle_from_a(frames, b(turn + 1), a(turn + 1), a(turn + 2));
  if (held.turns() == 1) {  // about i of A, then j of B
    const int k = held_direction(held);
    return turn == (k + 1) % 3 ? angle_from_a(frames, b(k + 2), a(k + 2), a(k))
                               : angle_from_b(frames, a(k + 1), b(k + 1), b(k));
  }
  switch (turn) {  // R = R_x R_y R_z
    case 0:
      return angle_from_a(frames, b(2), a(2), -a(1));
    case 1:
      return elevation(frames, a(0), b(2));
    default:
      return angle_from_b(frames, a(0), b(0), -b(1));
  }
}

Real& value_of(RowTerms& terms) { return terms.value; }
Real& value_of(Real& value) { return value; }

template <class Joint>
auto terms_of(const Joint& frames, model::FreedomSet held, Freedom axis, Real near) {
  const int direction = model::direction(axis);
  if (!model::is_turn(axis)) return along(frames, frames.J_A.E.col(direction));
  if (held.has(axis)) return held_turn_terms(frames, held, axis);
  auto terms = free_turn_terms(frames, held, direction);
  value_of(terms) = nearest_turn(value_of(terms), near);
  return terms;
}

template <class Joint>
auto terms_of(const Joint& frames, const JointGeometry& joint, Freedom axis, Real near) {
  const model::SpatialJointKind& kind = joint.joint.kind;
  if (std::holds_alternative<model::Line>(kind)) return distance(frames);
  if (std::holds_alternative<model::Rotation>(kind)) return rotation_angle(frames);
  return terms_of(frames, joint.held, axis, near);
}

}  // namespace

model::FreedomSet held_freedoms(const model::SpatialJointKind& kind) {
  if (const auto* pair = std::get_if<model::LowerPair>(&kind)) return pair->held;
  if (std::holds_alternative<model::Screw>(kind)) return model::cylindrical_joint().held;
  return {};
}

model::FreedomSet without_coordinate(const model::SpatialJointKind& kind) {
  if (std::holds_alternative<model::Line>(kind)) return model::prismatic_joint().held;
  if (std::holds_alternative<model::Rotation>(kind)) return model::revolute_joint().held;
  return held_freedoms(kind);
}

RowTerms axis_terms(const JointFrames& frames, model::FreedomSet held, Freedom axis, Real near) {
  return terms_of(frames, held, axis, near);
}

RowTerms axis_terms(const JointGeometry& joint, Freedom axis, const BodyMotion& A,
                    const BodyMotion& B, Real near) {
  return terms_of(joint.frames(A, B), joint, axis, near);
}

Real axis_value(const JointGeometry& joint, Freedom axis, const BodyMotion& A, const BodyMotion& B,
                Real near) {
  return terms_of(joint.place(A, B), joint, axis, near);
}

Real motor_effort(const model::Motor& motor, const model::TimeSpan& time, Real value, Real rate) {
  const model::TimeValue target = mean(motor.target, time);
  const Real own_rate = motor.gear * rate;
  switch (motor.mode) {
    case model::Motor::Mode::velocity:
      return motor.damping * (target.value - own_rate);
    case model::Motor::Mode::position:
      return motor.stiffness * (target.value - motor.gear * value) +
             motor.damping * (target.rate - own_rate);
    case model::Motor::Mode::effort:
      break;
  }
  return target.value;
}

Real axis_effort(const model::AxisLaw& law, const model::TimeSpan& time, Real value, Real rate) {
  const Real passive = -law.stiffness * (value - law.rest) - law.damping * rate;
  if (!law.motor || law.motor->is_set_valued()) return passive;
  const model::Motor& motor = *law.motor;
  return passive + motor.gear * std::clamp(motor_effort(motor, time, value, rate),
                                           motor.lower_effort, motor.upper_effort);
}

}  // namespace talus::dynamics
