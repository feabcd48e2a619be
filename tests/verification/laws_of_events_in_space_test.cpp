// Machines in space by event_driven: laws of rotations, prescribed bodies, bodies at rest, and
// constraints that are redundant.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "support/event_run.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using stepping::EventKind;
using Motion = test::EventRun;
using test::SpatialMachineWorld;

/// A body that turns about its y with 3 rad/s and a law on the angle of its rotation, which is 0.
SpatialMachineWorld turning_body(const model::AxisLaw& law) {
  SpatialMachineWorld world(Vec3::Zero());
  const Index body = world.add_body(1, Vec3(0.02, 0.03, 0.04).asDiagonal(), Vec3::Zero());
  world.add_joint(model::Rotation{}, kWorld, body, Vec3::Zero());
  world.machine->joints.front().axes.push_back(law);
  world.state.angular_velocity[body].y() = 3;
  return world;
}

// The angle of a rotation begins at 0 with the rate ‖ω‖, whatever the direction of ω: dry friction
// of 0.05 N m on it leaves 3 t − (τ/I) t²/2, a motor that holds 2 rad/s with 0.1 N m at most takes
// until t = I/0.1 s to brake it.
TEST(EventsInSpace, LawsOfARotationActFromTheAngleZero) {
  model::AxisLaw rough;
  rough.friction = 0.05;
  Motion slowed(turning_body(rough));
  EXPECT_EQ(slowed.to(0.5, 0.01), 0) << slowed.first_failure;
  EXPECT_NEAR(slowed.axis().value, 3 * 0.5 - 0.05 / 0.03 * 0.5 * 0.5 / 2, 1e-10);
  EXPECT_NEAR(slowed.axis().rate, 3 - 0.05 / 0.03 * 0.5, 1e-10);
  model::AxisLaw motored;
  motored.motor = model::Motor{};
  motored.motor->target = model::ConstantLaw{2};
  motored.motor->lower_effort = -0.1;
  motored.motor->upper_effort = 0.1;
  Motion held(turning_body(motored));
  EXPECT_EQ(held.to(0.5, 0.01), 0) << held.first_failure;
  const std::vector<Real> sticks = held.times(EventKind::stick);
  ASSERT_EQ(sticks.size(), 1U);
  EXPECT_NEAR(sticks[0], 0.3, 1e-10);
  EXPECT_NEAR(held.axis().value, 0.3 * 2.5 + 0.2 * 2, 1e-10);
}

// A rotation that swings about one axis passes 0, where its angle turns round and the friction of
// its axis does not: with a spring its swings end at x₀ − 2 n τ/k by turns on both sides.
TEST(EventsInSpace, FrictionOfARotationActsAlikeOnBothSidesOfZero) {
  constexpr Real kStiffness = 3, kFriction = 0.05, kInertia = 0.03;
  model::AxisLaw law;
  law.stiffness = kStiffness;
  law.friction = kFriction;
  Motion run(turning_body(law));
  // About −τ/k until it turns first, then half swings of π/ω about ± τ/k.
  const Real w = std::sqrt(kStiffness / kInertia), dead = kFriction / kStiffness;
  const Real first = std::atan2(3 / w, dead) / w, reach = std::hypot(3 / w, dead) - dead;
  EXPECT_EQ(run.to(first + 2 * std::numbers::pi / w, 0.01), 0) << run.first_failure;
  EXPECT_NEAR(run.axis().value, reach - 4 * dead, 1e-9);
}

