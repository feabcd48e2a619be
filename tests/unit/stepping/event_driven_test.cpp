#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include <talus/geometry/convex_hull.hpp>

#include "support/machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::EventKind;
using test::coulomb;
using test::MachineWorld;

constexpr Real kPi = std::numbers::pi;

/// A disc of 1 kg on a damper of 1e9 N s/m, in 1 ms: 1e6 of its relaxation times, of which an
/// explicit step takes three at most.
MachineWorld stiff_damper() {
  MachineWorld world;
  const Index ground = world.add_body(geometry::Sphere{0.1}, 1, 1, Vec2::Zero());
  world.model.bodies[ground].kind = model::BodyKind::fixed;
  const Index disc = world.add_body(geometry::Sphere{0.1}, 1, 1, {0, -1});
  model::LineForce damper;
  damper.damping = 1e9;
  world.machine->forces.push_back({"absorber", ground, disc, damper});
  return world;
}

// Internal steps that are too many end the step, which says how far they came and names the body
// and what acts on it; the state stays where it was.
TEST(EventDriven, TooManyInternalStepsAreRefused) {
  MachineWorld world = stiff_damper();
  const auto scheme = stepping::make_event_driven_scheme(world.model, world.options);
  const std::uint64_t before = world.state.hash();
  const stepping::StepReport report = scheme->step(world.state, 1e-3);
  EXPECT_EQ(report.status, problem::SolveStatus::numerical_error);
  EXPECT_EQ(world.state.hash(), before);
  for (const char* part :
       {"100000 internal steps have led from t = 0 s to ", "on which act force element absorber"})
    EXPECT_NE(report.detail.find(part), std::string::npos) << report.detail;
}

// A stop request ends a step within its internal steps: after as many as it was asked, and with the
// state of before, from which the step is taken again as if nothing had been.
TEST(EventDriven, StopsWithinAStep) {
  MachineWorld world = stiff_damper(), other = stiff_damper();
  int asked = 0;
  bool is_stopping = true;
  world.options.machine.should_stop = [&] { return is_stopping && ++asked >= 10; };
  const auto scheme = stepping::make_event_driven_scheme(world.model, world.options);
  const std::uint64_t before = world.state.hash();
  EXPECT_EQ(scheme->step(world.state, 1e-3).status, problem::SolveStatus::interrupted);
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(world.state.hash(), before);
  is_stopping = false;
  const auto plain = stepping::make_event_driven_scheme(other.model, other.options);
  EXPECT_TRUE(scheme->step(world.state, 1e-6).is_certified());
  EXPECT_TRUE(plain->step(other.state, 1e-6).is_certified());
  EXPECT_EQ(world.state.hash(), other.state.hash());
}

// A box slides flat over the edge of another one: its front corner leaves the side at the edge, the
// edge takes over, and nothing else changes: speed and height stay.
TEST(EventDriven, ABoxSlidesOverAnEdge) {
  MachineWorld world(coulomb(0));
  const Index table = world.add_body(geometry::Box{{0.5, 0.1, 0.1}}, 1, 1, {-0.5, -0.1});
  world.model.bodies[table].kind = model::BodyKind::fixed;
  const Index box = world.add_body(geometry::Box{{0.2, 0.05, 0.1}}, 1.5, 0.02, {-0.3, 0.05});
  world.state.velocity[box] = {1, 0, 0};
  ASSERT_TRUE(world.run(0.25, 0.1)) << world.last.detail;
  const auto* leaves = world.first(EventKind::detachment);
  ASSERT_NE(leaves, nullptr);
  EXPECT_NEAR(leaves->time, 0.1, 1e-10);
  EXPECT_NEAR(world.state.velocity[box].x(), 1, 1e-12);
  EXPECT_NEAR(world.state.position[box].y(), 0.05, 1e-12);
  EXPECT_NEAR(world.state.angular_velocity[box].z(), 0, 1e-10);
}

