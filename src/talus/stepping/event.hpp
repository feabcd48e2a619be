#pragma once

#include <string>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::stepping {

/// What happens at an instant of an event-driven run.
enum class EventKind : unsigned char {
  impact,               ///< a gap closes with velocity
  touch,                ///< a gap closes without velocity, or a compliant contact begins
  detachment,           ///< a normal force has come to zero
  stick,                ///< a slip velocity has come to zero and stays there
  slip,                 ///< friction is saturated: a sticking contact begins to slip
  reversal,             ///< a slip velocity changes its sign
  accumulation,         ///< infinitely many impacts have been closed (Zeno)
  painleve,             ///< no, or more than one, acceleration satisfies the laws
  kink,                 ///< a law of time has a kink
  restitution_reduced,  ///< a law of restitution would have raised the energy, or had no
                        ///< solution: the coefficients of this impact were taken smaller
  time_step,            ///< a short time step has led on, with impulses instead of forces
  bound,                ///< the effort of a motor comes to one of its bounds, or leaves it
};
constexpr EventKind kLastEventKind = EventKind::bound;
[[nodiscard]] const char* to_string(EventKind kind);

/// An event, with the state on both sides of it.
struct Event {
  Real time = 0;  ///< [s]
  EventKind kind = EventKind::impact;
  Index contact = -1;              ///< of the machine (System), or −1 − i for joint friction i
  Index body_a = -1, body_b = -1;  ///< its bodies, −1: none
  Vec2 impulse = Vec2::Zero();     ///< normal, tangential [N·s]; of impacts
  Real gap_rate_before = 0, gap_rate_after = 0;  ///< [m/s]
  Real slip_before = 0, slip_after = 0;          ///< [m/s]
  Real energy_before = 0, energy_after = 0;      ///< [J]
  Real restitution_factor = 1;  ///< of the restitution that is left; of restitution_reduced
  /// Of all bodies; once a step has ended in space: places, and velocities without spins.
  VecX q, v_before, v_after;
};

}  // namespace talus::stepping
