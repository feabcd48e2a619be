#pragma once

#include <vector>

#include <talus/math/vector.hpp>

namespace talus::dynamics {

class System;

/// What a joint or a drive does to the second of its bodies; its reverse acts on the first.
/// Stabilisation is no part of it.
struct Reaction {
  Vec2 force = Vec2::Zero();  ///< on B, world frame [N]
  Real moment = 0;            ///< on B, about the joint's point in B [N m]
  Real effort = 0;            ///< of a drive: its torque [N m], or its force along the axis [N]
  Real friction = 0;          ///< friction force of a joint, against slip [N]
};

/// Reactions of the joints, then of the drives, from the multipliers. Ropes and joints with play
/// have none yet: theirs come with add_contact.
/// @param friction forces of the joint frictions, in their order [N]; empty: none
void reactions(const System& machine, const VecX& q, const VecX& multipliers, const VecX& friction,
               std::vector<Reaction>& all);

/// Adds the force of a contact to the reaction of the joint that makes it: a rope, a pin or a block
/// with play; nothing of other contacts.
/// @param position where it acts, world frame [m]; @param force on B, world frame [N]
void add_contact(const System& machine, const VecX& q, Index contact, const Vec2& position,
                 const Vec2& force, std::vector<Reaction>& all);

}  // namespace talus::dynamics
