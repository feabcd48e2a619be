#include "support/bed.hpp"

#include <algorithm>
#include <vector>

#include <talus/dynamics/rigid_bodies.hpp>

namespace talus::test {

void add_container(World& world, Real width) {
  const auto wall = [&](const Vec3& position, const Vec3& normal) {
    world.add(geometry::Plane{}, model::BodyKind::fixed, position,
              rotation_between(Vec3::UnitZ(), normal));
  };
  world.add_floor();
  wall({-width / 2, 0, 0}, {1, 0, 0});
  wall({width / 2, 0, 0}, {-1, 0, 0});
  wall({0, -width / 2, 0}, {0, 1, 0});
  wall({0, width / 2, 0}, {0, -1, 0});
}

World lattice_bed(int nx, int ny, int nz, std::uint64_t seed) {
  Random random(seed);
  World world(0.5);
  const Real spacing = 0.0225;
  const Real width = spacing * std::max(nx, ny) + 0.004;
  add_container(world, width);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const Vec3 jitter = random_vector(random, 2e-4);
        world.add(geometry::Sphere{0.01 * random.uniform(0.9, 1.1)}, model::BodyKind::dynamic,
                  spacing * Vec3(i - (nx - 1) / 2.0, j - (ny - 1) / 2.0, k + 0.55) + jitter,
                  Quat::Identity(), 2500);
      }
  return world;
}

problem::RigidContact in_random_motion(World world, Random& random) {
  for (Index i = 5; i < world.model.body_count(); ++i) {
    world.state.position[i] += random_vector(random, 2e-3);
    world.state.velocity[i] = random_vector(random, 0.5);
    world.state.angular_velocity[i] = random_vector(random, 20);
  }
  dynamics::RigidBodies bodies(world.model);
  const std::vector<Real> margin(world.model.bodies.size(), 2e-3), skin(margin.size(), 0);
  std::vector<collision::Contact> contacts;
  bodies.detector().detect({world.state.position, world.state.orientation}, margin, skin, contacts);
  problem::RigidContact problem;
  bodies.load(world.state, world.state.velocity, world.state.angular_velocity, {}, problem);
  std::vector<dynamics::ContactTerm> terms;
  for (const collision::Contact& contact : contacts)
    terms.push_back({contact.gap / 1e-2, random.uniform(0, 1)});
  std::vector<Index> order;
  bodies.add(contacts, terms, world.state.position, problem, order);
  return problem;
}

Real support_over_weight(const World& world, const stepping::Scheme& scheme, Real h) {
  Real weight = 0, support = 0;
  for (const model::Body& body : world.model.bodies)
    weight += body.mass * h * -world.model.gravity.z();
  for (const stepping::StepContact& contact : scheme.contacts()) {
    const auto is_fixed = [&](Index i) {
      return world.model.bodies[i].kind == model::BodyKind::fixed;
    };
    if (is_fixed(contact.body_a)) support += contact.impulse.z();
    if (is_fixed(contact.body_b)) support -= contact.impulse.z();
  }
  return support / weight;
}

}  // namespace talus::test
