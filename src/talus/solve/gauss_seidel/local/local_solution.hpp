#pragma once

#include <talus/math/vector.hpp>

namespace talus::solve {

/// What one contact does at its solution.
enum class ContactState : unsigned char {
  open,   ///< r = 0
  stick,  ///< u = 0, r in the cone
  slip  ///< r on the boundary of the cone, u_T as the law says: Coulomb u_T = −κ r_T with κ > 0
};

/// Impulse of one contact in 3-D, contact frame, normal first [N·s].
struct LocalSolution {
  Vec3 impulse = Vec3::Zero();
  ContactState state = ContactState::open;
};

/// Impulse of one contact in 2-D, (N, T) [N·s].
struct LocalSolution2 {
  Vec2 impulse = Vec2::Zero();
  ContactState state = ContactState::open;
};

}  // namespace talus::solve
