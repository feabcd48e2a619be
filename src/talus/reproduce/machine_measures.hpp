#pragma once

#include <string>
#include <vector>

#include <talus/reproduce/machine_run.hpp>

namespace talus::reproduce {

// What can be measured of a machine's run. Over a window of time, of a signal x(t), samples that
// are no numbers left out:
//   mean        ∫x dt over the window (trapezia between samples)
//   step_mean   mean of the samples: of a signal that is itself the mean of a step
//   min, max, max_abs, last
//   excess      of the largest x over `limit`, or 0
//   at          x at the time `from`, straight between samples
//   slope       (x(to) − x(from))/(to − from)
//   decay_rate  −d log|x|/dt, least squares
// of events, by kind (stepping::EventKind) and contact, in the window:
//   event_time      of the number-th [s]
//   event_count
//   event_duration  from the number-th to the next of the kind `until` [s]
//   event_impulse   normal impulse of the number-th [N·s]
//   event_ratio     −gap rate after over before of the number-th
//   event_energy    energy after over before of the number-th, both from the first sample's zero
//   shortest_interval  between two of a kind at the same contact [s]
// of a periodic orbit:
//   orbit_speed     drift over the period [m/s]
//   multiplier      modulus of the number-th, the largest first
//   orbit_residual
// of the run: uncertified, energy_rise
// and over the values p of the parameter:
//   order           slope of log|m(p) − limit| over log p, m the measure `of`
//   spread          the largest |m(p) − m(first p)|

[[nodiscard]] std::vector<std::string> machine_measure_names();

/// A number of a machine's runs, times the factor; NaN where a run did not get to its end, an event
/// did not happen, an orbit was not found.
/// @throws InputError where the row lacks what it needs.
[[nodiscard]] Real measure_machine(const std::string& measure, const MachineMeasure& row,
                                   const std::vector<MachineHistory>& histories,
                                   const MachineCase& machine);

}  // namespace talus::reproduce
