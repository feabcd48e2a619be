#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/model/spatial_machine.hpp>

#include "support/world.hpp"

namespace talus::test {

/// A world in space with a machine, advanced by one of Moreau's schemes.
struct SpatialMachineWorld : World {
  explicit SpatialMachineWorld(const Vec3& gravity = Vec3(0, 0, -9.81), Real friction = 0,
                               Real restitution = 0);

  /// A body of any inertia, with the shape of a small ball.
  Index add_body(Real mass, const Mat3& inertia, const Vec3& position,
                 const Quat& orientation = Quat::Identity());
  /// A joint at a point, its axis z along a direction, both in the world at the start.
  Index add_joint(const model::SpatialJointKind& kind, Index a, Index b, const Vec3& point,
                  const Vec3& axis = Vec3::UnitZ());
  /// Advances to a time in steps of h. @return how many of them were not certified.
  Index run(const char* scheme, Real end, Real h);

  std::shared_ptr<model::SpatialMachine> machine = std::make_shared<model::SpatialMachine>();
  Real tolerance = 1e-6;
  std::unique_ptr<stepping::Scheme> scheme;
  stepping::StepReport last;
  Real largest_energy_change = 0;  ///< against the start, over the steps of all runs [J]
  std::string first_failure;       ///< what the first step said that was not certified
};

}  // namespace talus::test
