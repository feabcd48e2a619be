#pragma once

#include <cstdint>

#include "support/spatial_machine_world.hpp"

namespace talus::test {

/// What random machines in space may have.
struct SpatialMachineKind {
  bool has_contacts = true;  ///< a floor below, on which they fall
  bool has_laws = true;   ///< limits, springs, dampers, friction and armatures on axes; all passive
  bool has_play = false;  ///< some joints are balls in sockets or pins in bores, of any surface
  /// Without what event_driven does not support: armatures, friction by reactions and in plays;
  /// with restitution of limits.
  bool is_for_events = false;
};

/// A tree of two to nine spheres, capsules and boxes with every kind of joint, hung up or free,
/// with masses over one and a half decades, and sometimes a rod that closes a loop. At rest;
/// neighbours in the tree do not collide. Bodies that are no neighbours may overlap at the start:
/// such a world is no start for anything (starts_clear).
[[nodiscard]] SpatialMachineWorld random_spatial_machine(std::uint64_t seed,
                                                         const SpatialMachineKind& kind);

/// Whether no two bodies overlap.
[[nodiscard]] bool starts_clear(const SpatialMachineWorld& world);

/// Σ m g · 0.3 m of the moving bodies [J]: what energies are compared with.
[[nodiscard]] Real energy_unit(const SpatialMachineWorld& world);

/// The largest |Φ| of the joints [m, rad].
[[nodiscard]] Real drift(const SpatialMachineWorld& world);

}  // namespace talus::test
