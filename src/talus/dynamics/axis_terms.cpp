#include <talus/dynamics/axis_terms.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>

namespace talus::dynamics {
namespace {

using model::Freedom;

/// The turn whose axis the others go round: the free one, or z where all are held; −1 if fewer
/// than two are held.
int free_direction(model::FreedomSet held) {
  if (held.turns() == 3) return 2;
  if (held.turns() < 2) return -1;
  for (int k = 0; k < 2; ++k)
    if (!held.has(model::turn_about(k))) return k;
  return 2;
}

/// The only turn that is held (contract).
int held_direction(model::FreedomSet held) {
  return held.has(Freedom::turn_x) ? 0 : held.has(Freedom::turn_y) ? 1 : 2;
}

/// The coordinate of a free turn, in (−π, π].
RowTerms free_turn_terms(const JointFrames& frames, model::FreedomSet held, int turn) {
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

RowTerms held_turn_terms(const JointFrames& frames, model::FreedomSet held, Freedom turn) {
  TALUS_ASSERT(held.has(turn) && model::is_turn(turn));
  const auto a = [&](int direction) -> Vec3 { return frames.J_A.E.col(direction % 3); };
  const auto b = [&](int direction) -> Vec3 { return frames.J_B.E.col(direction % 3); };
  const int t = model::direction(turn), k = free_direction(held);
  if (k < 0 || t == k) return scaled(cosine(frames, a(t + 1), b(t + 2)), -1);
  return t == (k + 1) % 3 ? scaled(cosine(frames, a(k + 2), b(k)), -1)
                          : cosine(frames, a(k + 1), b(k));
}

RowTerms axis_terms(const JointFrames& frames, model::FreedomSet held, Freedom axis, Real near) {
  const int direction = model::direction(axis);
  if (!model::is_turn(axis)) return along(frames, frames.J_A.E.col(direction));
  if (held.has(axis)) return held_turn_terms(frames, held, axis);
  RowTerms terms = free_turn_terms(frames, held, direction);
  terms.value = nearest_turn(terms.value, near);
  return terms;
}

RowTerms axis_terms(const model::SpatialJoint& joint, Freedom axis, const BodyMotion& A,
                    const BodyMotion& B, Real near) {
  const JointFrames frames(joint.body_a, joint.body_b, joint.X_AJ, joint.X_BJ, A, B);
  if (std::holds_alternative<model::Line>(joint.kind)) return distance(frames);
  if (std::holds_alternative<model::Rotation>(joint.kind)) return rotation_angle(frames);
  return axis_terms(frames, held_freedoms(joint.kind), axis, near);
}

Real axis_effort(const model::AxisLaw& law, Real time, Real value, Real rate) {
  const Real passive = -law.stiffness * (value - law.rest) - law.damping * rate;
  if (!law.motor || law.motor->mode == model::Motor::Mode::velocity) return passive;
  const model::Motor& motor = *law.motor;
  const model::TimeValue target = evaluate(motor.target, time);
  const Real effort = motor.mode == model::Motor::Mode::effort
                          ? target.value
                          : motor.stiffness * (target.value - motor.gear * value) +
                                motor.damping * (target.rate - motor.gear * rate);
  return passive + motor.gear * std::clamp(effort, motor.lower_effort, motor.upper_effort);
}

}  // namespace talus::dynamics
