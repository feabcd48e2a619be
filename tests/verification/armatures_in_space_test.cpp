// Armatures of axes in space: inertia I along a coordinate q is I q̇²/2 of the kinetic energy,
// whatever turns the axis, also where the axis gets faster without any impulse: by the gyroscopic
// part of free motion, and because its direction turns.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <talus/math/rotation.hpp>

#include "support/random_spatial_machine.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::Freedom;
using test::SpatialMachineWorld;

Real order(Real coarse, Real fine) { return std::log2(coarse / fine); }

void add_armature(SpatialMachineWorld& world, Index joint, Real inertia) {
  model::AxisLaw law;
  law.axis = Freedom::turn_z;
  law.armature = inertia;
  world.machine->joints[static_cast<std::size_t>(joint)].axes.push_back(law);
}

/// A body in a gimbal: α about the vertical, then β about its own x; R = R_z(α) R_x(β).
struct Gimbal {
  const Vec3 inertia = Vec3(0.2, 0.15, 0.3);
  const Real armature = 0.4, tilt = 0.5, turning = 3, tilting = 1;

  [[nodiscard]] SpatialMachineWorld world() const {
    SpatialMachineWorld made(Vec3::Zero());
    const Quat q = rotation_exp(Vec3(tilt, 0, 0));
    const Index body = made.add_body(2, inertia.asDiagonal(), Vec3::Zero(), q);
    const Index joint =
        made.add_joint(model::universal_joint(), model::kWorld, body, Vec3::Zero(), Vec3::UnitZ());
    made.machine->joints[static_cast<std::size_t>(joint)].X_BJ = {};  // its x is the body's
    add_armature(made, joint, armature);
    made.state.angular_velocity[body] = Vec3(tilting, 0, turning);
    return made;
  }
  /// ∂T/∂α̇ = (B sin²β + C cos²β + I) α̇.
  [[nodiscard]] Real momentum(const model::State& state) const {
    const Real c = (state.orientation[0] * Vec3::UnitZ()).z();
    const Real own = inertia.y() * (1 - c * c) + inertia.z() * c * c;
    return (own + armature) * state.angular_velocity[0].z();
  }
};

/// What a scheme makes of the momentum and of the energy in 2 s, relative, and its largest gain of
/// energy in a step.
struct Change {
  Real momentum = 0, energy = 0, gain = 0;
};

Change change(const char* scheme, Real h) {
  const Gimbal gimbal;
  SpatialMachineWorld world = gimbal.world();
  const Real energy = world.energy(), momentum = gimbal.momentum(world.state);
  Change found;
  Real last = energy;
  for (int k = 1; k <= std::lround(2 / h); ++k) {
    EXPECT_EQ(world.run(scheme, k * h, h), 0) << world.first_failure;
    const Real now = world.last.energy.total();
    found.gain = std::max(found.gain, now - last);
    last = now;
  }
  found.momentum = std::abs(gimbal.momentum(world.state) / momentum - 1);
  found.energy = std::abs(last / energy - 1);
  EXPECT_NEAR(world.energy(), last, 1e-12 * last);
  return found;
}

// The angle α is cyclic: (B sin²β + C cos²β + I) α̇ and the energy are constant. Both to second
// order by the midpoint rule, with the armature twice as heavy as the body.
TEST(ArmaturesInSpace, AGimbalKeepsMomentumAndEnergyToSecondOrder) {
  for (const char* scheme : {"moreau_midpoint", "index_3"}) {
    const Change coarse = change(scheme, 4e-3), fine = change(scheme, 2e-3);
    EXPECT_LT(coarse.momentum, 1e-4) << scheme;
    EXPECT_LT(coarse.energy, 1e-4) << scheme;
    EXPECT_GT(order(coarse.momentum, fine.momentum), 1.8) << scheme;
    EXPECT_GT(order(coarse.energy, fine.energy), 1.8) << scheme;
  }
}

// With θ = 1 what bodies and armatures lose in a step is ½‖v' − v‖²_M + ½ I (β' − β)²: energy
// falls, to first order in all. What the projection on the joint turns the body by after a step, of
// the order of h², gives a little back.
TEST(ArmaturesInSpace, JeansRuleLosesEnergyOfFirstOrder) {
  const Change coarse = change("moreau_jean", 4e-3), fine = change("moreau_jean", 2e-3);
  EXPECT_LT(coarse.gain, 1e-5);
  EXPECT_GT(order(coarse.gain, fine.gain), 1.8);
  EXPECT_NEAR(order(coarse.energy, fine.energy), 1, 0.2);
  EXPECT_NEAR(order(coarse.momentum, fine.momentum), 1, 0.2);
}

