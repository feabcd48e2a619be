#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/world.hpp"

// Friction of an impact acts at the surface of the body, wherever in the step it strikes.

namespace talus::TALUS_TEST_FILE {
namespace {

// A ball that strikes a rough floor obliquely leaves rolling, with v = ω R = 5/7 of its speed along
// the floor: its angular momentum about the point of contact stays. So it does where the ball is a
// radius above the floor when the step begins that sees the impact, whatever the floor is: with an
// arm that ended halfway in the gap it was 7 % faster.
TEST(ObliqueImpacts, LeaveABallRolling) {
  constexpr Real radius = 0.01, speed = 5;
  for (const bool is_box : {false, true})
    for (const Real way : {0.1, 0.5, 1., 2.}) {  // in a step, in radii
      SCOPED_TRACE(fmt::format("{} {}", is_box ? "box" : "plane", way));
      test::World world(1, 0, Vec3::Zero());
      if (is_box)
        world.add(geometry::Box{Vec3(1, 1, 0.1)}, model::BodyKind::fixed, Vec3(0, 0, -0.1));
      else
        world.add_floor();
      const Real h = way * radius / speed;
      const Index ball = world.add_sphere(radius, {0, 0, radius * (1 + 0.4 * way)});
      world.state.velocity[ball] = speed * Vec3(std::sqrt(0.5), 0, -std::sqrt(0.5));
      const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-10));
      for (int k = 0; k < 5; ++k) ASSERT_TRUE(scheme->step(world.state, h).is_certified());
      const Real rolling = 5. / 7 * speed * std::sqrt(0.5);
      EXPECT_NEAR(world.state.velocity[ball].x(), rolling, 1e-6 * speed);
      EXPECT_NEAR(world.state.angular_velocity[ball].y() * radius, rolling, 1e-6 * speed);
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
