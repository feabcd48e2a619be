#include <talus/scene/detail/schema_machine.hpp>

// How what acts along a coordinate of a joint is written.

namespace talus::scene::detail {
namespace {

/// The quantities of an angle or a displacement.
struct AxisQuantities {
  Quantity coordinate, stiffness, damping, inertia, effort;
};

Typed<MotorSpec> motor_type(const char* title, const AxisQuantities& of,
                            const Typed<TimeLawSpec>& velocity, const Typed<TimeLawSpec>& position,
                            const Typed<TimeLawSpec>& effort) {
  return Object<MotorSpec>(
             title,
             "A motor behind a gear: its coordinate is gear · the joint's, the effort on the joint "
             "gear · its own. Targets and limits are those of the motor. Without limits and "
             "damping a velocity is kept exactly.")
      .field("velocity", &MotorSpec::velocity, velocity, optional(),
             "Target: kept as far as the limits allow; with damping an effort of damping · (target "
             "− velocity).")
      .field("position", &MotorSpec::position, position, optional(),
             "Target of a PD control: stiffness · (target − position) + damping · its rate.")
      .field("effort", &MotorSpec::effort, effort, optional(), "The force or torque itself.")
      .field("stiffness", &MotorSpec::stiffness, number(of.stiffness, kNonNegative),
             with_default("0"), "Of the PD control.")
      .field("damping", &MotorSpec::damping, number(of.damping, kNonNegative), with_default("0"),
             "Of the PD control, or of that of a velocity.")
      .field("max_effort", &MotorSpec::max_effort, number(of.effort, kPositive), optional(),
             "Largest effort in both directions; without it any.")
      .field("effort_limits", &MotorSpec::effort_limits, bounds2(of.effort), optional(),
             "In its place: least, at most 0, and largest, at least 0.")
      .field("gear", &MotorSpec::gear, number(Quantity::ratio), with_default("1"),
             "Gear ratio, not 0.")
      .exactly_one({"velocity", "position", "effort"})
      .at_most_one({"max_effort", "effort_limits"})
      .needs("stiffness", {"position"})
      .needs("damping", {"position", "velocity"})
      .done();
}

Typed<AxisLawSpec> axis_law_type(const char* title, const char* spring_title,
                                 const AxisQuantities& of, const Typed<MotorSpec>& motor) {
  return Object<AxisLawSpec>(title,
                             "What acts along a coordinate of a joint, in space. The coordinate is "
                             "that of B against A; an angle is 0 as the bodies are given, a "
                             "displacement where the two points agree.")
      .field("limits", &AxisLawSpec::limits, bounds2(of.coordinate), optional(),
             "Least and largest value; stops without play.")
      .field("restitution", &AxisLawSpec::restitution, number(Quantity::ratio, kShare),
             with_default("0"), "Coefficient of restitution at the limits.")
      .field("spring", &AxisLawSpec::spring,
             Object<AxisSpringSpec>(spring_title, "A linear spring along the coordinate.")
                 .field("stiffness", &AxisSpringSpec::stiffness, number(of.stiffness, kPositive),
                        required(), "k.")
                 .field("rest", &AxisSpringSpec::rest, number(of.coordinate), with_default("0"),
                        "Coordinate without force.")
                 .shorthand("stiffness")
                 .done(),
             optional(), "A spring.")
      .field("damping", &AxisLawSpec::damping, number(of.damping, kNonNegative), with_default("0"),
             "Of a linear damper.")
      .field("armature", &AxisLawSpec::armature, number(of.inertia, kNonNegative),
             with_default("0"), "Inertia of a rotor, as felt at the joint (times gear²).")
      .field("dry_friction", &AxisLawSpec::dry_friction, number(of.effort, kNonNegative),
             with_default("0"), "Dry friction of a given size.")
      .field("motor", &AxisLawSpec::motor, motor, optional(), "A motor.")
      .needs("restitution", {"limits"})
      .done();
}

constexpr AxisQuantities kOfTurns{Quantity::angle, Quantity::angular_stiffness,
                                  Quantity::angular_damping, Quantity::inertia, Quantity::torque};
constexpr AxisQuantities kOfSlides{Quantity::length, Quantity::stiffness, Quantity::damping,
                                   Quantity::mass, Quantity::force};

Typed<MotorSpec> turn_motor_type() {
  return motor_type("turn motor", kOfTurns, angular_speed_law_type(), angle_law_type(),
                    torque_law_type());
}
Typed<MotorSpec> slide_motor_type() {
  return motor_type("slide motor", kOfSlides, speed_law_type(), displacement_law_type(),
                    force_law_type());
}

}  // namespace

Typed<AxisLawSpec> turn_law_type() {
  return axis_law_type("turn law", "turn spring", kOfTurns, turn_motor_type());
}

Typed<AxisLawSpec> slide_law_type() {
  return axis_law_type("slide law", "slide spring", kOfSlides, slide_motor_type());
}

Typed<ControllerSpec> controller_type() {
  const Typed<MotorSpec> turn = turn_motor_type();
  const char* about = "Of a ball joint: the motor about this axis.";
  return Object<ControllerSpec>(
             "controller",
             "A motor of a joint of a robot, along the coordinate that the joint has in the "
             "robot's file, also where joints of the file have become one. Of a motor that the "
             "file has there what is not given stays as it is: limits and gear, for a position "
             "stiffness and damping, for a velocity the damping of one.")
      .field("turn", &ControllerSpec::turn, turn, optional(), "Of a joint that turns.")
      .field("slide", &ControllerSpec::slide, slide_motor_type(), optional(),
             "Of a joint that slides.")
      .field("turn_x", &ControllerSpec::turn_x, turn, optional(), about)
      .field("turn_y", &ControllerSpec::turn_y, turn, optional(), about)
      .field("turn_z", &ControllerSpec::turn_z, turn, optional(), about)
      .done();
}

}  // namespace talus::scene::detail