// One LCP a step: first order too.
TEST(ArmaturesInSpace, StewartTrinkleIsOfFirstOrder) {
  const Change coarse = change("stewart_trinkle", 4e-3), fine = change("stewart_trinkle", 2e-3);
  EXPECT_LT(coarse.energy, 0.05);
  EXPECT_NEAR(order(coarse.energy, fine.energy), 1, 0.2);
}

// Two free bodies about a hinge with a motor's armature: its impulses are internal, so that linear
// momentum is constant to round-off. Angular momentum is to second order, which the projection of
// places on the joint changes, and so is the energy.
TEST(ArmaturesInSpace, AFreeMotorAndItsRotorKeepMomentaAndEnergy) {
  struct Error {
    Real angular = 0, energy = 0;
  };
  const auto error = [](Real h) -> Error {
    SpatialMachineWorld world(Vec3::Zero());
    const Index stator = world.add_body(2, Vec3(0.02, 0.03, 0.04).asDiagonal(), Vec3::Zero());
    const Index rotor = world.add_body(1, Vec3(0.01, 0.012, 0.018).asDiagonal(), Vec3(0.3, 0, 0));
    add_armature(world,
                 world.add_joint(model::revolute_joint(), stator, rotor, Vec3(0.1, 0.05, 0),
                                 Vec3(1, 2, 0.5).normalized()),
                 0.05);
    const Vec3 axis = Vec3(1, 2, 0.5).normalized(), pivot(0.1, 0.05, 0), turning(1, -2, 3);
    world.state.angular_velocity[stator] = turning;
    world.state.angular_velocity[rotor] = turning + 4 * axis;
    world.state.velocity[rotor] =
        turning.cross(pivot) + (turning + 4 * axis).cross(Vec3(0.3, 0, 0) - pivot);
    const Vec3 linear = dynamics::linear_momentum(world.model, world.state),
               angular = dynamics::angular_momentum(world.model, world.state);
    const Real energy = world.energy();
    EXPECT_EQ(world.run("moreau_midpoint", 1, h), 0) << world.first_failure;
    EXPECT_LT((dynamics::linear_momentum(world.model, world.state) - linear).norm(), 1e-12);
    const Vec3 now = dynamics::angular_momentum(world.model, world.state);
    return {(now - angular).norm() / angular.norm(),
            std::abs(world.last.energy.total() / energy - 1)};
  };
  const Error coarse = error(2e-3), fine = error(1e-3);
  EXPECT_LT(coarse.angular, 1e-4);
  EXPECT_LT(coarse.energy, 1e-3);
  EXPECT_GT(order(coarse.angular, fine.angular), 1.8);
  EXPECT_GT(order(coarse.energy, fine.energy), 1.8);
}

// The armature of a universal joint 130 times as heavy as its body, and one with friction, in
// machines at random: whatever h, no energy is gained. By the axis' rate after its free turn for
// the armature's own they gained 16 % and 7 % of Σ m g · 0.3 m.
TEST(ArmaturesInSpace, RandomMachinesGainNothing) {
  struct Found {
    std::uint64_t seed;
    bool has_floor;
  };
  for (const Found found : {Found{101538, false}, Found{109413, true}})
    for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
      for (const Real h : {4e-3, 1e-3}) {
        SpatialMachineWorld world =
            test::random_spatial_machine(found.seed, {found.has_floor, true});
        const Real unit = test::energy_unit(world);
        Real last = world.energy(), gain = 0;
        const Real start = last;
        for (int k = 1; k <= std::lround(0.5 / h); ++k) {
          EXPECT_EQ(world.run(scheme, k * h, h), 0) << world.first_failure;
          gain = std::max(gain, world.last.energy.total() - last);
          last = world.last.energy.total();
        }
        EXPECT_LT(gain, 1e-4 * unit) << scheme << ", seed " << found.seed << ", step " << h;
        EXPECT_LT(last, start + 1e-4 * unit);
      }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
