// Contacts of jointed bodies resist rolling and spinning as those of free ones do. Two balls of the
// same size at one place, held together by a fixed joint, are one ball of twice the mass: what
// Newton's method on the joints answers is the closed form of the single ball, which sweeps meet.
#include <gtest/gtest.h>

#include <cmath>

#include <support/spatial_machine_world.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kG = 9.81, kRadius = 0.1;

struct TwinBalls : test::SpatialMachineWorld {
  explicit TwinBalls(Real friction, Real angle = 0)
      : SpatialMachineWorld(Vec3(0, 0, -kG), friction),
        slope(Eigen::AngleAxisd(angle, Vec3::UnitY())) {
    tolerance = 1e-11;
    add_floor(slope);
    const Vec3 centre = slope * Vec3(0, 0, kRadius);
    const Index a = add_sphere(kRadius, centre), b = add_sphere(kRadius, centre);
    add_joint(model::weld_joint(), a, b, centre);
  }
  void set_motion(const Vec3& v, const Vec3& w) {
    for (const Index i : {1, 2}) {
      state.velocity[i] = v;
      state.angular_velocity[i] = w;
    }
  }
  void expect_motion(const Vec3& v, const Vec3& w) const {
    for (const Index i : {1, 2}) {
      EXPECT_LT((state.velocity[i] - v).norm(), 1e-9);
      EXPECT_LT((state.angular_velocity[i] - w).norm(), 1e-8);
    }
  }

  Quat slope;
};

// Rolling: dv/dt = −5/7 g μ_r/R, then rest.
TEST(ResistanceOfMachines, RollingBallsStop) {
  const Real rate = 5.0 / 7 * kG * 0.002 / kRadius;
  TwinBalls world(0.5);
  world.model.laws[0].friction.rolling = 0.002;
  world.set_motion(Vec3(0.6, 0.8, 0), Vec3(-8, 6, 0));
  EXPECT_EQ(world.run("moreau_jean", 1, 1e-3), 0) << world.first_failure;
  world.expect_motion((1 - rate) * Vec3(0.6, 0.8, 0), (1 - rate) * Vec3(-8, 6, 0));
  EXPECT_EQ(world.run("moreau_jean", 8, 1e-2), 0) << world.first_failure;  // they stop at 7.14 s
  world.expect_motion(Vec3::Zero(), Vec3::Zero());
}

// On a slope: at rest while tan α < μ_r/R, else dv/dt = 5/7 g (sin α − μ_r/R cos α).
TEST(ResistanceOfMachines, BallsHoldOnASlopeUpToTheAngleOfRolling) {
  const Real resistance = 0.02, limit = std::atan(resistance / kRadius);
  for (const Real angle : {0.99 * limit, 1.1 * limit}) {
    TwinBalls world(0.9, angle);
    world.model.laws[0].friction.rolling = resistance;
    EXPECT_EQ(world.run("moreau_jean", 0.5, 1e-3), 0) << world.first_failure;
    const Real rate =
        5.0 / 7 * kG * std::max(Real(0), std::sin(angle) - resistance / kRadius * std::cos(angle));
    world.expect_motion(world.slope * Vec3(0.5 * rate, 0, 0), Vec3(0, 0.5 * rate / kRadius, 0));
  }
}

// Spinning about the normal: dω/dt = −5/2 g μ_s/R², then rest.
TEST(ResistanceOfMachines, SpinningBallsStop) {
  const Real rate = 2.5 * kG * 0.001 / (kRadius * kRadius);
  TwinBalls world(0.5);
  world.model.laws[0].friction.torsion = 0.001;
  world.set_motion(Vec3::Zero(), Vec3(0, 0, -5));
  EXPECT_EQ(world.run("moreau_jean", 1, 1e-3), 0) << world.first_failure;
  world.expect_motion(Vec3::Zero(), Vec3(0, 0, rate - 5));
  EXPECT_EQ(world.run("moreau_jean", 3, 1e-3), 0) << world.first_failure;
  world.expect_motion(Vec3::Zero(), Vec3::Zero());
}

// Friction along one axis alone: across it nothing brakes, along it μ g does.
TEST(ResistanceOfMachines, FrictionAlongOneAxisBrakesNothingAcross) {
  TwinBalls world(0.3);
  world.model.laws[0].friction.grain = Vec3::UnitX();
  world.model.laws[0].friction.across = 0;
  world.set_motion(Vec3(2, 1, 0), Vec3::Zero());
  const Real t = 0.1, slip = 0.3 * kG * t;  // it slips: 7/2 μ g t < 2 m/s
  EXPECT_EQ(world.run("moreau_jean", t, 1e-3), 0) << world.first_failure;
  world.expect_motion(Vec3(2 - slip, 1, 0), Vec3(0, 2.5 * slip / kRadius, 0));
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
