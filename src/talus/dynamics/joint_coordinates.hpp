#pragma once

#include <string_view>
#include <vector>

#include <talus/model/spatial_machine.hpp>

namespace talus::dynamics {

/// A coordinate of a joint in space that is followed through a run: a way along or an angle about
/// one of its axes.
struct JointCoordinate {
  Index joint = 0;  ///< into SpatialMachine::joints
  model::Freedom freedom = model::Freedom::turn_z;
  Index law = -1;            ///< into SpatialJoint::axes; −1: nothing acts along it
  std::string_view name;     ///< as scenes call it (coordinate_name)
  bool is_only_one = false;  ///< of its joint
};

/// The name that scenes have for a free axis: "slide", "turn"; of several "slide_x", "turn_x"; of
/// two turns "turn" is that about the axis of A, "second_turn" that about the axis of B.
/// @param held by the joint, the freedom not among them.
[[nodiscard]] std::string_view coordinate_name(model::FreedomSet held, model::Freedom freedom);

/// The coordinates of a machine, joint by joint: along and about every free axis of lower pairs and
/// screws, of lines and rotations their own; but where three turns are free, which have no
/// coordinates without a singular position, only those that a law acts along.
[[nodiscard]] std::vector<JointCoordinate> joint_coordinates(const model::SpatialMachine& machine);

}  // namespace talus::dynamics
