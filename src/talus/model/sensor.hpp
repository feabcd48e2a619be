#pragma once

#include <limits>
#include <optional>
#include <string>
#include <variant>

#include <talus/model/spatial_machine.hpp>

// What sensors are: data only; stepping/sensors.hpp reads them.

namespace talus::model {

/// A frame F fixed in a body, or in the world.
struct BodyFrame {
  Index body = kWorld;
  Pose X_BF;  ///< in the body; of the world, in the world
};

/// Where a frame is, or how it moves.
struct FrameSensor {
  enum class Quantity : unsigned char {
    proper_acceleration,  ///< of its origin, without gravity, along its axes [m/s²]
    own_rate,             ///< angular velocity along its axes [rad/s]
    orientation,          ///< unit quaternion w, x, y, z of F in the other frame
    position,             ///< of its origin in the other frame [m]
    velocity,             ///< its rate as seen from the other frame, along that one's axes [m/s]
    angular_velocity,     ///< against the other frame, along that one's axes [rad/s]
  };
  Quantity quantity = Quantity::proper_acceleration;
  BodyFrame frame;
  BodyFrame against;  ///< of the last four
};

/// All that goes through a joint in space: what it does to its body B, along a frame's axes.
struct JointLoadSensor {
  Index joint = 0;         ///< into SpatialMachine::joints
  bool is_moment = false;  ///< the moment about the frame's origin [N m], or the force [N]
  BodyFrame frame;         ///< in one of the joint's bodies
};

/// The contact forces on a body.
struct ContactSensor {
  bool is_touch = false;         ///< the sum of the normal forces [N], or the force as a vector
  BodyFrame frame;               ///< in the body whose contacts count
  std::optional<Index> against;  ///< the other body; none: any
  Vec3 half_size = Vec3::Constant(std::numeric_limits<Real>::infinity());  ///< of a box about the
                                                                           ///< frame's origin [m]
};

/// The way from a frame's origin along its z to the first body but its own.
struct RangeSensor {
  BodyFrame frame;
  Real reach = std::numeric_limits<Real>::infinity();  ///< [m]: what it reads where nothing is
};

using SensorKind = std::variant<FrameSensor, JointLoadSensor, ContactSensor, RangeSensor>;

struct Sensor {
  std::string name;
  SensorKind kind;
};

}  // namespace talus::model