// A box falls past a table, its side flush with the table's but for rounding: where corner meets
// corner nobody knows a normal, and none is made up. It falls freely.
TEST(EventDriven, ABoxFallsPastAnEdge) {
  MachineWorld world(coulomb(0));
  const Index table = world.add_body(geometry::Box{{0.5, 0.1, 0.1}}, 1, 1, {-0.5, -0.1});
  world.model.bodies[table].kind = model::BodyKind::fixed;
  const Index box =
      world.add_body(geometry::Box{{0.25, 0.05, 0.1}}, 1.5, 0.02, {0.25 - 2e-13, 0.15});
  ASSERT_TRUE(world.run(0.25, 0.01)) << world.last.detail;
  EXPECT_NEAR(world.state.position[box].y(), 0.15 - 9.81 / 2 * 0.25 * 0.25, 1e-9);
  // A speed that leads no farther than rounding of the gap, √(2 · 1e-14 · 0.5 m · g), is none.
  EXPECT_NEAR(world.state.velocity[box].x(), 0, 3.2e-7);
  EXPECT_EQ(world.first(EventKind::impact), nullptr);
}

/// A prism whose shadow is a regular hexagon.
geometry::Shape hexagon(Real radius) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 6; ++k)
    for (const Real z : {-0.1, 0.1})
      corners.emplace_back(radius * std::cos(k * kPi / 3), radius * std::sin(k * kPi / 3), z);
  return std::make_shared<const geometry::Polytope>(geometry::convex_hull(corners));
}

// A hexagon slides without friction down a tilted bar, turns over its end and falls: forces of
// contact do no work, so that ½ m v² + ½ I ω² + m g y stays, also where the corner of the bar
// leaves the side that it slides on in the middle of a step.
TEST(EventDriven, AHexagonSlidesOffACornerAndKeepsItsEnergy) {
  for (const Real h : {2e-3, 1.5e-3, 1e-3, 7e-4, 5e-4}) {
    MachineWorld world(coulomb(0));
    const Index bar =
        world.add_body(geometry::Box{{0.08, 0.002, 0.1}}, 1, 1, Vec2::Zero(), kPi / 4);
    world.model.bodies[bar].kind = model::BodyKind::fixed;
    const Vec2 normal = Vec2(-1, 1) / std::sqrt(2), along = Vec2(-1, -1) / std::sqrt(2);
    const Real height = 0.002 + 0.05 * std::cos(kPi / 6);
    const Index body =
        world.add_body(hexagon(0.05), 1, 1e-3, 0.04 * along + height * normal, kPi / 4);
    world.state.velocity[body] << 0.5 * along, 0;
    const Real start = world.energy();
    ASSERT_TRUE(world.run(0.3, h)) << h << ": " << world.last.detail;
    EXPECT_LT(world.state.position[body].y(), -0.1);
    EXPECT_GT(std::abs(world.state.angular_velocity[body].z()), 0.1);
    EXPECT_NEAR(world.energy(), start, 1e-9) << h;
  }
}

// A spring gives back what it has taken, no more: of an oscillator with ω h = 3.5 the classical
// Runge–Kutta method makes a motion that grows in every step. Its forces are those of the laws, and
// yet no step of it is certified; with ω h = 0.1 all are.
TEST(EventDriven, AStepThatMakesEnergyIsNotCertified) {
  for (const Real product : {3.5, 0.1}) {
    MachineWorld world({}, Vec3::Zero());
    const Index wall = world.add_body(geometry::Sphere{0.1}, 1, 1, {-2, 0});
    world.model.bodies[wall].kind = model::BodyKind::fixed;
    const Index ball = world.add_body(geometry::Sphere{0.1}, 1, 1, {0, 0});
    world.machine->forces.push_back(
        {"spring", wall, ball,
         model::LineForce{Vec2::Zero(), Vec2::Zero(), 100, 2, 0, model::ConstantLaw{0}}});
    world.state.velocity[ball] = {1e-3, 0, 0};
    world.options.machine.integrator = "rk4";
    const bool is_certified = world.run(product / 10 * 20, product / 10);
    EXPECT_EQ(is_certified, product < 1) << world.last.detail;
    if (is_certified) continue;
    EXPECT_GT(world.last.energy.total(), 1e-6);
    EXPECT_NE(world.last.detail.find("the energy rises"), std::string::npos) << world.last.detail;
  }
}

