#pragma once

#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// Friction whose largest impulse is given, without a unilateral contact: a bearing, a gear box, a
/// slider in its guide (Stewart & Trinkle 1996, section 3.5, key `stewart_1996`).
///
///   u = W r + b,   ‖rᵢ‖ ≤ boundᵢ,   rᵢ·uᵢ = −boundᵢ ‖uᵢ‖ (opposed to the slip, full where it
///   slips).
/// One row per joint where the slip has one direction, two where it is a plane.
struct BoundedFriction {
  Index dimension = 1;  ///< d, tangential rows per joint: 1 or 2
  SparseMatrix W;       ///< dm×dm
  VecX b;               ///< free slip velocity, dm [m/s or rad/s]
  VecX bound;           ///< m, ≥ 0: step size × largest force (or moment) [N·s or N·m·s]
  [[nodiscard]] Index joint_count() const { return bound.size(); }
};

}  // namespace talus::problem
