#include "support/machine_world.hpp"

#include <algorithm>
#include <cmath>

namespace talus::test {

MachineWorld::MachineWorld(const model::InterfaceLaw& surface, const Vec3& gravity)
    : World(0, 0, gravity), machine(std::make_shared<model::Machine>()) {
  model.dimension = 2;
  model.laws = {surface};
  model.machine = machine;
  options.scheme = "event_driven";
  options.solver.tolerance = 1e-8;
  options.machine.tolerance = 1e-11;
}

Index MachineWorld::add_line(Real angle) {
  const Vec3 normal(-std::sin(angle), std::cos(angle), 0);
  return add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(),
             rotation_between(Vec3::UnitZ(), normal));
}

Index MachineWorld::add_body(const geometry::Shape& shape, Real mass, Real inertia, const Vec2& at,
                             Real angle) {
  const Index body = add(shape, model::BodyKind::dynamic, {at.x(), at.y(), 0},
                         Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ())));
  model.bodies[body].mass = mass;
  model.bodies[body].inertia = inertia * Mat3::Identity();
  return body;
}

bool MachineWorld::run(Real duration, Real h) {
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

const stepping::Event* MachineWorld::first(stepping::EventKind kind, Real from) const {
  for (const stepping::Event& event : events)
    if (event.kind == kind && event.time >= from) return &event;
  return nullptr;
}

Index MachineWorld::count(stepping::EventKind kind) const {
  Index n = 0;
  for (const stepping::Event& event : events) n += event.kind == kind ? 1 : 0;
  return n;
}

Real MachineWorld::angle(Index body) const {
  const Quat& q = state.orientation[body];
  return 2 * std::atan2(q.z(), q.w());
}

model::InterfaceLaw coulomb(Real friction, Real static_friction, Real restitution) {
  model::InterfaceLaw surface;
  surface.friction.coefficient = friction;
  surface.friction.kind = model::CoulombFriction{static_friction};
  surface.impact.restitution = restitution;
  return surface;
}

}  // namespace talus::test