// A force that lifts a ball off the ground for the middle of one long step only is not missed: the
// ball leaves where F_N = m g − A (1 − cos 2πt/T)/2 is zero.
TEST(EventDriven, ADipOfTheNormalForceInsideAStepIsFound) {
  MachineWorld world(coulomb(0));
  world.add_line();
  const Index ball = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 0.1});
  const Real weight = 2 * 9.81, lift = 1.25 * weight, period = 1e-2;
  world.machine->forces.push_back(
      {"lift", 0, ball,
       model::PointForce{Vec2::Zero(), Vec2::UnitY(),
                         model::HarmonicLaw{lift / 2, lift / 2, 1 / period, -kPi / 2}}});
  ASSERT_TRUE(world.run(period, period)) << world.last.detail;
  const auto* leaves = world.first(EventKind::detachment);
  ASSERT_NE(leaves, nullptr);
  EXPECT_NEAR(leaves->time, period * std::acos(1 - 2 / 1.25) / (2 * kPi), 1e-10);
}

// A ball that bounces for ever, 2v/g apart, in a step with more bounces than an engine shall
// follow: the step stops and says so; a shorter step is as ever.
TEST(EventDriven, TooManyEventsInAStepAreReported) {
  for (const Real step : {1e-2, 1.0}) {
    MachineWorld world(coulomb(0));
    world.model.machine = world.machine;
    for (auto& surface : world.model.laws) surface.impact.restitution = 1;
    world.add_line();
    const Index ball = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 0.1});
    world.state.velocity[ball] = {0, 1e-4, 0};
    const bool runs = world.run(step, step);
    EXPECT_EQ(runs, step < 0.1) << world.last.detail;
    if (!runs) {
      EXPECT_NE(world.last.detail.find("events in one step"), std::string::npos);
    }
  }
}

// A box stands on another of the same width, corner on corner, in every scheme, also where it is a
// hundred times as heavy: the corners rest on the sides that meet, not on those they are flush
// with. Time stepping sinks by what the gap changes in a step from rest, g h² per contact.
TEST(EventDriven, ABoxStandsOnAnotherOfTheSameWidth) {
  constexpr Real kStep = 1e-3;
  for (const std::string scheme :
       {"event_driven", "moreau_midpoint", "moreau_jean", "stewart_trinkle"})
    for (const Real mass : {1., 100.}) {
      MachineWorld world(coulomb(0.5));
      world.add_line();
      world.add_body(geometry::Box{{0.1, 0.1, 0.1}}, 1, 0.01, {0, 0.1});
      const Index upper =
          world.add_body(geometry::Box{{0.1, 0.1, 0.1}}, mass, 0.01 * mass, {0, 0.3});
      world.options.scheme = scheme;
      const auto stepper = stepping::make_scheme(world.model, world.options);
      for (int step = 0; step < 300; ++step)
        ASSERT_TRUE(stepper->step(world.state, kStep).is_certified()) << scheme << ' ' << mass;
      const Real sunk = scheme == "event_driven" ? 1e-9 : 2 * 9.81 * kStep * kStep;
      EXPECT_NEAR(world.state.position[upper].y(), 0.3, sunk) << scheme << ' ' << mass;
      EXPECT_NEAR(world.angle(upper), 0, 1e-4) << scheme << ' ' << mass;
    }
}

// Steps of different lengths, the box in flight, at its impacts, sliding and hung on a pin, are to
// the last bit those of engines that are made anew for each length, whatever depends on it: the
// internal step of fixed ones, and Baumgarte's coefficients.
TEST(EventDriven, AStepOfAnotherLengthIsThatOfANewEngine) {
  for (const char* integrator : {"adaptive", "rk4", "generalized_alpha"})
    for (const char* stabilisation : {"projection", "baumgarte"}) {
      const auto thrown = [&] {
        MachineWorld world(coulomb(0.3, 0.4, 0.5));
        const Index line = world.add_line();
        const Index box = world.add_body(geometry::Box{{0.2, 0.1, 0.1}}, 1, 0.02, {0, 0.5}, 0.3);
        const Index bob = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {2, 1});
        world.machine->joints.push_back({"pin",
                                         line,
                                         bob,
                                         model::RevoluteJoint{Vec2(1.5, 1.2), Vec2(-0.5, 0.2), 0},
                                         {},
                                         false});
        world.state.velocity[box] = {0.7, 0, 0};
        world.options.machine.integrator = integrator;
        world.options.machine.stabilisation = stabilisation;
        world.options.solver.tolerance = 1e-4;
        return world;
      };
      MachineWorld kept = thrown(), anew = thrown();
      for (int k = 0; k < 60; ++k) {
        const Real h = k % 3 == 0 ? 0.01 : 0.004 + 1e-4 * k;
        EXPECT_TRUE(kept.run(h, h)) << integrator << ' ' << kept.last.detail;
        if (anew.scheme) {
          const stepping::SchemeMemory memory = anew.scheme->memory();
          anew.scheme = stepping::make_event_driven_scheme(anew.model, anew.options);
          anew.scheme->recall(memory);
        }
        EXPECT_TRUE(anew.run(h, h)) << integrator << ' ' << anew.last.detail;
        ASSERT_EQ(kept.state.hash(), anew.state.hash())
            << integrator << ' ' << stabilisation << ' ' << k;
      }
      EXPECT_GT(kept.count(EventKind::impact), 2);
    }
}

