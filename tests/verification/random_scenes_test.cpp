#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include <talus/base/random.hpp>

#include "support/witness.hpp"
#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// Scenes to try: TALUS_SCENES, or few enough for every day.
int scene_count() {
  const char* text = std::getenv("TALUS_SCENES");
  return text != nullptr ? std::atoi(text) : 20;
}

geometry::Shape random_shape(Random& random) {
  const Real size = 0.05 * std::pow(4, random.uniform());
  switch (static_cast<int>(random.uniform(0, 4))) {
    case 0:
      return geometry::Sphere{size};
    case 1: {
      const Real x = random.uniform(0.3, 1), y = random.uniform(0.3, 1);
      return geometry::Box{size * Vec3(x, y, 1)};
    }
    case 2: {
      const Real radius = size * random.uniform(0.3, 1);
      return geometry::Capsule{radius, size};
    }
    default: {
      const Real radius = size * random.uniform(0.3, 1);
      return geometry::Cylinder{radius, size};
    }
  }
}

/// Two to seven bodies of any shape and weight, thrown into a pit of five planes; none overlaps.
World random_scene(std::uint64_t seed) {
  Random random(seed);
  const Real friction = random.uniform() < 0.2 ? 0 : random.uniform(0, 1.2);
  World world(friction);
  world.add_floor();
  constexpr Real kHalf = 0.5;
  for (const Vec3& n : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    world.add(geometry::Plane{}, model::BodyKind::fixed, -kHalf * n,
              Quat::FromTwoVectors(Vec3::UnitZ(), n));
  const int count = static_cast<int>(random.uniform(2, 8));
  for (int tries = 0; tries < 200 && world.model.body_count() < 5 + count; ++tries) {
    const geometry::Shape shape = random_shape(random);
    const Vec3 flat = test::random_vector(random, 0.3);
    const Vec3 place(flat.x(), flat.y(), random.uniform(0.2, 1));
    const Quat turn = test::random_rotation(random);
    const Real density = 100 * std::pow(100, random.uniform());
    const Vec3 v = test::random_vector(random, 3), w = test::random_vector(random, 10);
    World other = world;
    const Index added = other.add(shape, model::BodyKind::dynamic, place, turn, density);
    other.state.velocity[added] = v;
    other.state.angular_velocity[added] = w;
    bool is_free = true;
    for (Index i = 0; i < added; ++i)
      is_free = is_free && test::apart(other.model.bodies[i], other.state.pose(i),
                                       other.model.bodies[added], other.state.pose(added)) > 0;
    if (is_free) world = other;
  }
  return world;
}

/// What a witness finds in the certified steps of a scene.
struct Finding {
  int uncertified = 0;
  Real overlap = 0;  ///< largest, over the half thickness of the thinner body
  Real rise = 0;     ///< largest of the kinetic energy beyond what gravity does in a step, over
                     ///< Σ m (g h)² + Σ m v²/1000
  Real touch = 0;    ///< largest change of velocity of a body that passed all others, over h g
  int step_of_overlap = -1, step_of_rise = -1, step_of_touch = -1;
};

/// Whether a body that nothing touches would stay clear of all others in a step: of where these are
/// in it, and of where they would be if nothing touched them either (what an impact stops short of
/// the body is no witness that there was none).
bool passes(const World& world, const model::State& before, Index body, Real h) {
  const model::State& after = world.state;
  const auto is_free = [&](Index i) {
    return world.model.bodies[i].kind == model::BodyKind::dynamic;
  };
  const auto pose_at = [&](Index i, Real time, bool freely) {
    if (freely && is_free(i))
      return test::moved_freely(before.pose(i), before.velocity[i], before.angular_velocity[i],
                                world.model.gravity, h, time / h);
    return Pose{before.position[i] + time / h * (after.position[i] - before.position[i]),
                before.orientation[i].slerp(time / h, after.orientation[i])};
  };
  const auto speed = [&](Index i) {
    Real fastest = 0;
    for (const model::State* state : {&before, &after}) {
      const Real turning = state->angular_velocity[i].norm();
      const Real at_surface = turning > 0 ? turning * test::reach(world.model.bodies[i]) : 0;
      fastest = std::max(fastest, state->velocity[i].norm() + at_surface);
    }
    return fastest + 9.81 * h;
  };
  for (Index i = 0; i < world.model.body_count(); ++i) {
    if (i == body) continue;
    const Real relative = speed(i) + speed(body);
    // Conservative advancement: time goes on by no more than the way that is left.
    for (const bool freely : {false, true})
      for (Real time = 0; time < h;) {
        const Real left = test::apart(world.model.bodies[i], pose_at(i, time, freely),
                                      world.model.bodies[body], pose_at(body, time, true));
        if (left < 1e-5) return false;
        time += left / relative;
      }
  }
  return true;
}

/// @param theta weighs the velocities with which bodies move in a step of the scheme.
Finding watch(World world, const char* name, Real theta, Real h, int steps) {
  Finding found;
  const auto scheme = stepping::make_scheme(world.model, test::options(name, 1e-6));
  Real weight_speed =
      0;  // Σ m g · (h g), the rate at which gravity works on what it has just moved
  for (const model::Body& body : world.model.bodies)
    if (body.kind == model::BodyKind::dynamic) weight_speed += body.mass * 9.81 * 9.81 * h;
  for (int k = 0; k < steps; ++k) {
    const model::State before = world.state;
    const stepping::StepReport report = scheme->step(world.state, h);
    if (!report.is_certified()) {
      ++found.uncertified;
      continue;
    }
    Real moving = 0;  // what a relative error of the impulses is of
    for (Index i = 0; i < world.model.body_count(); ++i)
      moving += world.model.bodies[i].mass * before.velocity[i].squaredNorm();
    Real work = 0;  // of gravity; displacements without velocity lift bodies besides
    for (Index i = 0; i < world.model.body_count(); ++i)
      work += h * world.model.bodies[i].mass *
              world.model.gravity.dot((1 - theta) * before.velocity[i] +
                                      theta * world.state.velocity[i]);
    const Real rise = (test::kinetic_energy_of(world.model, world.state) -
                       test::kinetic_energy_of(world.model, before) - work) /
                      (weight_speed * h + 1e-3 * moving);
    if (rise > found.rise) found.rise = rise, found.step_of_rise = k;
    for (Index i = 0; i < world.model.body_count(); ++i) {
      if (world.model.bodies[i].kind != model::BodyKind::dynamic) continue;
      for (Index j = 0; j < i; ++j) {
        const model::Body &a = world.model.bodies[j], &b = world.model.bodies[i];
        const Real thin = std::min(test::half_thickness(a), test::half_thickness(b));
        const Real overlap = -test::apart(a, world.state.pose(j), b, world.state.pose(i)) / thin;
        if (overlap > found.overlap) found.overlap = overlap, found.step_of_overlap = k;
      }
      const Vec3 change = world.state.velocity[i] - before.velocity[i] - h * world.model.gravity;
      const Real touch = change.norm() / (h * 9.81);
      if (touch > std::max(1e-9, found.touch) && passes(world, before, i, h))
        found.touch = touch, found.step_of_touch = k;
    }
  }
  return found;
}

// Any bodies thrown together: what is certified overlaps by no more than 1 % of the thinner body
// and gains no kinetic energy but what gravity gives and the tolerance leaves. How many scenes have
// a body that an impulse met though it passed all others is printed, not asked: contacts act a
// little early in time stepping, and a few still act where bodies pass.
void expect_possible_motions(const char* scheme, Real theta) {
  constexpr Real kSteps[] = {1e-3, 2e-3, 5e-4};
  int uncertified = 0, steps = 0, early = 0, phantoms = 0;
  for (int seed = 1; seed <= scene_count(); ++seed) {
    const Finding found = watch(random_scene(seed), scheme, theta, kSteps[seed % 3], 400);
    EXPECT_LE(found.overlap, 0.01) << "seed " << seed << ", step " << found.step_of_overlap;
    EXPECT_LE(found.rise, 1e-2) << "seed " << seed << ", step " << found.step_of_rise;
    early += found.touch > 0 ? 1 : 0;
    phantoms += found.touch > 1 ? 1 : 0;
    if (found.touch > 1)
      std::printf("seed %d, step %d: %.3g h g at a body that passed\n", seed, found.step_of_touch,
                  found.touch);
    uncertified += found.uncertified;
    steps += 400;
  }
  std::printf(
      "%d scenes, %d steps, %d uncertified; bodies touched early in %d, by more than h g in %d\n",
      scene_count(), steps, uncertified, early, phantoms);
}

TEST(RandomScenes, CertifiedStepsArePossibleMotions) { expect_possible_motions("moreau_jean", 1); }

TEST(RandomScenes, SoAreThoseOfTheMidpointRule) { expect_possible_motions("moreau_midpoint", 0.5); }

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
