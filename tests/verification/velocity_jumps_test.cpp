#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/event_run.hpp"
#include "support/machine_world.hpp"

// Where a prescribed motion or a drive jumps in its velocity, what lies on it or hangs from it
// answers by the laws of contact: it parts, slips or rebounds, and is not taken along. Between the
// jump and the end all motions are polynomials in time, which an integrator of order five has to
// rounding.

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using stepping::EventKind;
using test::coulomb;
using test::EventRun;
using test::MachineWorld;
using test::SpatialMachineWorld;

constexpr Real kGravity = 9.81, kEnd = 0.05, kStep = 1e-3, kFriction = 0.3;
constexpr Real kExact = 1e-9;
constexpr Real kInAStep = 10.5e-3, kAtTheEndOfAStep = 10e-3;

enum class By { motion, drive };

/// A way along a direction with one speed up to a time, and another one after it.
struct Ways {
  Real before = 0, after = 0, kink = kInAStep;
  [[nodiscard]] Real at(Real time) const {
    return before * std::min(time, kink) + after * std::max(time - kink, Real(0));
  }
  [[nodiscard]] model::TabulatedMotion motion(const Vec3& direction) const {
    model::TabulatedMotion table;
    for (const Real time : {Real(0), kink, Real(1)}) {
      table.time.push_back(time);
      table.displacement.push_back(at(time) * direction);
    }
    return table;
  }
  [[nodiscard]] model::TimeLaw law() const {
    return model::make_table({0, kink, 1}, {0, at(kink), at(1)}, false);
  }
};

