#pragma once

#include <talus/model/machine.hpp>

#include "support/mechanism.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::test {

/// New units' worth of the old ones: what was 1 m is `length` of what lengths are counted in, and
/// so on. Powers of two change no digit of a number.
struct Units {
  Real length = 1, mass = 1, time = 1;

  [[nodiscard]] Real speed() const { return length / time; }
  [[nodiscard]] Real force() const { return mass * length / (time * time); }
  [[nodiscard]] Real moment() const { return force() * length; }
};

/// The same machine in other units: joints, springs and dampers, laws of axes, drives and loads
/// whose laws of time are constant, ramps or sines. No contacts, no tables of time.
void change_units(SpatialMachineWorld& world, const Units& units);
void change_units(Mechanism& mechanism, const Units& units);

}  // namespace talus::test
