#include "support/spatial_machine_world.hpp"

#include <algorithm>
#include <cmath>

#include <talus/math/rotation.hpp>

namespace talus::test {

SpatialMachineWorld::SpatialMachineWorld(const Vec3& gravity, Real friction, Real restitution)
    : World(friction, restitution, gravity) {
  model.spatial_machine = machine;
}

Index SpatialMachineWorld::add_body(Real mass, const Mat3& inertia, const Vec3& position,
                                    const Quat& orientation) {
  const Index body = add(geometry::Sphere{1e-3}, model::BodyKind::dynamic, position, orientation);
  model.bodies[body].mass = mass;
  model.bodies[body].inertia = inertia;
  return body;
}

Index SpatialMachineWorld::add_joint(const model::SpatialJointKind& kind, Index a, Index b,
                                     const Vec3& point, const Vec3& axis) {
  const Pose X_WJ{point, rotation_between(Vec3::UnitZ(), axis)};
  const auto in_body = [&](Index body) {
    return body < 0 ? X_WJ : state.pose(body).inverse() * X_WJ;
  };
  model::SpatialJoint joint;
  joint.name = "joint " + std::to_string(machine->joints.size());
  joint.body_a = a;
  joint.body_b = b;
  joint.X_AJ = in_body(a);
  joint.X_BJ = in_body(b);
  joint.kind = kind;
  machine->joints.push_back(joint);
  return static_cast<Index>(machine->joints.size()) - 1;
}

Index SpatialMachineWorld::run(const char* name, Real end, Real h) {
  if (!scheme) {
    stepping::SchemeOptions own = options(name, tolerance);
    scheme = stepping::make_scheme(model, own);
  }
  const Real start = energy();
  Index failed = 0;
  const auto steps = std::lround((end - state.time) / h);
  for (long k = 0; k < steps; ++k) {
    last = scheme->step(state, h);
    largest_energy_change = std::max(largest_energy_change, std::abs(last.energy.total() - start));
    if (last.is_certified()) continue;
    if (failed++ == 0) first_failure = last.detail;
  }
  return failed;
}

}  // namespace talus::test
