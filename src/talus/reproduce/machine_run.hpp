#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <talus/reproduce/machine_case.hpp>
#include <talus/sim/periodic_orbit.hpp>
#include <talus/stepping/event.hpp>

namespace talus::reproduce {

/// What a run of a machine has shown.
struct MachineHistory {
  std::vector<Real> time;                            ///< of the samples [s]
  std::map<std::string, std::vector<Real>> signals;  ///< one entry per sample
  std::vector<stepping::Event> events;               ///< without their states
  bool is_complete = false;                          ///< it went to its end
  Index uncertified = 0;                             ///< steps
  Real energy_rise = 0;                              ///< the largest in a step [J]
  Real wall_seconds = 0;
  sim::PeriodicOrbit orbit;  ///< of a search for one
  Real drift = 0;            ///< [m] per period, along the first direction
};

/// Runs a case for one value of its parameter.
/// @param value counted from 0; 0 where there is no parameter.
/// @param progress share of the run that is done. @throws InputError where the scene or a signal
/// cannot be read.
[[nodiscard]] MachineHistory run_machine(const MachineCase& machine, Index value,
                                         const std::function<void(Real)>& progress,
                                         const std::function<bool()>& should_stop);

/// The histories of a paper's machines, by name, one per value of the parameter.
using MachineHistories = std::map<std::string, std::vector<MachineHistory>>;

}  // namespace talus::reproduce
