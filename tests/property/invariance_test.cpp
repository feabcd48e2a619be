#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// A few bodies that fall onto each other and a floor. States can only be compared where the law
/// has one answer: with friction that is spheres (a frictional face contact shares its impulses in
/// many ways, and different shares slide differently); boxes are taken without friction.
struct Body {
  geometry::Shape shape;
  Vec3 position;
  Quat orientation;
};
struct Heap {
  std::vector<Body> bodies;
  Real friction;
};
Heap heap(std::uint64_t seed) {
  Random random(seed);
  Heap heap;
  heap.friction = seed % 2 == 0 ? 0 : 0.4;
  for (int i = 0; i < 6; ++i) {
    const Vec3 position(random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0.2 + 0.35 * i);
    const Vec3 half(random.uniform(0.05, 0.15), random.uniform(0.05, 0.15),
                    random.uniform(0.05, 0.1));
    if (heap.friction > 0 || i % 3 == 2)
      heap.bodies.push_back({geometry::Sphere{half.x()}, position, Quat::Identity()});
    else
      heap.bodies.push_back({geometry::Box{half}, position, test::random_rotation(random)});
  }
  return heap;
}

Index add(World& world, const Body& body, const Quat& turn = Quat::Identity()) {
  return world.add(body.shape, model::BodyKind::dynamic, turn * body.position,
                   turn * body.orientation);
}

void run(World& world, Real tolerance, Real h, int steps) {
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", tolerance));
  for (int k = 0; k < steps; ++k) {
    const auto report = scheme->step(world.state, h);
    ASSERT_TRUE(report.is_certified()) << "step " << k << ' ' << report.certificate.natural_map;
  }
}

constexpr Real kTolerance =
    1e-11;  // of every step; what is compared below is 10⁴ times as wide: errors grow in impacts
constexpr int kSteps = 150;  // a fall of 0.15 s and the first impacts

// The answer does not depend on the order in which bodies, and so contacts, are listed.
TEST(Invariance, OrderOfBodies) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto [bodies, friction] = heap(seed);
    World one(friction), other(friction);
    one.add_floor();
    for (const Body& body : bodies) add(one, body);
    std::vector<Index> place(bodies.size());
    for (std::size_t k = bodies.size(); k-- > 0;) place[k] = add(other, bodies[k]);
    other.add_floor();
    run(one, kTolerance, 2e-3, kSteps);
    run(other, kTolerance, 2e-3, kSteps);
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      EXPECT_LT((one.state.position[k + 1] - other.state.position[place[k]]).norm(), 1e-7);
      EXPECT_LT((one.state.velocity[k + 1] - other.state.velocity[place[k]]).norm(), 1e-5);
    }
  }
}

// Turning the whole scene, gravity included, turns the answer.
TEST(Invariance, RotationOfTheScene) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed + 100);
    const Quat turn = test::random_rotation(random);
    const auto [bodies, friction] = heap(seed);
    World one(friction), other(friction, 0, turn * Vec3(0, 0, -9.81));
    one.add_floor();
    other.add_floor(turn);
    for (const Body& body : bodies) {
      add(one, body);
      add(other, body, turn);
    }
    run(one, kTolerance, 2e-3, kSteps);
    run(other, kTolerance, 2e-3, kSteps);
    for (Index k = 1; k < one.model.body_count(); ++k) {
      EXPECT_LT((turn * one.state.position[k] - other.state.position[k]).norm(), 1e-7);
      EXPECT_LT((turn * one.state.velocity[k] - other.state.velocity[k]).norm(), 1e-5);
    }
  }
}

// Other units of mass, length and time give the same motion: with factors that are powers of two
// every number is scaled without rounding, so the states agree to the last bit, and any dimensional
// constant hidden anywhere would show.
TEST(Invariance, UnitsToTheLastBit) {
  const Real mass = 0x1p-8, length = 0x1p4,
             time = 0x1p-4;  // even powers: square roots are exact too
  for (const char* scheme_name : {"moreau_jean", "stewart_trinkle"}) {
    SCOPED_TRACE(scheme_name);
    for (const std::uint64_t seed : {3, 4}) {
      const auto [bodies, friction] = heap(seed);
      World one(friction), other(friction, 0, Vec3(0, 0, -9.81) * (length / (time * time)));
      one.add_floor();
      other.add_floor();
      for (const Body& body : bodies) {
        add(one, body);
        Body scaled = body;
        scaled.position *= length;
        if (auto* ball = std::get_if<geometry::Sphere>(&scaled.shape)) ball->radius *= length;
        if (auto* box = std::get_if<geometry::Box>(&scaled.shape)) box->half_size *= length;
        const Index i = add(other, scaled);
        other.model.bodies[i].mass = one.model.bodies[i].mass * mass;
        other.model.bodies[i].inertia = one.model.bodies[i].inertia * (mass * length * length);
      }
      auto options = test::options(scheme_name, 1e-8);
      const auto first = make_scheme(one.model, options),
                 second = make_scheme(other.model, options);
      for (int k = 0; k < 100; ++k) {
        ASSERT_TRUE(first->step(one.state, 0x1p-8).is_certified());
        ASSERT_TRUE(second->step(other.state, 0x1p-8 * time).is_certified());
        for (Index i = 0; i < one.model.body_count(); ++i) {
          ASSERT_EQ((one.state.position[i] * length - other.state.position[i]).norm(), 0)
              << "step " << k;
          ASSERT_EQ((one.state.velocity[i] * (length / time) - other.state.velocity[i]).norm(), 0)
              << "step " << k;
          ASSERT_EQ(
              (one.state.orientation[i].coeffs() - other.state.orientation[i].coeffs()).norm(), 0)
              << "step " << k;
        }
      }
    }
  }
}

// Gravity and nothing else: a body far from everything falls as θ-weighted Euler says, x = −g h²
// n(n + 1)/2 for θ = 1 and −g t²/2 exactly for θ = 1/2.
TEST(FreeFall, FollowsTheta) {
  for (const Real theta : {0.5, 1.0}) {
    World world;
    const Index ball = world.add_sphere(0.1, Vec3::Zero());
    auto options = test::options("moreau_jean", 1e-8);
    options.theta = theta;
    const auto scheme = make_scheme(world.model, options);
    const Real h = 1e-2;
    const int n = 100;
    for (int k = 0; k < n; ++k) ASSERT_TRUE(scheme->step(world.state, h).is_certified());
    const Real expected = theta == 1 ? -9.81 * h * h * n * (n + 1) / 2 : -9.81 * h * h * n * n / 2;
    EXPECT_NEAR(world.state.position[ball].z(), expected, 1e-12);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
