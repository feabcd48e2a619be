#include <talus/scene/detail/machine_spec.hpp>

// How sensors are written.

namespace talus::scene::detail {
namespace {

template <class T>
Object<T> with_frame(Object<T> object, Presence body, std::string_view what,
                     std::string_view origin) {
  return object.field("body", &BodyFrameSpec::body, name(), body, what)
      .field("at", &BodyFrameSpec::at, vector3(Quantity::length), optional(), origin)
      .field("orientation", &BodyFrameSpec::orientation, orientation_type(), optional(),
             "How the frame is turned at the start, world frame; without it as the body.");
}

constexpr std::string_view kBody = "In which the frame is fixed.";
constexpr std::string_view kOrigin =
    "Where its origin is at the start, world frame; without it the centre of mass.";

Typed<BodyFrameSpec> frame_type(std::string_view title, std::string_view description) {
  return with_frame(Object<BodyFrameSpec>(title, description), required(), kBody, kOrigin)
      .shorthand("body")
      .done();
}

Typed<RelativeFrameSpec> relative_frame_type(std::string_view title, std::string_view description) {
  return with_frame(Object<RelativeFrameSpec>(title, description), required(), kBody, kOrigin)
      .field("relative_to", &RelativeFrameSpec::relative_to, name(), optional(),
             "Body from whose centre of mass, and along whose axes it is meant; without it the "
             "world.")
      .shorthand("body")
      .done();
}

Typed<JointLoadSpec> joint_load_type(std::string_view title, std::string_view description) {
  return with_frame(Object<JointLoadSpec>(title, description)
                        .field("joint", &JointLoadSpec::joint, name(), required(), "Name of it."),
                    optional(), "Which of its bodies the frame is fixed in; without it the second.",
                    "Where its origin is at the start, world frame; without it the joint's point.")
      .shorthand("joint")
      .done();
}

Typed<ContactSensorSpec> contact_type(std::string_view title, std::string_view description) {
  return with_frame(Object<ContactSensorSpec>(title, description), required(),
                    "Whose contacts count.", kOrigin)
      .field("against", &ContactSensorSpec::against, name(), optional(),
             "The other body; without it any.")
      .field("box", &ContactSensorSpec::box, vector3(Quantity::length, kPositive), optional(),
             "Edges of a box about the frame's origin, along its axes: contacts count in it; "
             "without it everywhere.")
      .shorthand("body")
      .done();
}

}  // namespace

Typed<SensorSpec> sensor_type() {
  return Object<SensorSpec>("sensor",
                            "Something that is read in every step, exactly one of these kinds; "
                            "recorded as sensor.NAME. Forces and accelerations are means over the "
                            "step. What a joint with coordinates does is recorded without a "
                            "sensor: joint.NAME.")
      .field("name", &SensorSpec::name, name(), required(), "Name, the only one of its kind.")
      .field("accelerometer", &SensorSpec::accelerometer,
             frame_type("accelerometer",
                        "Acceleration of the frame's origin without gravity, along its axes: at "
                        "rest g upwards, in free fall 0."),
             optional(), "Acceleration as it is felt.")
      .field("gyro", &SensorSpec::gyro,
             frame_type("gyro", "Angular velocity along the axes of the frame."), optional(),
             "Angular velocity as it is felt.")
      .field("orientation", &SensorSpec::orientation,
             relative_frame_type("frame orientation",
                                 "How the frame is turned: a unit quaternion w, x, y, z."),
             optional(), "How a frame is turned.")
      .field("position", &SensorSpec::position,
             relative_frame_type("frame position", "Where the frame's origin is."), optional(),
             "Where a frame is.")
      .field("velocity", &SensorSpec::velocity,
             relative_frame_type("frame velocity",
                                 "Velocity of the frame's origin, as seen from the other body."),
             optional(), "How fast a point moves.")
      .field("angular_velocity", &SensorSpec::angular_velocity,
             relative_frame_type("frame angular velocity",
                                 "Angular velocity of the frame against the other body."),
             optional(), "How fast a body turns.")
      .field("force", &SensorSpec::force,
             joint_load_type("joint force",
                             "The force through a joint, on its second body, along the frame's "
                             "axes: reactions, motors, springs, limits and friction of the joint, "
                             "and drives of it, less what turns the armature; not those of "
                             "couplings. Along axes of where in the step they act."),
             optional(), "The force through a joint.")
      .field("torque", &SensorSpec::torque,
             joint_load_type("joint torque",
                             "The moment through a joint, on its second body, about the frame's "
                             "origin along its axes; of the same."),
             optional(), "The moment through a joint.")
      .field("contact_force", &SensorSpec::contact_force,
             contact_type("contact force",
                          "The sum of the contact forces on a body, along the frame's axes."),
             optional(), "Contact force on a body.")
      .field("touch", &SensorSpec::touch,
             contact_type("touch", "The sum of the normal forces of a body's contacts."),
             optional(), "How hard a body is touched.")
      .field("rangefinder", &SensorSpec::rangefinder,
             Object<RangefinderSpec>(
                 "rangefinder",
                 "The way along a ray, fixed in a body, to the first point of another one, also "
                 "of one that does not collide; 0 where it starts inside one.")
                 .field("body", &RangefinderSpec::body, name(), required(),
                        "In which the ray is fixed.")
                 .field("at", &RangefinderSpec::at, vector3(Quantity::length), optional(),
                        "Where it begins at the start, world frame; without it the centre of mass.")
                 .field("direction", &RangefinderSpec::direction, vector3(Quantity::ratio),
                        required(), "At the start, world frame, any length but zero.")
                 .field("reach", &RangefinderSpec::reach, number(Quantity::length, kPositive),
                        optional(), "What it reads where nothing nearer is; without it infinite.")
                 .done(),
             optional(), "A distance along a ray.")
      .exactly_one({"accelerometer", "gyro", "orientation", "position", "velocity",
                    "angular_velocity", "force", "torque", "contact_force", "touch", "rangefinder"})
      .done();
}

}  // namespace talus::scene::detail
