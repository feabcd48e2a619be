#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <talus/model/region.hpp>

namespace talus::model {

/// Where and when bodies of a set come in. They are in the model from the start and wait; each is
/// put at a random place of the region once it is due, in their order.
struct Source {
  Index first = 0;                       ///< of the set's bodies
  std::vector<Real> due;                 ///< of each of them [s], not falling
  Region region;                         ///< holds the bounding balls of the bodies that come in
  Real gap = 0;                          ///< least distance from bodies that are there [m] ≥ 0
  Vec3 velocity = Vec3::Zero();          ///< [m/s] that they come in with
  Real velocity_spread = 0;              ///< [m/s] each component differs by at most this
  Vec3 angular_velocity = Vec3::Zero();  ///< [rad/s]
  std::uint64_t seed = 1;
  [[nodiscard]] Index count() const { return static_cast<Index>(due.size()); }
};

/// Where bodies are taken out: those whose centre is in the region, or is not.
struct Sink {
  std::string name;
  Region region;
  bool is_outside = false;    ///< takes what is outside of the region
  std::vector<Index> bodies;  ///< that it takes, sorted
  /// @param centre in a periodic cell its image that is in the region, if there is one.
  [[nodiscard]] bool takes(const Vec3& centre) const {
    return region.contains(centre) != is_outside;
  }
};

/// Bodies that came in, or went out.
struct Flow {
  Index bodies = 0;
  Real mass = 0;    ///< [kg]
  Real energy = 0;  ///< kinetic and potential [J]
  void add(const Flow& other) {
    bodies += other.bodies;
    mass += other.mass;
    energy += other.energy;
  }
};

/// What happened to the population between two steps.
struct PopulationChange {
  Flow in, out;
  Index late = 0;  ///< bodies that are due and found no place
};

}  // namespace talus::model
