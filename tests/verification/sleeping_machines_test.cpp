// Machines that lie still sleep as bodies do: exactly, certified, and until something that is not
// asleep reaches them, a law of time moves them, or what carries them is gone.
#include <gtest/gtest.h>

#include <cmath>

#include <talus/parallel/executor.hpp>

#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::AxisLaw;
using test::SpatialMachineWorld;

constexpr Real kStep = 2e-3, kTolerance = 1e-6;

std::unique_ptr<stepping::Scheme> make(const SpatialMachineWorld& world, bool may_sleep = true) {
  auto options = test::options("moreau_jean", kTolerance);
  options.sleeping = may_sleep;
  return stepping::make_scheme(world.model, options);
}

/// A box on four legs, held by PD motors in its hips.
struct Walker {
  Index trunk = 0, first_joint = 0;
};
constexpr Index kParts = 5;

Walker add_walker(SpatialMachineWorld& world, const Vec3& foot) {
  Walker walker;
  walker.trunk = world.add_box({0.2, 0.12, 0.05}, foot + Vec3(0, 0, 0.35));
  walker.first_joint = static_cast<Index>(world.machine->joints.size());
  for (const Real x : {-0.15, 0.15})
    for (const Real y : {-0.16, 0.16}) {
      const Index leg = world.add(geometry::Capsule{0.02, 0.13}, model::BodyKind::dynamic,
                                  foot + Vec3(x, y, 0.15));
      const Index hip = world.add_joint(model::revolute_joint(), walker.trunk, leg,
                                        foot + Vec3(x, y, 0.3), Vec3::UnitY());
      AxisLaw law;
      law.motor.emplace();
      law.motor->mode = model::Motor::Mode::position;
      law.motor->stiffness = 300;
      law.motor->damping = 10;
      law.motor->lower_effort = -40;
      law.motor->upper_effort = 40;
      world.machine->joints[hip].axes.push_back(law);
    }
  return walker;
}

model::TimeLaw& target(SpatialMachineWorld& world, const Walker& walker, Index leg) {
  return world.machine->joints[walker.first_joint + leg].axes[0].motor->target;
}

SpatialMachineWorld walkers(int count) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.6);
  world.add_floor();
  for (int i = 0; i < count; ++i) (void)add_walker(world, {1.0 * i, 0, 0});
  return world;
}
Walker walker(int i) { return {1 + kParts * i, 4 * i}; }

void run(SpatialMachineWorld& world, stepping::Scheme& scheme, int steps) {
  for (int k = 0; k < steps; ++k) {
    world.last = scheme.step(world.state, kStep);
    ASSERT_TRUE(world.last.is_certified())
        << "at " << world.state.time << ": " << to_string(world.last.status) << ' '
        << world.last.detail;
  }
}

/// Runs until so many bodies sleep. @return whether they do.
bool sleeps(SpatialMachineWorld& world, stepping::Scheme& scheme, Index count) {
  for (int k = 0; k < 5000; ++k) {
    world.last = scheme.step(world.state, kStep);
    EXPECT_TRUE(world.last.is_certified()) << world.last.detail << " at " << world.state.time;
    if (!world.last.is_certified()) return false;
    if (world.last.sleeping == count) return true;
  }
  return false;
}

bool is_still(const SpatialMachineWorld& world, Index i) {
  return world.state.velocity[i].isZero(0) && world.state.angular_velocity[i].isZero(0);
}

void expect_same_place(const model::State& a, const model::State& b, Index first, Index count) {
  for (Index i = first; i < first + count; ++i) {
    EXPECT_EQ(a.position[i], b.position[i]) << i;
    EXPECT_EQ(a.orientation[i].coeffs(), b.orientation[i].coeffs()) << i;
  }
}

void expect_same(const model::State& a, const model::State& b) {
  expect_same_place(a, b, 0, a.body_count());
  for (Index i = 0; i < a.body_count(); ++i) {
    EXPECT_EQ(a.velocity[i], b.velocity[i]) << i;
    EXPECT_EQ(a.angular_velocity[i], b.angular_velocity[i]) << i;
  }
  EXPECT_EQ(a.internal, b.internal);
}

void expect_same_contacts(std::span<const stepping::StepContact> a,
                          std::span<const stepping::StepContact> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t c = 0; c < a.size(); ++c) {
    ASSERT_EQ(a[c].body_a, b[c].body_a) << c;
    ASSERT_EQ(a[c].body_b, b[c].body_b) << c;
    ASSERT_EQ(a[c].feature, b[c].feature) << c;
    ASSERT_EQ(a[c].impulse, b[c].impulse) << c;
  }
}

