#include <talus/scene/detail/robots/robot_laws.hpp>

namespace talus::scene::detail {
namespace {

void put_motor(Node& law, const RobotMotor& motor, Real reference, NodeMaker& make) {
  const XmlPlace& place = motor.place;
  Node& node = make.map(place);
  if (motor.stiffness > 0) {
    const Real target = motor.command / motor.stiffness;
    make.put(node, "position", make.number(target - motor.gear * reference, place));
    make.put(node, "stiffness", make.number(motor.stiffness, place));
  } else if (motor.damping > 0) {
    make.put(node, "velocity", make.number(motor.command / motor.damping, place));
  } else {
    make.put(node, "effort", make.number(motor.command, place));
  }
  if (motor.damping > 0) make.put(node, "damping", make.number(motor.damping, place));
  if (motor.limits && motor.limits->x() == -motor.limits->y())
    make.put(node, "max_effort", make.number(motor.limits->y(), place));
  else if (motor.limits)
    make.put(node, "effort_limits", make.pair(motor.limits->x(), motor.limits->y(), place));
  if (motor.gear != 1) make.put(node, "gear", make.number(motor.gear, place));
  make.put(law, "motor", node);
}

void put_spring(Node& law, const RobotJoint& joint, Real rest, NodeMaker& make) {
  const XmlPlace& place = joint.place;
  Node& spring = make.map(place);
  make.put(spring, "stiffness", make.number(joint.stiffness, place));
  if (rest != 0) make.put(spring, "rest", make.number(rest, place));
  make.put(law, "spring", spring);
}

}  // namespace

Node& rotation_law_of(const RobotJoint& ball, NodeMaker& make) {
  Node& law = make.map(ball.place);
  if (ball.cone) make.put(law, "limits", make.pair(0, *ball.cone, ball.place));
  if (ball.stiffness > 0) put_spring(law, ball, 0, make);
  return law;
}

Node& law_of(const RobotJoint& joint, NodeMaker& make) {
  const XmlPlace& place = joint.place;
  Node& law = make.map(place);
  if (joint.kind == RobotJoint::Kind::ball) return law;
  if (joint.limits)
    make.put(
        law, "limits",
        make.pair(joint.limits->x() - joint.reference, joint.limits->y() - joint.reference, place));
  if (joint.stiffness > 0) put_spring(law, joint, joint.rest - joint.reference, make);
  if (joint.damping > 0) make.put(law, "damping", make.number(joint.damping, place));
  if (joint.armature > 0) make.put(law, "armature", make.number(joint.armature, place));
  if (joint.friction > 0) make.put(law, "dry_friction", make.number(joint.friction, place));
  if (joint.motor) put_motor(law, *joint.motor, joint.reference, make);
  return law;
}

}  // namespace talus::scene::detail
