#include <gtest/gtest.h>

#include <cmath>

#include <talus/stepping/scheme_registry.hpp>

#include "support/mechanism.hpp"
#include "support/world.hpp"

// Viscous friction in the plane, whose force jumps where the pressure vanishes.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 1e-10;
constexpr Real kG = 9.81;

// Drag that would tip a box, c at each of two corners, bears on it as far as the rear one touches:
// whatever the front one bears of friction besides takes the place of drag there, and v' = −g b/z
// as long as 0 < λ < 1.
TEST(PlanarDrag, ActsInPartWhereNothingPresses) {
  const Real b = 0.1, z = 0.2, h = 1e-3, m = 2;
  const model::FrictionKind kinds[] = {model::CoulombFriction{}, model::TanhFriction{1e-3},
                                       model::DahlFriction{1e5, 1}};
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
    for (const model::FrictionKind& kind : kinds) {
      test::Mechanism plane{kG};
      plane.model.laws[0].friction = {
          .coefficient = 0.1, .viscous = 0.95 * m * kG * (b / z - 0.1), .kind = kind};
      plane.model.bodies[0].shape = geometry::Plane{};
      plane.state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
      const Index box = plane.add(m, m * (b * b + z * z) / 3, Vec2(0, z));
      plane.model.bodies[box].shape = geometry::Box{Vec3(b, z, z)};
      plane.machine->visual_only.clear();
      plane.state.velocity[box].x() = 1;
      const auto stepper = make_scheme(plane.model, test::options(scheme, kTolerance));
      for (int k = 0; k < 60; ++k) {
        const auto report = stepper->step(plane.state, h);
        ASSERT_TRUE(report.is_certified()) << scheme << " step " << k << ": " << report.detail;
      }
      EXPECT_LT((plane.state.velocity[box] - Vec3(1 - 60 * h * kG * b / z, 0, 0)).norm(), 1e-9);
      EXPECT_LT(std::abs(plane.state.angular_velocity[box].z()), 1e-9);
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
