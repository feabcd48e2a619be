#include "support/random_spatial_machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>
#include <vector>

#include <talus/dynamics/machine_terms.hpp>

namespace talus::test {
namespace {

using model::Freedom;

constexpr Real kApart = 0.45;  // of neighbours' centres [m]

geometry::Shape random_link_shape(Random& random) {
  switch (random.bits() % 3) {
    case 0:
      return geometry::Sphere{0.08};
    case 1:
      return geometry::Capsule{0.05, 0.07};
    default:
      return geometry::Box{Vec3(0.08, 0.06, 0.05)};
  }
}

model::SpatialJointKind random_kind(Random& random) {
  const std::array<model::SpatialJointKind, 10> kinds{
      model::revolute_joint(),     model::prismatic_joint(), model::cylindrical_joint(),
      model::ball_joint(),         model::universal_joint(), model::weld_joint(),
      model::planar_joint(),       model::Screw{0.1},        model::revolute_joint(),
      model::point_on_line_joint()};
  return kinds[random.bits() % kinds.size()];
}

model::SpatialJointKind random_play(Random& random) {
  const Real clearance = std::pow(10, random.uniform(-4, -2));
  const model::InterfaceLaw law =
      model::coulomb_law(random.uniform(0, 0.5), random.uniform() < 0.5 ? random.uniform() : 0);
  if (random.uniform() < 0.5) return model::BallClearance{clearance, 0.02, law};
  return model::BearingClearance{clearance, 0.02, random.uniform(0.05, 0.2), law};
}

/// A law on a free axis z of a joint, if it has one that a law can act on.
void add_law(model::SpatialJoint& joint, Random& random) {
  const auto* pair = std::get_if<model::LowerPair>(&joint.kind);
  if (pair == nullptr || pair->held.turns() == 0) return;  // three turns are singular somewhere
  model::AxisLaw law;
  if (!pair->held.has(Freedom::turn_z))
    law.axis = Freedom::turn_z;
  else if (!pair->held.has(Freedom::z))
    law.axis = Freedom::z;
  else
    return;
  if (random.uniform() < 0.5) {
    law.lower = -random.uniform(0.05, 1);
    law.upper = random.uniform(0.05, 1);
  }
  if (random.uniform() < 0.5) law.damping = random.uniform(0, 0.5);
  if (random.uniform() < 0.5) law.friction = random.uniform(0, 1);
  if (random.uniform() < 0.3) law.stiffness = std::pow(10, random.uniform(0, 4));
  if (random.uniform() < 0.3) law.armature = random.uniform(0, 0.05);
  if (random.uniform() < 0.3) {
    law.friction_coefficient = 0.2;
    law.pin_radius = 0.02;
  }
  joint.axes.push_back(law);
}

/// A rod between two bodies that no joint connects.
void add_rod(SpatialMachineWorld& world, const std::vector<Index>& bodies, Random& random) {
  const Index a = bodies[random.bits() % bodies.size()], b = bodies[random.bits() % bodies.size()];
  const auto joins = [&](const model::SpatialJoint& joint) {
    return (joint.body_a == a && joint.body_b == b) || (joint.body_a == b && joint.body_b == a);
  };
  const auto& joints = world.machine->joints;
  if (a == b || std::any_of(joints.begin(), joints.end(), joins)) return;
  model::SpatialJoint rod;
  rod.name = "rod";
  rod.body_a = a;
  rod.body_b = b;
  rod.kind = model::Distance{(world.state.position[a] - world.state.position[b]).norm()};
  world.machine->joints.push_back(rod);
}

void keep_for_events(SpatialMachineWorld& world, Random& random) {
  for (model::SpatialJoint& joint : world.machine->joints) {
    for (model::AxisLaw& law : joint.axes) {
      law.armature = law.friction_coefficient = law.pin_radius = 0;
      law.restitution = random.uniform() < 0.5 ? random.uniform(0, 0.9) : 0;
    }
    if (auto* ball = std::get_if<model::BallClearance>(&joint.kind))
      ball->law.friction.coefficient = 0;
    if (auto* bearing = std::get_if<model::BearingClearance>(&joint.kind))
      bearing->law.friction.coefficient = 0;
  }
}

}  // namespace

SpatialMachineWorld random_spatial_machine(std::uint64_t seed, const SpatialMachineKind& kind) {
  Random random(seed);
  SpatialMachineWorld world(Vec3(0, 0, -9.81), random.uniform(0, 0.5));
  if (kind.has_contacts) world.add_floor();
  const std::uint64_t count = 2 + random.bits() % 8;
  const bool is_hung = random.uniform() < 0.4;
  std::vector<Index> bodies;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Index parent = i == 0 ? model::kWorld : bodies[random.bits() % i];
    const Vec3 base = i == 0 ? Vec3(0, 0, 0.8) : world.state.position[parent];
    Vec3 way = random_vector(random, 1).normalized();
    way.z() *= 0.3;
    const Vec3 place = base + kApart * way.normalized();
    const geometry::Shape shape = random_link_shape(random);
    const Real density = 1000 * std::pow(10, random.uniform(-1, 0.5));
    const Index body =
        world.add(shape, model::BodyKind::dynamic, place, random_rotation(random), density);
    bodies.push_back(body);
    const Vec3 axis = random_vector(random, 1).normalized();
    const model::SpatialJointKind joint_kind = random_kind(random);
    if (i == 0 && !is_hung) continue;
    if (kind.has_play && i > 0 && random.uniform() < 0.5) {
      world.add_joint(random_play(random), parent, body, (base + place) / 2, axis);
      continue;
    }
    const Index joint = world.add_joint(joint_kind, parent, body, (base + place) / 2, axis);
    if (kind.has_laws && random.uniform() < 0.7)
      add_law(world.machine->joints[static_cast<std::size_t>(joint)], random);
  }
  if (count > 3 && random.uniform() < 0.3) add_rod(world, bodies, random);
  if (kind.is_for_events) keep_for_events(world, random);
  return world;
}

bool starts_clear(const SpatialMachineWorld& world) {
  model::State state = world.state;
  const auto scheme = stepping::make_scheme(world.model, options("moreau_jean", 1e-6));
  constexpr Real kNoTime = 1e-9;
  return scheme->step(state, kNoTime).max_penetration < 1e-9;
}

Real energy_unit(const SpatialMachineWorld& world) {
  Real unit = 0;
  for (const model::Body& body : world.model.bodies)
    if (body.kind == model::BodyKind::dynamic) unit += 0.3 * 9.81 * body.mass;
  return unit;
}

Real drift(const SpatialMachineWorld& world) {
  const dynamics::MachineTerms terms(*world.machine, world.model.body_count());
  std::vector<dynamics::BodyMotion> motions;
  for (Index i = 0; i < world.model.body_count(); ++i)
    motions.push_back({world.state.position[i], world.state.orientation[i].toRotationMatrix(),
                       world.state.velocity[i], world.state.angular_velocity[i]});
  dynamics::MachineConstraints constraints;
  terms.constraints(world.state.time, {motions, {}}, constraints);
  return constraints.value.size() == 0 ? 0 : constraints.value.cwiseAbs().maxCoeff();
}

}  // namespace talus::test
