// A rigid car on four wheels asks of its plane for three numbers: which wheels bear is not
// determined. Where left and right are the same, both bear the same, and an open differential
// drives it straight: its shaft turns i times the mean of both rear wheels and a torque τ on it
// drives by F = i τ/r, so v = F t/(m + Σ I/r² + i² I_s/r²).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/classic_machines.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::Freedom;
using model::kWorld;
using test::SpatialMachineWorld;

TEST(FourWheels, BothSidesOfACarBearTheSame) {
  constexpr Real kRadius = 0.15, kTorque = 3, kShaft = 1.8e-4, kEnd = 2, kStep = 1e-3;
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.8);
  world.add_floor();
  const Index body = world.add_box(Vec3(0.6, 0.22, 0.1), Vec3(0, 0, 0.35));
  const Index shaft = world.add_body(0.4, kShaft * Mat3::Identity(), Vec3(0, 0, 0.35));
  Real inertia = world.model.bodies[body].mass + world.model.bodies[shaft].mass;
  for (const Real x : {0.4, -0.4})
    for (const Real y : {0.3, -0.3}) {
      const Vec3 centre(x, y, kRadius);
      const Index wheel = world.add_sphere(kRadius, centre);
      world.add_joint(model::revolute_joint(), body, wheel, centre, Vec3::UnitY());
      inertia += 1.4 * world.model.bodies[wheel].mass;  // I/r² = 2/5 m
    }
  world.add_joint(model::revolute_joint(), body, shaft, Vec3(0, 0, 0.35), Vec3::UnitX());
  world.machine->joints.back().axes.push_back(test::axis_with_effort(kTorque));
  world.machine->couplings.push_back(
      {"differential",
       {{2, Freedom::turn_z, 0.5}, {3, Freedom::turn_z, 0.5}, {4, Freedom::turn_z, -0.25}},
       0});
  inertia += 16 * kShaft / (kRadius * kRadius);

  Real apart = 0;  // of a load, its side's mean being a quarter of the weight
  for (Real t = 0.1; t < kEnd + 0.05; t += 0.1) {
    EXPECT_EQ(world.run("moreau_jean", t, kStep), 0) << world.first_failure;
    std::array<Real, 4> load{};
    for (const stepping::StepContact& contact : world.scheme->contacts())
      load.at(static_cast<std::size_t>(contact.position.x() < world.state.position[body].x()) * 2 +
              static_cast<std::size_t>(contact.position.y() < world.state.position[body].y())) =
          contact.impulse.z() / kStep;
    apart = std::max({apart, std::abs(load[0] - load[1]), std::abs(load[2] - load[3])});
  }
  EXPECT_LT(apart, 1);
  const Real force = 4 * kTorque / kRadius;
  EXPECT_NEAR(world.state.velocity[body].x(), force * kEnd / inertia, 1e-6);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