// A machine whose next step is known, with velocity 0 and the impulses that it has, sleeps: it lies
// still to the last bit, its energy, contacts, reactions and rank are those of its last step, and
// only what is awake is solved.
TEST(SleepingMachines, WhatRestsLiesStillAndIsReported) {
  SpatialMachineWorld world = walkers(3);
  target(world, walker(2), 0) = model::HarmonicLaw{0, 0.1, 1, 0};
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
  run(world, *scheme, 1);
  const model::State rest = world.state;
  const auto feet = [&] {
    return std::count_if(
        scheme->contacts().begin(), scheme->contacts().end(),
        [](const stepping::StepContact& contact) { return contact.body_b <= 2 * kParts; });
  };
  EXPECT_EQ(feet(), 8);
  const Index joints = static_cast<Index>(world.machine->joints.size());
  const std::vector<dynamics::Reaction> reactions(scheme->reactions().begin(),
                                                  scheme->reactions().end());
  const std::vector<dynamics::AxisReaction> axes(scheme->axes().begin(), scheme->axes().end());
  for (int k = 0; k < 200; ++k) {
    run(world, *scheme, 1);
    EXPECT_EQ(world.last.sleeping, 2 * kParts);
    EXPECT_EQ(world.last.joints.constraint_count, 5 * joints);
    EXPECT_EQ(world.last.joints.rank, 5 * joints);
    EXPECT_LE(world.last.joints.drift, 1e-12);
    EXPECT_GT(world.last.certificate.equation_of_motion, 0);
  }
  expect_same_place(world.state, rest, 0, 1 + 2 * kParts);
  EXPECT_EQ(feet(), 8);
  Real carried = 0, weight = 0;
  for (Index i = 1; i <= 2 * kParts; ++i) weight += 9.81 * kStep * world.model.bodies[i].mass;
  for (const stepping::StepContact& contact : scheme->contacts())
    if (contact.body_b <= 2 * kParts) carried += contact.impulse.z();
  EXPECT_NEAR(carried / weight, 1, 1e-5);
  Real held = 0;
  for (Index j = 0; j < 8; ++j) {
    EXPECT_EQ(scheme->reactions()[j].force, reactions[j].force) << j;
    EXPECT_EQ(scheme->reactions()[j].moment, reactions[j].moment) << j;
    EXPECT_EQ(scheme->axes()[j].effort, axes[j].effort) << j;
    EXPECT_EQ(scheme->axes()[j].value, axes[j].value) << j;
    held += scheme->reactions()[j].force.norm();
  }
  EXPECT_GT(held / (9.81 * 2 * world.model.bodies[1].mass), 1 - 1e-6) << "hips carry the trunks";
}

// The energy of a scene that sleeps does not change by a bit, springs and all.
TEST(SleepingMachines, KeepTheirEnergy) {
  SpatialMachineWorld world = walkers(1);
  for (model::SpatialJoint& joint : world.machine->joints) {
    joint.axes[0].stiffness = 20;
    joint.axes[0].rest = 0.2;
  }
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, kParts));
  const Real energy = world.last.energy.total();
  run(world, *scheme, 100);
  EXPECT_EQ(world.last.energy.total(), energy);
  EXPECT_NEAR(energy, world.energy(), 1e-12 * energy);
  EXPECT_EQ(world.last.energy.kinetic, 0);
}

// A ball wakes the machine that it hits, and the blow is that on one which never slept: from the
// same state both are moved alike, as near as two answers at the tolerance are.
TEST(SleepingMachines, ABallWakesTheMachineThatItHits) {
  SpatialMachineWorld world = walkers(2);
  const Index ball = world.add_sphere(0.06, {0, -30, 30});
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
  const model::State before = world.state;
  world.state.position[ball] = {0, -0.5, 0.4};
  world.state.velocity[ball] = {0, 3, 0};
  world.state.angular_velocity[ball].setZero();
  model::State other = world.state;
  const auto plain = make(world, false);
  for (int k = 0; k < 100; ++k) {
    run(world, *scheme, 1);
    const auto report = plain->step(other, kStep);
    ASSERT_TRUE(report.is_certified());
  }
  EXPECT_FALSE(is_still(world, 1));
  EXPECT_EQ(world.last.sleeping, kParts);
  expect_same_place(world.state, before, 1 + kParts, kParts);
  EXPECT_GT((world.state.position[1] - before.position[1]).norm(), 1e-5);
  // Each step errs by the tolerance times what its impulses change, here the speed of the blow.
  const Real speed = 3, error = 100 * kTolerance * speed;
  for (Index i = 1; i <= kParts; ++i) {
    EXPECT_LT((world.state.velocity[i] - other.velocity[i]).norm(), error) << i;
    EXPECT_LT((world.state.position[i] - other.position[i]).norm(), 100 * kStep * error) << i;
  }
  world.state.position[ball] = {0, -30, 30};
  EXPECT_TRUE(sleeps(world, *scheme, 2 * kParts)) << "it comes to rest again";
}

