#include <talus/scene/detail/robots/urdf_transmission.hpp>

#include <fmt/format.h>

#include <talus/scene/detail/robots/xml_values.hpp>

namespace talus::scene::detail {
namespace {

/// Of no effect on the joint's own motor: names, interfaces, what drivers count in.
bool is_of_drivers(const std::string& tag) {
  for (const char* known : {"type", "hardwareInterface", "mechanicalReduction", "role", "offset",
                            "motorTorqueConstant", "robotNamespace"})
    if (tag == known) return true;
  return false;
}

/// Marks an element and what is for drivers in it.
void read_parts(const XmlElement& element) {
  element.is_read = true;
  for (const char* name : {"name", "type", "role"}) static_cast<void>(element.find(name));
  for (const XmlElement* child : element.children)
    if (is_of_drivers(child->tag)) read_parts(*child);
}

}  // namespace

std::optional<UrdfTransmission> read_transmission(const XmlElement& element, RobotFile& file) {
  read_parts(element);
  UrdfTransmission one;
  int joints = 0;
  for (const XmlElement* child : element.children) {
    if (child->tag != "joint" && child->tag != "actuator") continue;
    read_parts(*child);
    if (child->tag == "joint") {
      const XmlAttribute* name = child->find("name");
      if (name == nullptr) {
        file.problem(child->place, "<joint> of a transmission needs name");
        return std::nullopt;
      }
      one.joint = name->value;
      one.place = name->place;
      ++joints;
      continue;
    }
    const auto value = [&](const char* tag, Real& target) {
      if (const XmlElement* part = child->child(tag))
        read_value(part->find("value"), target, file.problems);
    };
    value("drake:rotor_inertia", one.rotor_inertia);
    value("drake:gear_ratio", one.gear);
    if (one.rotor_inertia < 0)
      file.problem(child->place, "expected a rotor_inertia [kg m^2] of at least 0");
  }
  if (joints == 1) return one;
  file.refused(element.place, fmt::format("a transmission of {} joints", joints));
  return std::nullopt;
}

void drive(RobotJoint& joint, const UrdfTransmission& transmission, RobotFile& file) {
  if (transmission.rotor_inertia > 0 && joint.has_one_axis())
    joint.armature += transmission.rotor_inertia * transmission.gear * transmission.gear;
  else if (transmission.rotor_inertia > 0)
    file.refused(transmission.place, "the rotor of a joint that is no hinge and no slide");
  if (!joint.has_one_axis() || !joint.effort) return;
  RobotMotor motor;
  motor.name = joint.name;
  motor.place = transmission.place;
  motor.limits = joint.effort;
  joint.motor = motor;
}

}  // namespace talus::scene::detail
