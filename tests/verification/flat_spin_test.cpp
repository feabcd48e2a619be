#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/world.hpp"

// A body that spins on its face bears on the corners or on the rim alone, and friction takes its
// moment from there: docs/theory/contact_laws.md, "Faces".

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

constexpr Real kFriction = 0.3, kGravity = 9.81, kSpin = 10, kHalf = 0.05;

/// The angular deceleration [rad/s²] of a body that spins on a plane, or on a box.
Real deceleration(const geometry::Shape& shape, bool on_box) {
  World world(kFriction);
  if (on_box)
    world.add(geometry::Box{{1, 1, 0.1}}, model::BodyKind::fixed, {0, 0, -0.1});
  else
    world.add_floor();
  const Index body = world.add(shape, model::BodyKind::dynamic, {0, 0, kHalf});
  world.state.angular_velocity[body].z() = kSpin;
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-9));
  constexpr int kSteps = 20;
  for (int k = 0; k < kSteps; ++k) EXPECT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  return (kSpin - world.state.angular_velocity[body].z()) / (kSteps * 1e-3);
}

// With the weight on the rim a cylinder brakes with μ m g R/(m R²/2) = 2 μ g/R, half as much again
// as under uniform pressure; a box of side 2a with its weight on the corners with μ m g √2 a/(2 m
// a²/3) = 3 μ g/(√2 a).
TEST(FlatSpin, IsBrakedFromTheRim) {
  for (const bool on_box : {false, true}) {
    EXPECT_NEAR(deceleration(geometry::Cylinder{kHalf, kHalf}, on_box),
                2 * kFriction * kGravity / kHalf, 1e-3);
    EXPECT_NEAR(deceleration(geometry::Box{{kHalf, kHalf, kHalf}}, on_box),
                3 * kFriction * kGravity / (std::sqrt(2.0) * kHalf), 1e-3);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
