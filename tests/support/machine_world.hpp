#pragma once

#include <memory>
#include <vector>

#include <talus/model/machine.hpp>
#include <talus/stepping/event_driven.hpp>

#include "support/world.hpp"

namespace talus::test {

/// A planar world with a machine, advanced by events: gravity −9.81 along y, one surface law.
struct MachineWorld : World {
  explicit MachineWorld(const model::InterfaceLaw& surface = {},
                        const Vec3& gravity = Vec3(0, -9.81, 0));
  /// A fixed line whose upper side is free.
  Index add_line(Real angle = 0);
  Index add_body(const geometry::Shape& shape, Real mass, Real inertia, const Vec2& at,
                 Real angle = 0);
  /// Advances by `duration` in steps of about h, collecting events; false if a step is uncertified.
  bool run(Real duration, Real h);
  /// The first event of a kind (at or after a time); null if there is none.
  const stepping::Event* first(stepping::EventKind kind, Real from = 0) const;
  Index count(stepping::EventKind kind) const;
  [[nodiscard]] Real angle(Index body) const;

  std::shared_ptr<model::Machine> machine;
  stepping::SchemeOptions options;
  std::unique_ptr<stepping::EventDriven> scheme;
  std::vector<stepping::Event> events;
  Real residual = 0;
  stepping::StepReport last;
};

/// Coulomb friction and Newton restitution.
model::InterfaceLaw coulomb(Real friction, Real static_friction = 0, Real restitution = 0);

}  // namespace talus::test