/// A box on a floor that moves, given as a motion or by a drive.
struct Carried : MachineWorld {
  Index box = 0;
  Carried(By by, const Vec2& direction, const Ways& ways, Real restitution = 0)
      : MachineWorld(coulomb(kFriction, 0, restitution)) {
    const Vec3 along(direction.x(), direction.y(), 0);
    if (by == By::motion) {
      const Index floor = add(geometry::Plane{}, model::BodyKind::kinematic, Vec3::Zero(),
                              rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
      model.motions.push_back(
          {floor, {Vec3::Zero(), state.orientation[floor]}, {ways.motion(along)}});
    } else {
      const Index ground = add(geometry::Sphere{0.01}, model::BodyKind::fixed, {0, -5, 0});
      const Index floor = add_body(geometry::Box{{1, 0.1, 0.1}}, 10, 1, {0, -0.1});
      model::PrismaticJoint guide;
      guide.p_A = {0, 4.9};
      guide.axis_A = direction;
      machine->joints.push_back({"guide", ground, floor, guide, {}});
      model::Drive drive;
      drive.name = "drive";
      drive.body_a = ground;
      drive.body_b = floor;
      drive.quantity = model::Drive::Quantity::displacement;
      drive.p_A = guide.p_A;
      drive.axis_A = direction;
      drive.law = ways.law();
      machine->drives.push_back(drive);
      state.velocity[floor] = ways.before * along;
    }
    box = add_body(geometry::Box{{0.05, 0.05, 0.1}}, 1, 1.0 / 600, {0, 0.05});
    state.velocity[box] = ways.before * along;
  }
  void expect(const Vec2& velocity, const std::string& what) {
    ASSERT_TRUE(run(kEnd, kStep)) << what << ": " << last.detail;
    EXPECT_LT((state.velocity[box].head<2>() - velocity).norm(), kExact)
        << what << ": " << state.velocity[box].transpose();
    EXPECT_LT(state.angular_velocity[box].norm(), kExact) << what;
    EXPECT_EQ(count(EventKind::kink), 1) << what;
  }
};

template <class F>
void for_all(F&& f) {
  for (const By by : {By::motion, By::drive})
    for (const Real kink : {kInAStep, kAtTheEndOfAStep})
      f(by, kink,
        std::string(by == By::motion ? "motion" : "drive") + " at " + std::to_string(kink));
}

// Under a belt that stops, v = u − μ g t; on one that starts, v = μ g t until it has the belt's.
TEST(VelocityJumps, ABeltDragsByFrictionAlone) {
  for_all([](By by, Real kink, const std::string& what) {
    const Real gain = kFriction * kGravity * (kEnd - kink);
    Carried(by, Vec2::UnitX(), {1, 0, kink}).expect({1 - gain, 0}, what + ", stops");
    Carried(by, Vec2::UnitX(), {0, 1, kink}).expect({gain, 0}, what + ", starts");
    Carried(by, Vec2::UnitX(), {0, gain / 2, kink}).expect({gain / 2, 0}, what + ", is caught up");
  });
}

// A lift that stops throws what it carries, v = u − g t, and one that drops leaves it to fall.
TEST(VelocityJumps, AFloorThatLeavesLetsGo) {
  for_all([](By by, Real kink, const std::string& what) {
    const Real fall = kGravity * (kEnd - kink);
    Carried(by, Vec2::UnitY(), {1, 0, kink}).expect({0, 1 - fall}, what + ", stops");
    Carried(by, Vec2::UnitY(), {0, -1, kink}).expect({0, -fall}, what + ", drops");
  });
}

// A floor that starts to rise at u strikes: v = (1 + e) u − g t, and where it moves aside as well
// it takes along by μ times that impulse.
TEST(VelocityJumps, AFloorThatRisesStrikes) {
  for_all([](By by, Real kink, const std::string& what) {
    const Real fall = kGravity * (kEnd - kink);
    for (const Real e : {0.5, 1.0}) {
      Carried lifted(by, Vec2::UnitY(), {0, 1, kink}, e);
      lifted.expect({0, 1 + e - fall}, what + ", rises");
      const auto* impact = lifted.first(EventKind::impact);
      ASSERT_NE(impact, nullptr);
      EXPECT_EQ(impact->time, kink);
      EXPECT_NEAR(impact->gap_rate_before, -1, kExact);
      EXPECT_NEAR(impact->gap_rate_after, e, kExact);
    }
    Carried(by, Vec2::UnitY(), {0, 1, kink}).expect({0, 1}, what + ", takes along");
    Carried(by, Vec2(1, 1).normalized(), {0, std::sqrt(2), kink}, 0.5)
        .expect({1.5 * kFriction, 1.5 - fall}, what + ", moves aside");
  });
}

// A hoist that stops leaves its rope slack, v = u − g t, and one that starts takes the load with
// (1 + e) u.
TEST(VelocityJumps, ARopeGoesSlackUnderAHoistThatStops) {
  for (const Real e : {0.0, 0.5})
    for (const bool stops : {true, false}) {
      MachineWorld world;
      const Ways ways = stops ? Ways{1, 0} : Ways{0, 1};
      const Index hoist = world.add(geometry::Sphere{0.05}, model::BodyKind::kinematic, {0, 0, 0});
      world.model.motions.push_back({hoist, {}, {ways.motion(Vec3::UnitY())}});
      const Index load = world.add_body(geometry::Sphere{0.05}, 1, 1e-3, {0, -1});
      model::RopeJoint rope;
      rope.length = 1;
      rope.restitution = e;
      world.machine->joints.push_back({"rope", hoist, load, rope, {}});
      world.state.velocity[load].y() = ways.before;
      ASSERT_TRUE(world.run(kEnd, kStep)) << world.last.detail;
      const Real fall = stops || e > 0 ? kGravity * (kEnd - kInAStep) : 0;
      EXPECT_NEAR(world.state.velocity[load].y(), (stops ? 1 : 1 + e) - fall, kExact) << e;
    }
}

// Whatever integrates, and however drift is kept small.
TEST(VelocityJumps, EveryIntegratorPassesThem) {
  for (const char* integrator : {"adaptive", "rk4", "generalized_alpha"})
    for (const char* stabilisation : {"projection", "baumgarte"})
      for (const By by : {By::motion, By::drive}) {
        const std::string what = std::string(integrator) + ", " + stabilisation;
        const Real since = kEnd - kInAStep;
        Carried belt(by, Vec2::UnitX(), {1, 0});
        Carried floor(by, Vec2::UnitY(), {0, 1}, 0.5);
        for (Carried* world : {&belt, &floor}) {
          world->options.machine.integrator = integrator;
          world->options.machine.stabilisation = stabilisation;
        }
        belt.expect({1 - kFriction * kGravity * since, 0}, what);
        floor.expect({0, 1.5 - kGravity * since}, what);
      }
}

// What a command makes of a drive's rate is such a jump too: a belt that is told to stop.
TEST(VelocityJumps, ACommandStopsTheDriveAlone) {
  Carried world(By::drive, Vec2::UnitX(), {1, 1});
  model::Drive& drive = world.machine->drives.front();
  drive.is_speed = true;
  drive.law = model::ConstantLaw{1};
  ASSERT_TRUE(world.run(0.01, kStep)) << world.last.detail;
  drive.law = model::ConstantLaw{0};
  drive.start = 0.01;
  ASSERT_TRUE(world.run(0.04, kStep)) << world.last.detail;
  EXPECT_NEAR(world.state.velocity[world.box].x(), 1 - kFriction * kGravity * 0.04, kExact);
}

/// In space: a hoist that moves up, by a motion or a drive, with a load on a rope of 1 m or on a
/// guide that ends at the hoist.
SpatialMachineWorld hoist(By by, bool has_rope, const Ways& ways, Real restitution) {
  SpatialMachineWorld world;
  const Index hoist = world.add_body(3, 0.01 * Mat3::Identity(), Vec3::Zero());
  if (by == By::motion) {
    world.model.bodies[hoist].kind = model::BodyKind::kinematic;
    world.model.motions.push_back({hoist, {}, {ways.motion(Vec3::UnitZ())}});
  } else {
    model::SpatialDrive drive;
    drive.name = "drive";
    drive.joint = world.add_joint(model::prismatic_joint(), kWorld, hoist, Vec3::Zero());
    drive.axis = model::Freedom::z;
    drive.law = ways.law();
    world.machine->drives.push_back(drive);
  }
  const Vec3 below = has_rope ? Vec3(0, 0, -1) : Vec3::Zero();
  const Index load = world.add_body(1, 0.01 * Mat3::Identity(), below);
  if (has_rope) {
    model::SpatialJoint rope;
    rope.name = "rope";
    rope.body_a = hoist;
    rope.body_b = load;
    rope.kind = model::Rope{1, restitution};
    world.machine->joints.push_back(rope);
  } else {
    const Index guide = world.add_joint(model::prismatic_joint(), hoist, load, Vec3::Zero());
    model::AxisLaw law;
    law.axis = model::Freedom::z;
    law.lower = 0;
    law.restitution = restitution;
    world.machine->joints[static_cast<std::size_t>(guide)].axes.push_back(law);
  }
  world.state.velocity[hoist] = world.state.velocity[load] = ways.before * Vec3::UnitZ();
  return world;
}

// In space ropes and limits of axes answer the same way.
TEST(VelocityJumps, RopesAndLimitsLetGoInSpace) {
  for_all([](By by, Real kink, const std::string& what) {
    const Real fall = kGravity * (kEnd - kink);
    for (const bool has_rope : {true, false}) {
      EventRun stops(hoist(by, has_rope, {1, 0, kink}, 0));
      EXPECT_EQ(stops.to(kEnd, kStep), 0) << what << ": " << stops.first_failure;
      EXPECT_NEAR(stops.world.state.velocity[1].z(), 1 - fall, kExact) << what << has_rope;
      EventRun starts(hoist(by, has_rope, {0, 1, kink}, 0.5));
      EXPECT_EQ(starts.to(kEnd, kStep), 0) << what << ": " << starts.first_failure;
      EXPECT_NEAR(starts.world.state.velocity[1].z(), 1.5 - fall, kExact) << what << has_rope;
    }
  });
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