// A pendulum on a base that a law shakes to and fro moves as one on a base that a drive takes the
// same way, whatever the step: the base is where its law has it at every time.
TEST(EventsInSpace, PrescribedBodiesFollowTheirLawWithinSteps) {
  constexpr Real kShake = 0.02, kFrequency = 20, kEnd = 0.3;
  const auto pendulum = [&](bool has_law) {
    SpatialMachineWorld world;
    const Index base = world.add_body(1, 0.01 * Mat3::Identity(), Vec3::Zero());
    const Index rod = world.add_body(1, 0.01 * Mat3::Identity(), Vec3(0.1, 0, -0.3));
    const Real rate = 2 * std::numbers::pi * kFrequency * kShake;
    world.state.velocity[base] = world.state.velocity[rod] = {0, 0, rate};
    if (has_law) {
      world.model.bodies[base].kind = model::BodyKind::kinematic;
      world.model.motions.push_back(
          {base, {}, {model::HarmonicTranslation{Vec3(0, 0, kShake), kFrequency, 0}}});
    } else {
      const Index guide =
          world.add_joint(model::prismatic_joint(), kWorld, base, Vec3::Zero(), Vec3::UnitZ());
      model::SpatialDrive drive;
      drive.name = "shaker";
      drive.joint = guide;
      drive.axis = model::Freedom::z;
      drive.law = model::HarmonicLaw{0, kShake, kFrequency, 0};
      world.machine->drives.push_back(drive);
    }
    world.add_joint(model::revolute_joint(), base, rod, Vec3::Zero(), Vec3::UnitY());
    return world;
  };
  Motion driven(pendulum(false));
  EXPECT_EQ(driven.to(kEnd, 1e-3), 0) << driven.first_failure;
  for (const Real h : {6e-3, 1e-3}) {
    Motion shaken(pendulum(true));
    EXPECT_EQ(shaken.to(kEnd, h), 0) << shaken.first_failure;
    EXPECT_LT((shaken.world.state.position[1] - driven.world.state.position[1]).norm(), 1e-9) << h;
  }
  // index_3 sees the law at the ends of its steps: it is of second order.
  Real last = 0;
  for (const Real h : {1e-3, 5e-4}) {
    SpatialMachineWorld world = pendulum(true);
    EXPECT_EQ(world.run("index_3", kEnd, h), 0) << world.first_failure;
    const Real miss = (world.state.position[1] - driven.world.state.position[1]).norm();
    EXPECT_TRUE(last == 0 || std::abs(std::log2(last / miss) - 2) < 0.1) << last << ", " << miss;
    last = miss;
  }
}

// A body that is welded fast stays at rest: what rounding leaves of its velocity leads nowhere, and
// is no rate that a joint misses.
TEST(EventsInSpace, ABodyAtRestIsCertified) {
  for (const char* scheme : {"event_driven", "index_3"}) {
    SpatialMachineWorld world(Vec3::Zero());
    const Index body = world.add_body(1, 0.01 * Mat3::Identity(), Vec3(0.1, 0.2, 0.3));
    world.add_joint(model::weld_joint(), kWorld, body, Vec3::Zero(), Vec3(1, 2, 3).normalized());
    world.state.velocity[body] = {0.3, -0.2, 0.7};
    world.state.angular_velocity[body] = {1, 3, -2};
    EXPECT_EQ(world.run(scheme, 0.5, 1e-3), 0) << scheme << ": " << world.first_failure;
    EXPECT_LT(world.state.velocity[body].norm(), 1e-12);
  }
}

// A Cardan joint between two shafts in fixed bearings at an angle β turns the second with
// ω₂ = ω₁ cos β/(1 − sin²β sin²θ), θ from where the axis of the first one's fork is perpendicular
// to the plane of the shafts. There, and always where the shafts are in line, all accelerations are
// 0, and three of the constraints say nothing new.
TEST(EventsInSpace, ACardanJointBetweenBearingsTurns) {
  for (const Real beta : {0.0, 1e-3, 0.1, std::numbers::pi / 6}) {
    SpatialMachineWorld world(Vec3::Zero());
    const Vec3 first = Vec3::UnitZ(), second(std::sin(beta), 0, std::cos(beta));
    const Index a = world.add_body(1, 0.01 * Mat3::Identity(), -0.2 * first);
    const Index b = world.add_body(1, 0.01 * Mat3::Identity(), 0.2 * second,
                                   rotation_between(Vec3::UnitZ(), second));
    const Index bearing = world.add_joint(model::revolute_joint(), kWorld, a, -0.2 * first, first);
    world.add_joint(model::revolute_joint(), kWorld, b, 0.2 * second, second);
    Mat3 cross;  // x fixed in b, z in a
    cross << second.z(), 0, 0, 0, 0, 1, -second.x(), 0, 0;
    cross.col(1) = cross.col(2).cross(cross.col(0));
    const Index joint =
        world.add_joint(model::universal_joint(), a, b, Vec3::Zero(), Vec3::UnitZ());
    const Pose at{Vec3::Zero(), Quat(cross)};
    auto& universal = world.machine->joints[static_cast<std::size_t>(joint)];
    universal.X_AJ = world.state.pose(a).inverse() * at;
    universal.X_BJ = world.state.pose(b).inverse() * at;
    model::SpatialDrive drive;
    drive.name = "drive";
    drive.joint = bearing;
    drive.axis = model::Freedom::turn_z;
    drive.law = model::ConstantLaw{10};
    drive.is_rate = true;
    world.machine->drives.push_back(drive);
    world.state.angular_velocity[a] = 10 * first;
    world.state.angular_velocity[b] = 10 * std::cos(beta) * second;
    Motion run(std::move(world));
    EXPECT_EQ(run.to(0.3, 1e-2), 0) << beta << ": " << run.first_failure;
    const Real s = std::sin(beta) * std::sin(3.0);
    EXPECT_NEAR(run.world.state.angular_velocity[b].norm(), 10 * std::cos(beta) / (1 - s * s), 1e-8)
        << beta;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
