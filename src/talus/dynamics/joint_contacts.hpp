#pragma once

#include <array>

#include <talus/dynamics/joint_frames.hpp>
#include <talus/model/spatial_machine.hpp>

// Where ropes and joints with play touch: unilateral contacts between the two bodies of a joint.

namespace talus::dynamics {

/// A unilateral contact in space, exact to round-off. The normal points from A to B.
struct JointContactTerms {
  RowTerms normal;                  ///< value: the gap g [m], rate ġ, drift of g̈
  std::array<RowTerms, 2> tangent;  ///< rate: slip velocity of B against A along t₁ and t₂ [m/s];
                                    ///< value 0; the drift is that of tangents that do not turn
                                    ///< about the normal
  Vec3 position = Vec3::Zero();   ///< where it acts [m]
  Mat3 frame = Mat3::Identity();  ///< n, t₁, t₂ as columns (contact_frame)
};

/// How many contacts a joint makes: 1 a rope and a ball with play, 2 a bearing, else 0.
[[nodiscard]] int joint_contact_count(const model::SpatialJointKind& kind);

/// Contact i of a joint. Rope: g = L − ‖d‖, friction does not act. Ball with play: g = c − ‖d‖, at
/// the ball's surface. Bearing: with O the middle of the end i of the bore and y its distance
/// vector from the pin's axis, g = c − ‖y‖, at the pin's surface; 0 is the end at +z, 1 at −z.
/// Where the two centres agree the normal is −x of J_A. O(1), no allocation.
/// @param i in 0 … joint_contact_count − 1 (contract).
void joint_contact_terms(const model::SpatialJoint& joint, int i, const BodyMotion& A,
                         const BodyMotion& B, JointContactTerms& terms);

/// The same for the gap alone [m].
[[nodiscard]] Real joint_contact_gap(const model::SpatialJoint& joint, int i, const BodyMotion& A,
                                     const BodyMotion& B);

}  // namespace talus::dynamics