/// A trunk with two arms and two legs: limits, dampers, dry friction and armatures in its joints.
void add_ragdoll(SpatialMachineWorld& world, const Vec3& at) {
  const Index trunk = world.add_box({0.1, 0.08, 0.15}, at);
  const auto add_limb = [&](const Vec3& centre, const Vec3& hinge, bool is_arm) {
    const Index limb =
        world.add(geometry::Capsule{0.04, 0.08}, model::BodyKind::dynamic, at + centre);
    const model::LowerPair kind = is_arm ? model::universal_joint() : model::revolute_joint();
    const Index joint = world.add_joint(kind, trunk, limb, at + hinge, Vec3::UnitY());
    AxisLaw law;
    law.lower = -1;
    law.upper = 1;
    law.damping = 0.3;
    law.friction = 0.3;
    law.armature = 0.005;
    for (const model::Freedom axis : {model::Freedom::turn_z, model::Freedom::turn_x}) {
      law.axis = axis;
      if (is_arm || axis == model::Freedom::turn_z)
        world.machine->joints[joint].axes.push_back(law);
    }
  };
  for (const Real side : {-1.0, 1.0}) {
    add_limb({0.16 * side, 0, 0.05}, {0.15 * side, 0, 0.14}, true);
    add_limb({0.06 * side, 0, -0.29}, {0.06 * side, 0, -0.16}, false);
  }
}

// A heap of ragdolls that fall onto each other sleeps within a few seconds, all of it, and lies
// still to the last bit; a ball that falls onto it wakes whom it strikes, and all sleep again.
TEST(SleepingMachines, AHeapOfRagdollsFallsAsleep) {
  constexpr int kRagdolls = 4;
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.6);
  world.add_floor();
  for (int i = 0; i < kRagdolls; ++i)
    add_ragdoll(world, Vec3(0.13 * (i % 2), 0.1 * (i % 3), 0.3 + 0.45 * i));
  const Index ball = world.add_sphere(0.06, {0, -30, 100});  // a fall of 4.5 s
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, kParts * kRagdolls)) << world.last.sleeping;
  EXPECT_LT(world.state.time, 4);
  const model::State rest = world.state;
  run(world, *scheme, 50);
  expect_same_place(world.state, rest, 0, ball);
  EXPECT_LE(world.last.joints.drift, 1e-12);
  for (const Real lead : *world.state.internal.find(model::kArmatureLeads)) EXPECT_EQ(lead, 0);
  world.state.position[ball] = rest.position[1] + Vec3(0, 0, 2.5);
  world.state.velocity[ball].setZero();
  for (int k = 0; k < 500 && world.last.sleeping == kParts * kRagdolls; ++k) run(world, *scheme, 1);
  EXPECT_LE(world.last.sleeping, kParts * (kRagdolls - 1)) << "who is struck wakes as a whole";
  world.state.position[ball] = {0, -30, 100};
  world.state.velocity[ball].setZero();
  EXPECT_TRUE(sleeps(world, *scheme, kParts * kRagdolls)) << world.last.sleeping;
}

// A machine sleeps as long as its laws of time say the same, wakes in the first step in which one
// does not, and never sleeps while one changes.
TEST(SleepingMachines, ALawOfTimeWakesAtItsKink) {
  SpatialMachineWorld world = walkers(1);
  constexpr Real kBegin = 6.001, kEnd = 6.501, kTurn = 0.02;
  target(world, walker(0), 0) = model::make_table({kBegin, kEnd}, {0, kTurn}, false);
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, kParts));
  ASSERT_LT(world.state.time, kBegin - 1);
  const Real start = scheme->axes()[0].value;
  while (world.state.time + kStep < kBegin) {
    run(world, *scheme, 1);
    EXPECT_EQ(world.last.sleeping, kParts) << world.state.time;
  }
  while (world.state.time < kEnd) {
    run(world, *scheme, 1);
    EXPECT_EQ(world.last.sleeping, 0) << world.state.time;
  }
  ASSERT_TRUE(sleeps(world, *scheme, kParts));
  EXPECT_GT(scheme->axes()[0].value - start, kTurn / 10);
}