// Who kicks a box that sticks, between two steps, sees it slide from the speed that it was given:
// v t − μ g t²/2. What the scheme remembers is of where it left the box.
TEST(EventDriven, AKickIsNotHeldByWhatStuck) {
  constexpr Real kMu = 0.3, kSpeed = 2, kTime = 0.1;
  MachineWorld world(coulomb(kMu));
  world.add_line();
  const Index box = world.add_body(geometry::Box{{0.2, 0.1, 0.1}}, 1.5, 0.02, {0, 0.1});
  ASSERT_TRUE(world.run(0.1, 0.01)) << world.last.detail;
  world.state.velocity[box] = {kSpeed, 0, 0};
  ASSERT_TRUE(world.run(kTime, 0.01)) << world.last.detail;
  EXPECT_NEAR(world.state.position[box].x(), kSpeed * kTime - kMu * 9.81 * kTime * kTime / 2, 1e-9);
}

// Two motors that want different speeds of one shaft are an error that names both; of two that want
// the same one is redundant, and runs.
TEST(EventDriven, DrivesThatContradictEachOtherAreNamed) {
  for (const Real speed : {3., 4.}) {
    MachineWorld world;
    const Index ground = world.add_line();
    const Index wheel = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1});
    world.machine->joints.push_back(
        {"shaft", ground, wheel, model::RevoluteJoint{Vec2(0, 1), Vec2::Zero(), 0}, {}, false});
    world.state.angular_velocity[wheel] = {0, 0, 3};
    for (const auto& [name, rate] :
         {std::pair("left motor", 3.), std::pair("right motor", speed)}) {
      model::Drive drive;
      drive.name = name;
      drive.body_a = ground;
      drive.body_b = wheel;
      drive.law = model::ConstantLaw{rate};
      drive.is_speed = true;
      world.machine->drives.push_back(drive);
    }
    const bool runs = world.run(0.1, 0.01);
    if (speed == 3) {
      EXPECT_TRUE(runs) << world.last.detail;
      EXPECT_NEAR(world.state.angular_velocity[wheel].z(), 3, 1e-12);
      continue;
    }
    EXPECT_FALSE(runs);
    EXPECT_EQ(world.last.status, problem::SolveStatus::numerical_error);
    EXPECT_NE(world.last.detail.find("left motor"), std::string::npos) << world.last.detail;
    EXPECT_NE(world.last.detail.find("right motor"), std::string::npos) << world.last.detail;
    EXPECT_EQ(world.last.detail.find("shaft"), std::string::npos) << world.last.detail;
  }
}

// Two drives that want a shaft at rest at different angles do not contradict each other in speed or
// acceleration; they are named all the same.
TEST(EventDriven, DrivesThatContradictEachOtherInPositionAreNamed) {
  MachineWorld world;
  const Index ground = world.add_line();
  const Index wheel = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1});
  world.machine->joints.push_back(
      {"shaft", ground, wheel, model::RevoluteJoint{Vec2(0, 1), Vec2::Zero(), 0}, {}, false});
  for (const auto& [name, angle] : {std::pair("left stop", 0.), std::pair("right stop", 0.1)}) {
    model::Drive drive;
    drive.name = name;
    drive.body_a = ground;
    drive.body_b = wheel;
    drive.law = model::ConstantLaw{angle};
    world.machine->drives.push_back(drive);
  }
  EXPECT_FALSE(world.run(0.1, 0.01));
  EXPECT_NE(world.last.detail.find("left stop"), std::string::npos) << world.last.detail;
  EXPECT_NE(world.last.detail.find("right stop"), std::string::npos) << world.last.detail;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
