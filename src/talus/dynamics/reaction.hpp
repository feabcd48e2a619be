#pragma once

#include <limits>
#include <span>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::model {
struct SpatialJoint;
}

namespace talus::dynamics {

class System;
struct BodyMotion;

/// What a joint or a drive does to the second of its bodies; its reverse acts on the first.
/// Stabilisation is no part of it. Components are along the axes of the world in the plane, where
/// the force has no z and the moment no x and y, and along those of the joint's frame of A in
/// space.
struct Reaction {
  Vec3 force = Vec3::Zero();   ///< on B [N]
  Vec3 moment = Vec3::Zero();  ///< on B, about the joint's point in B [N m]
  Real effort = 0;             ///< of a drive: its torque [N m], or its force along the axis [N]
  Real friction = 0;           ///< in the plane: friction force of a joint, against slip [N]
};

/// A coordinate of a joint in space after a step, and what acted along it on average over the step,
/// on B against A. Reactions of the joint are not among it.
struct AxisReaction {
  Real value = 0;     ///< with whole turns [m, rad]
  Real rate = 0;      ///< [m/s, rad/s]
  Real effort = 0;    ///< of the motor, behind its gear [N, N m]
  Real limit = 0;     ///< of the limits: > 0 where the lower one is reached, < 0 the upper [N, N m]
  Real spring = 0;    ///< of spring and damper [N, N m]
  Real friction = 0;  ///< dry friction [N, N m]
  /// Of the inertia of the armature, −I β̇ [N, N m]; NaN of schemes without impulses.
  Real armature = std::numeric_limits<Real>::quiet_NaN();
};

/// Reactions of the joints, then of the drives, from the multipliers. Ropes and joints with play
/// have none yet: theirs come with add_contact.
/// @param friction forces of the joint frictions, in their order [N]; empty: none
void reactions(const System& machine, const VecX& q, const VecX& multipliers, const VecX& friction,
               std::vector<Reaction>& all);

/// Adds what a row of a joint or drive in space does to B, along the world's axes: its force, and
/// its moment about the joint's point in B.
/// @param motions of all bodies. @param multiplier of the row; @param row its part of B.
void add_row(const model::SpatialJoint& joint, std::span<const BodyMotion> motions, Real multiplier,
             const Vec6& row, Reaction& reaction);
/// From the world's axes to those of the joint's frame of A.
void turn_into_joint(const model::SpatialJoint& joint, std::span<const BodyMotion> motions,
                     Reaction& reaction);

/// Adds the force of a contact to the reaction of the joint that makes it: a rope, a pin or a block
/// with play; nothing of other contacts.
/// @param position where it acts, world frame [m]; @param force on B, world frame [N]
void add_contact(const System& machine, const VecX& q, Index contact, const Vec2& position,
                 const Vec2& force, std::vector<Reaction>& all);

}  // namespace talus::dynamics
