#pragma once

#include <talus/certify/certificate.hpp>
#include <talus/stepping/event_driven/phase.hpp>

namespace talus::stepping::event_driven {

/// What an instant of a machine is judged by.
struct Instant {
  Real time = 0;
  const Point& x;
  const Rate& rate;          ///< without stabilisation
  const Forces& forces;      ///< that go with it
  const laws::Modes& modes;  ///< only what a compliant contact remembers is believed
  Real gap_noise = 0;        ///< gaps this small are closed [m]
  Real speed_noise = 0;      ///< slip velocities this small, over √own, are zero [√kg m/s]
};

/// Judges forces and accelerations against the laws, from q and v alone: rows are formed anew, who
/// is closed follows from gaps and their rates, friction from model::slip_force and the slip
/// velocity, compliant forces from model::normal_force. Nothing of the engine's matrices is used.
/// Joint frictions are judged with the reactions given. worst_contact is a contact of the machine,
/// −2 − i for the i-th friction of joints, or −1.
[[nodiscard]] certify::Certificate judge(const dynamics::System& machine,
                                         const laws::FrictionTable& elements,
                                         const Instant& instant);

}  // namespace talus::stepping::event_driven
