#pragma once

#include <optional>
#include <string>

#include <talus/scene/detail/robots/robot_file.hpp>

namespace talus::scene::detail {

/// A <transmission> of URDF: a motor of a joint, with Drake's rotor behind a gear.
struct UrdfTransmission {
  std::string joint;
  Real rotor_inertia = 0, gear = 1;  ///< [kg m²]; turns of the rotor per turn, or radians per metre
  XmlPlace place;                    ///< of its joint
};

/// Nothing, with a note, of a transmission that has not one joint.
[[nodiscard]] std::optional<UrdfTransmission> read_transmission(const XmlElement& element,
                                                                RobotFile& file);

/// Gives a joint the rotor of a transmission, and a motor that is without effort until it is told
/// where the joint has a limit of efforts.
void drive(RobotJoint& joint, const UrdfTransmission& transmission, RobotFile& file);

}  // namespace talus::scene::detail