// A target that turns slower than any tolerance sees keeps the machine awake: it is not lost.
TEST(SleepingMachines, ASlowTargetIsFollowed) {
  SpatialMachineWorld world = walkers(2);
  target(world, walker(1), 0) = model::RampLaw{0, 1e-10};
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, kParts));
  run(world, *scheme, 1000);
  EXPECT_EQ(world.last.sleeping, kParts);
  EXPECT_TRUE(is_still(world, 1));
  EXPECT_FALSE(is_still(world, 2 + kParts)) << "the leg that turns";
}

// So does a velocity motor that turns as slowly, unless its bounds hold it.
TEST(SleepingMachines, ASlowMotorTurnsUnlessItIsHeld) {
  for (const Real bound : {0.5, 100.0}) {
    SpatialMachineWorld world;
    const Index arm = world.add_body(1, 0.1 * Mat3::Identity(), {0.2, 0, 0});
    const Index hinge = world.add_joint(model::revolute_joint(), -1, arm, {0, 0, 0}, Vec3::UnitY());
    AxisLaw law;
    law.friction = bound < 5 ? 5 : 0;
    law.motor.emplace();
    law.motor->target = model::ConstantLaw{-1e-10};
    law.motor->lower_effort = -bound;
    law.motor->upper_effort = bound;
    world.machine->joints[hinge].axes.push_back(law);
    const auto scheme = make(world);
    run(world, *scheme, 300);
    EXPECT_EQ(world.last.sleeping, bound < 5 ? 1 : 0) << bound;
    // Far slower than the tolerance of a step, it turns all the same.
    const Real turned = scheme->axes()[0].value / (-1e-10 * world.state.time);
    EXPECT_NEAR(turned, bound < 5 ? 0 : 1, 0.1);
  }
}

// A gate whose axis is out of plumb by α has no rest but at its end: against a damper alone it
// creeps with m g l sin α / c, however slow that is. The least dry friction above m g l sin α holds
// it, and it sleeps.
TEST(SleepingMachines, ADamperHoldsNothing) {
  constexpr Real kTilt = 1e-5, kLength = 0.2, kDamping = 0.3;
  const Real torque = 9.81 * kLength * std::sin(kTilt);
  for (const Real friction : {0.0, 1.1 * torque}) {
    SpatialMachineWorld world;
    const Index gate = world.add_body(1, 0.01 * Mat3::Identity(), {0, kLength, 0});
    const Index hinge = world.add_joint(model::revolute_joint(), -1, gate, {0, 0, 0},
                                        {std::sin(kTilt), 0, std::cos(kTilt)});
    AxisLaw law;
    law.damping = kDamping;
    law.friction = friction;
    world.machine->joints[hinge].axes.push_back(law);
    const auto scheme = make(world);
    run(world, *scheme, 1000);
    EXPECT_EQ(world.last.sleeping, friction > 0 ? 1 : 0);
    EXPECT_NEAR(scheme->axes()[0].rate, friction > 0 ? 0 : -torque / kDamping,
                1e-4 * torque / kDamping);
  }
}

// What a program sets from outside wakes: a target, a velocity, the weight.
TEST(SleepingMachines, WhatIsSetFromOutsideWakes) {
  SpatialMachineWorld world = walkers(2);
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
  target(world, walker(0), 1) = model::ConstantLaw{0.05};
  run(world, *scheme, 1);
  EXPECT_EQ(world.last.sleeping, kParts);
  EXPECT_FALSE(is_still(world, 1));
  ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
  world.state.velocity[1 + kParts] = {0, 0, 0.5};
  run(world, *scheme, 1);
  EXPECT_EQ(world.last.sleeping, kParts);
  EXPECT_FALSE(is_still(world, 1 + kParts));
  ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
  world.model.gravity = {0, 0, -5};
  run(world, *scheme, 1);
  EXPECT_EQ(world.last.sleeping, 0);
}

