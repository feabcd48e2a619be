#pragma once

#include <memory>
#include <vector>

#include <talus/model/machine.hpp>
#include <talus/stepping/event_driven.hpp>

#include "support/world.hpp"

namespace talus::test {

/// A planar world with a machine, advanced by events: gravity −9.81 along y, one surface law.
struct MachineWorld : World {
  explicit MachineWorld(const model::SurfaceLaw& surface = {},
                        const Vec3& gravity = Vec3(0, -9.81, 0))
      : World(0, 0, gravity), machine(std::make_shared<model::Machine>()) {
    model.dimension = 2;
    machine->surfaces = {surface};
    model.machine = machine;
    options.scheme = "event_driven";
    options.solver.tolerance = 1e-8;
    options.machine.tolerance = 1e-11;
  }
  /// A fixed line whose upper side is free.
  Index add_line(Real angle = 0) {
    const Vec3 normal(-std::sin(angle), std::cos(angle), 0);
    return add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(),
               rotation_between(Vec3::UnitZ(), normal));
  }
  Index add_body(const geometry::Shape& shape, Real mass, Real inertia, const Vec2& at,
                 Real angle = 0) {
    const Index body = add(shape, model::BodyKind::dynamic, {at.x(), at.y(), 0},
                           Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ())));
    model.bodies[body].mass = mass;
    model.bodies[body].inertia = inertia * Mat3::Identity();
    return body;
  }
  /// Advances by `duration` in steps of about h, collecting events; false if a step is uncertified.
  bool run(Real duration, Real h) {
    if (!scheme) scheme = stepping::make_event_driven_scheme(model, options);
    const Real start = state.time;
    const auto count = static_cast<Index>(std::ceil(duration / h - 1e-9));
    for (Index k = 1; k <= count; ++k) {
      const stepping::StepReport report = scheme->step(
          state, (k == count ? start + duration : start + static_cast<Real>(k) * h) - state.time);
      state.time = k == count ? start + duration : start + static_cast<Real>(k) * h;
      events.insert(events.end(), scheme->events().begin(), scheme->events().end());
      residual = std::max(residual, report.certificate.natural_map);
      last = report;
      if (!report.is_certified()) return false;
    }
    return true;
  }
  /// The first event of a kind (at or after a time); null if there is none.
  const stepping::Event* first(stepping::EventKind kind, Real from = 0) const {
    for (const stepping::Event& event : events)
      if (event.kind == kind && event.time >= from) return &event;
    return nullptr;
  }
  Index count(stepping::EventKind kind) const {
    Index n = 0;
    for (const stepping::Event& event : events) n += event.kind == kind ? 1 : 0;
    return n;
  }
  [[nodiscard]] Real angle(Index body) const {
    const Quat& q = state.orientation[body];
    return 2 * std::atan2(q.z(), q.w());
  }

  std::shared_ptr<model::Machine> machine;
  stepping::SchemeOptions options;
  std::unique_ptr<stepping::EventDriven> scheme;
  std::vector<stepping::Event> events;
  Real residual = 0;
  stepping::StepReport last;
};

/// Coulomb friction and Newton restitution.
inline model::SurfaceLaw coulomb(Real friction, Real static_friction = 0, Real restitution = 0) {
  model::SurfaceLaw surface;
  surface.friction.friction = friction;
  surface.friction.kind = model::CoulombFriction{static_friction};
  surface.impact.restitution = restitution;
  return surface;
}

}  // namespace talus::test
