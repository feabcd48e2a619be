#pragma once

#include <span>

#include <talus/problem/rigid_contact.hpp>

namespace talus::stepping::detail {

/// How bodies move in a step in which nothing strikes: what the work of contacts and of rows that
/// resist as they do is counted from (certify::raised_energy).
struct AloneMotion {
  std::span<const problem::BodyVelocity> velocity;  ///< of the bodies
  std::span<const Real> impulse;                    ///< λ of every row [N·s]
  std::span<const unsigned char> resists;  ///< of every row, 1: a limit, a rope, dry friction
  /// Rates of these before the step; of a constraint the bias that the rule asks for [m/s].
  std::span<const Real> before;
  /// Of every row, the part of its bias by which the midpoint rule reflects a constraint's rate;
  /// empty: another rule.
  std::span<const Real> reflected;
};

/// What displacements at the end of a step, which its velocities do not lead to, store in a spring.
struct WoundSpring {
  Index body;   ///< that it acts on
  Real gained;  ///< k δ (s + s')/2, beyond the work of its force: s, s' at the start, the end [J]
  Real stored;  ///< ½ k s'² [J]
};

}  // namespace talus::stepping::detail