// Nothing is held up by a machine that has lost what carried it: where a box under it vanishes, it
// falls.
TEST(SleepingMachines, FallWithoutSupport) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.6);
  world.add_floor();
  const Index box = world.add_box({0.5, 0.5, 0.1}, {0, 0, 0.1});
  const Walker above = add_walker(world, {0, 0, 0.2});
  const Index rider = world.add_box(Vec3::Constant(0.05), {0, 0, 0.65});
  world.state.presence.assign(world.model.bodies.size(), model::Presence::present);
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 2 + kParts));
  const Real trunk = world.state.position[above.trunk].z(), top = world.state.position[rider].z();
  world.state.presence[box] = model::Presence::removed;
  run(world, *scheme, 50);
  const Real fallen = 9.81 * 0.1 * 0.1 / 2;
  EXPECT_NEAR(trunk - world.state.position[above.trunk].z(), fallen, 0.05 * fallen);
  EXPECT_NEAR(top - world.state.position[rider].z(), fallen, 0.05 * fallen);
}

// What carries a machine by a joint wakes it where it begins to move.
TEST(SleepingMachines, AMovingBaseWakes) {
  SpatialMachineWorld world;
  const Index base = world.add(geometry::Sphere{0.01}, model::BodyKind::kinematic, {0, 0, 1});
  const Index arm = world.add_body(1, 0.1 * Mat3::Identity(), {0.2, 0, 1});
  const Index hinge = world.add_joint(model::revolute_joint(), base, arm, {0, 0, 1}, Vec3::UnitY());
  AxisLaw law;
  law.friction = 5;
  world.machine->joints[hinge].axes.push_back(law);
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 1));
  world.state.velocity[base] = {0.1, 0, 0};
  run(world, *scheme, 10);
  EXPECT_EQ(world.last.sleeping, 0);
  EXPECT_NEAR(world.state.velocity[arm].x(), 0.1, 1e-6);
}

// A machine is one island: while a part of it swings, the part that lies still on the floor is
// awake.
TEST(SleepingMachines, HalfAMachineDoesNotSleep) {
  SpatialMachineWorld world(Vec3(0, 0, -9.81), 0.8);
  world.add_floor();
  const Index base = world.add_box(Vec3::Constant(0.5), {0, 0, 0.5});
  const Index arm = world.add_body(0.01, 1e-5 * Mat3::Identity(), {0.8, 0, 0.9});
  world.add_joint(model::revolute_joint(), base, arm, {0.6, 0, 0.9}, Vec3::UnitY());
  const Index alone = world.add_box(Vec3::Constant(0.5), {3, 0, 0.5});
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 1));
  EXPECT_TRUE(is_still(world, alone));
  Real most = 0;
  for (int k = 0; k < 1000; ++k) {
    run(world, *scheme, 1);
    EXPECT_EQ(world.last.sleeping, 1);
    most = std::max(most, world.state.velocity[arm].norm());
  }
  EXPECT_GT(most, 1);
}

// Velocity 0 is not rest: a pendulum that stops at its turning point at the end of a step, to the
// last bit, swings back.
TEST(SleepingMachines, APendulumDoesNotSleepAtItsTurningPoint) {
  SpatialMachineWorld world;
  const Index arm = world.add_body(1, 0.01 * Mat3::Identity(), {0.2, 0, 0});
  world.add_joint(model::revolute_joint(), -1, arm, {0, 0, 0}, Vec3::UnitY());
  const Real torque = 9.81 * 0.2, inertia = 0.01 + 0.04, rate = -kStep * torque / inertia;
  world.state.angular_velocity[arm] = {0, rate, 0};
  world.state.velocity[arm] = world.state.angular_velocity[arm].cross(Vec3(0.2, 0, 0));
  const auto scheme = make(world);
  run(world, *scheme, 1);
  ASSERT_TRUE(is_still(world, arm)) << "no turning point";
  run(world, *scheme, 1);
  EXPECT_EQ(world.last.sleeping, 0);
  EXPECT_NEAR(world.state.angular_velocity[arm].y(), -rate, 1e-9);
}

// A spring between two machines makes one island of them: who wakes the one wakes the other.
TEST(SleepingMachines, ASpringJoinsIslands) {
  for (const bool is_joined : {false, true}) {
    SpatialMachineWorld world = walkers(2);
    if (is_joined)
      world.machine->forces.push_back(
          {"spring", walker(0).trunk, walker(1).trunk,
           model::LineElement{Vec3::Zero(), Vec3::Zero(), 10, 1, 1, model::ConstantLaw{}}});
    const auto scheme = make(world);
    ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
    world.state.velocity[walker(0).trunk] = {0, 0.1, 0};
    run(world, *scheme, 1);
    EXPECT_EQ(world.last.sleeping, is_joined ? 0 : kParts);
  }
}

