#include <talus/model/spatial_machine.hpp>
#include <talus/scene/detail/schema_machine.hpp>

// How coordinates of joints are driven, coupled, and where they start.

namespace talus::scene::detail {

Typed<DriveSpec> drive_type() {
  return with_two_points(
             Object<DriveSpec>(
                 "drive",
                 "A motor that moves B against A exactly as it must: exactly one of these "
                 "quantities. In planar scenes an angle is θ_B − θ_A, from how the two are turned, "
                 "and a displacement that of the point of B from the one of A along the axis; they "
                 "must be at the start what the law says. In space they are coordinates of a "
                 "joint, which start where the law says."))
      .field("name", &DriveSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("between", &DriveSpec::between, list(name(), 2, 2), in_plane(required()), kBetween)
      .field("joint", &DriveSpec::joint, name(), in_space(required()), "Name of the joint.")
      .field("coordinate", &DriveSpec::coordinate, coordinate_type(), in_space(optional()),
             "Which coordinate of the joint; without it the only angle or displacement it has.")
      .field("angle", &DriveSpec::angle, angle_law_type(), optional(), "Angle over time.")
      .field("angular_speed", &DriveSpec::angular_speed, angular_speed_law_type(), optional(),
             "Angular velocity over time.")
      .field("displacement", &DriveSpec::displacement, displacement_law_type(), optional(),
             "Displacement over time.")
      .field("speed", &DriveSpec::speed, speed_law_type(), optional(),
             "Velocity along the axis over time.")
      .field("axis", &DriveSpec::axis, vector2(Quantity::ratio), in_plane(optional()),
             "Direction of a displacement or speed at the start, world frame; fixed in A.")
      .exactly_one({"angle", "angular_speed", "displacement", "speed"})
      .needs("axis", {"displacement", "speed"})
      .needs("displacement", {"axis"})
      .needs("speed", {"axis"})
      .needs("from", {"displacement", "speed"})
      .needs("to", {"displacement", "speed"})
      .needs("at_a", {"displacement", "speed"})
      .needs("at_b", {"displacement", "speed"})
      .done();
}

Typed<CouplingSpec> coupling_type() {
  const auto term =
      Object<CouplingTermSpec>("coupling term", "A coordinate of a joint times a factor.")
          .field("joint", &CouplingTermSpec::joint, name(), required(), "Name of the joint.")
          .field("coordinate", &CouplingTermSpec::coordinate, coordinate_type(), optional(),
                 "Which coordinate of the joint; without it the only one it has.")
          .field("factor", &CouplingTermSpec::factor, number(Quantity::ratio), with_default("1"),
                 "In front of the coordinate in metres or radians.")
          .done();
  return Object<CouplingSpec>("coupling",
                              "Σ factor · coordinate over joints stays what it is: gears, a rack, "
                              "a differential, joints that follow others.")
      .field("name", &CouplingSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("terms", &CouplingSpec::terms, list(term, 1, model::kMaxCouplingTerms), required(),
             "The coordinates.")
      .field("offset", &CouplingSpec::offset, number(Quantity::ratio), optional(),
             "What the sum is, in metres and radians; without it what it is as the bodies are "
             "given.")
      .done();
}

Typed<JointPositionSpec> joint_position_type() {
  const Typed<Real> angle = number(Quantity::angle), length = number(Quantity::length);
  const char* meaning = "The coordinate of this name.";
  return Object<JointPositionSpec>(
             "joint position",
             "Where coordinates of a joint start; they are counted from how the bodies are given. "
             "What is beyond the joint is moved along, and loops of joints are closed.")
      .field("only", &JointPositionSpec::only, text(), optional(),
             "The only coordinate of the joint: an angle or a length, with its unit.")
      .field("turn", &JointPositionSpec::turn, angle, optional(), meaning)
      .field("second_turn", &JointPositionSpec::second_turn, angle, optional(), meaning)
      .field("turn_x", &JointPositionSpec::turn_x, angle, optional(), meaning)
      .field("turn_y", &JointPositionSpec::turn_y, angle, optional(), meaning)
      .field("turn_z", &JointPositionSpec::turn_z, angle, optional(), meaning)
      .field("slide", &JointPositionSpec::slide, length, optional(), meaning)
      .field("slide_x", &JointPositionSpec::slide_x, length, optional(), meaning)
      .field("slide_y", &JointPositionSpec::slide_y, length, optional(), meaning)
      .shorthand("only")
      .done();
}

}  // namespace talus::scene::detail
