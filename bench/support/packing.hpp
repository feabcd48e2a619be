#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/dynamics/rigid_bodies.hpp>

#include "support/bed.hpp"

namespace talus::bench {

enum class Numbering { lattice, shuffled };

/// n³ spheres of 10 mm ± 5 % on a jittered body-centred lattice in a container, pressed so that
/// they overlap in about 2.7 contacts per sphere: a contact network as dense and as irregular as
/// that of a settled bed, built in no time at any size.
/// @param numbering lattice: neighbours in space are near in memory (a bed just poured); shuffled:
/// they are anywhere (a bed long mixed).
inline test::World sphere_bed(int n, Numbering numbering) {
  constexpr Real kRadius = 0.01;
  const Real spacing = 0.987 * 4 * kRadius / std::sqrt(3.0);  // of touching neighbours, pressed
  Random random(1);
  test::World world(0.5);
  const Real width = (n - 0.5) * spacing + 2 * 0.99 * kRadius;
  test::add_container(world, width);
  std::vector<Vec3> sites;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Real shift = k % 2 == 0 ? 0 : 0.5;
        sites.push_back(Vec3(i + shift, j + shift, k / 2.0) * spacing +
                        Vec3(-width / 2, -width / 2, 0) + Vec3::Constant(0.99 * kRadius) +
                        test::random_vector(random, 0.02 * kRadius));
      }
  if (numbering == Numbering::shuffled)
    for (std::size_t k = sites.size(); k > 1; --k)
      std::swap(sites[k - 1], sites[static_cast<std::size_t>(random.uniform(0, Real(k)))]);
  for (const Vec3& site : sites)
    world.add(geometry::Sphere{kRadius * random.uniform(0.95, 1.05)}, model::BodyKind::dynamic,
              site, Quat::Identity(), 2500);
  return world;
}

/// A wall of bricks in running bond, 200 × 60 × 100 mm, on a floor; head joints are open.
inline test::World brick_wall(int bricks_per_course, int courses) {
  const Vec3 half(0.1, 0.05, 0.03);
  test::World world(0.6);
  world.add_floor();
  for (int k = 0; k < courses; ++k)
    for (int i = 0; i < bricks_per_course; ++i)
      world.add_box(half, {0.201 * (i + (k % 2) / 2.0), 0, (2 * k + 1) * half.z()});
  return world;
}

/// The contact problem of one step of 1 ms from rest under gravity: every contact within the margin
/// counts as closed.
/// @param margin of every movable body [m].
inline problem::RigidContact closed_contacts(const test::World& world, Real margin) {
  dynamics::RigidBodies bodies(world.model);
  const Index count = world.model.body_count();
  std::vector<Real> margins(count, 0);
  for (Index i = 0; i < count; ++i) {
    if (bodies.is_dynamic(i)) margins[i] = margin;
  }
  std::vector<collision::Contact> contacts;
  bodies.detector().detect({world.state.position, world.state.orientation}, margins,
                           std::vector<Real>(count, 0), contacts);

  problem::RigidContact problem;
  std::vector<Vec3> velocity, angular_velocity;
  bodies.free_velocities(world.state, 1e-3, {}, velocity, angular_velocity);
  bodies.load(world.state, velocity, angular_velocity, {}, problem);
  const Real friction = world.model.law(0, 0).friction.coefficient;
  std::vector<dynamics::ContactTerm> terms(contacts.size(), {0, friction});
  std::vector<Index> order;
  bodies.add(contacts, terms, world.state.position, problem, order);
  return problem;
}

}  // namespace talus::bench