// A scheme that takes up the memory of one in which machines sleep goes on bit for bit: asleep, and
// where they are woken, with the impulses that they fell asleep with.
TEST(SleepingMachines, ResumeBitForBit) {
  SpatialMachineWorld world = walkers(2);
  const Index ball = world.add_sphere(0.06, {0, -30, 30});
  const auto scheme = make(world);
  ASSERT_TRUE(sleeps(world, *scheme, 2 * kParts));
  world.state.position[ball] = {0.15, -0.9, 0.4};
  world.state.velocity[ball] = {0, 3, 0};
  run(world, *scheme, 20);
  ASSERT_EQ(world.last.sleeping, 2 * kParts) << "the ball is there too early";
  model::State other = world.state;
  const auto resumed = make(world);
  resumed->recall(scheme->memory());
  for (int k = 0; k < 150; ++k) {
    run(world, *scheme, 1);
    const auto report = resumed->step(other, kStep);
    ASSERT_EQ(report.sleeping, world.last.sleeping) << k;
    ASSERT_EQ(report.certificate.natural_map, world.last.certificate.natural_map) << k;
    ASSERT_EQ(report.energy.total(), world.last.energy.total()) << k;
    for (std::size_t j = 0; j < scheme->reactions().size(); ++j)
      ASSERT_EQ(scheme->reactions()[j].force, resumed->reactions()[j].force) << k;
    expect_same(world.state, other);
  }
  EXPECT_EQ(world.last.sleeping, kParts);
  EXPECT_FALSE(is_still(world, 1));
}

// Threads change no bit of who sleeps, when, and what is told of it: contacts in their order,
// certificates, reactions, and what the next step starts from.
TEST(SleepingMachines, ThreadsChangeNothing) {
  const int before = parallel::thread_count();
  struct Run {
    SpatialMachineWorld world;
    std::unique_ptr<stepping::Scheme> scheme;
  };
  std::vector<Run> runs;
  runs.reserve(3);  // schemes refer to the models
  for (int i = 0; i < 3; ++i) {
    runs.push_back({walkers(4), nullptr});
    target(runs.back().world, walker(2), 0) = model::HarmonicLaw{0, 0.1, 1, 0};
    runs.back().scheme = make(runs.back().world);
  }
  Index slept = 0;
  for (int k = 0; k < 1000; ++k) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      parallel::set_thread_count(1 << i);
      run(runs[i].world, *runs[i].scheme, 1);
    }
    const stepping::StepReport& one = runs[0].world.last;
    slept += one.sleeping;
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const stepping::StepReport& other = runs[i].world.last;
      ASSERT_EQ(one.sleeping, other.sleeping) << k;
      ASSERT_EQ(one.contact_count, other.contact_count) << k;
      ASSERT_EQ(one.certificate.natural_map, other.certificate.natural_map) << k;
      ASSERT_EQ(one.certificate.worst_contact, other.certificate.worst_contact) << k;
      ASSERT_EQ(one.energy.total(), other.energy.total()) << k;
      expect_same_contacts(runs[0].scheme->contacts(), runs[i].scheme->contacts());
      expect_same_contacts(runs[0].scheme->memory().contacts, runs[i].scheme->memory().contacts);
      for (std::size_t j = 0; j < runs[0].scheme->reactions().size(); ++j)
        ASSERT_EQ(runs[0].scheme->reactions()[j].force, runs[i].scheme->reactions()[j].force) << k;
    }
  }
  parallel::set_thread_count(before);
  EXPECT_GT(slept, 0);
  EXPECT_EQ(runs[0].world.last.sleeping, 3 * kParts);
  for (std::size_t i = 1; i < runs.size(); ++i)
    expect_same(runs[0].world.state, runs[i].world.state);
}

// Until something rests, letting it sleep changes no bit.
TEST(SleepingMachines, WhatMovesMovesAsWithoutSleeping) {
  SpatialMachineWorld world = walkers(2);
  target(world, walker(0), 0) = target(world, walker(1), 2) = model::HarmonicLaw{0, 0.2, 2, 0};
  model::State other = world.state;
  const auto scheme = make(world), plain = make(world, false);
  for (int k = 0; k < 60; ++k) {
    run(world, *scheme, 1);
    const auto report = plain->step(other, kStep);
    ASSERT_TRUE(report.is_certified());
  }
  expect_same_place(world.state, other, 0, world.model.body_count());
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
