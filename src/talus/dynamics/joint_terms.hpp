#pragma once

#include <array>

#include <talus/dynamics/joint_frames.hpp>
#include <talus/model/spatial_machine.hpp>

namespace talus::dynamics {

/// The bilateral constraints Φ = 0 of a joint, at most six.
struct JointTerms {
  std::array<RowTerms, 6> rows;  ///< the first `count` of them
  int count = 0;
};

/// How many constraints a joint makes: 0 for ropes and joints with play.
[[nodiscard]] int constraint_count(const model::SpatialJointKind& kind);

/// Rows, values, rates and drifts of the constraints of a joint between two bodies that move as
/// given: held displacements along x, y, z of J_A first, then held turns about x, y, z
/// (held_turn_terms), which are those turns at first order; a multiplier is the force [N] or moment
/// [N m] on B along that axis. Then a screw's own; a rod has one, ‖d‖ − L. O(1), no allocation.
void joint_terms(const model::SpatialJoint& joint, const BodyMotion& A, const BodyMotion& B,
                 JointTerms& terms);

}  // namespace talus::dynamics
