#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::MachineWorld;

/// How many units one metre, one kilogram, one second are.
struct Units {
  Real metre = 1, kilogram = 1, second = 1;
  [[nodiscard]] Real speed() const { return metre / second; }
  [[nodiscard]] Real force() const { return kilogram * metre / (second * second); }
};

/// A box and a rod that fall on the ground, the rod on a pendulum with friction in its pin, the box
/// pulled by a spring; all of it in some units.
MachineWorld machine_in(const Units& u) {
  model::InterfaceLaw surface = test::coulomb(0.4);
  surface.impact.restitution = 0.5;
  MachineWorld world(surface, Vec3(0, -9.81 * u.metre / (u.second * u.second), 0));
  const Index ground = world.add_line();
  const Real inertia = u.kilogram * u.metre * u.metre;
  const Index box = world.add_body(geometry::Box{{0.2 * u.metre, 0.1 * u.metre, 0.1 * u.metre}},
                                   1.5 * u.kilogram, 0.03 * inertia, {0, 0.3 * u.metre}, 0.2);
  const Index rod =
      world.add_body(geometry::Box{{0.05 * u.metre, 0.3 * u.metre, 0.1 * u.metre}},
                     0.7 * u.kilogram, 0.02 * inertia, {1 * u.metre, 0.6 * u.metre}, 0.7);
  world.state.velocity[box] = {0.8 * u.speed(), 0, 0};
  model::JointFriction friction;
  friction.law.coefficient = 0.2;
  friction.law.kind = model::CoulombFriction{0.3};
  const Vec2 top(-0.1 * u.metre, 0.25 * u.metre);
  const Vec2 at = Vec2(1, 0.6) * u.metre + Eigen::Rotation2D<Real>(0.7) * top;
  world.machine->joints.push_back(
      {"pin", ground, rod, model::RevoluteJoint{at, top, 0.02 * u.metre}, friction, false});
  world.machine->forces.push_back(
      {"spring", ground, box,
       model::LineForce{
           Vec2(-1, 0.3) * u.metre, Vec2::Zero(), 20 * u.force() / u.metre, 0.9 * u.metre, 0, {}}});
  world.options.machine.integrator = "rk4";
  world.options.machine.step = 1e-3 * u.second;
  return world;
}

// The same machine in metres, kilograms and seconds, and in millimetres, tonnes and milliseconds or
// in others: the same events and the same motion, but for rounding that impacts blow up.
TEST(Units, HaveNoPartInEventsAndMotion) {
  MachineWorld here = machine_in({});
  ASSERT_TRUE(here.run(1, 0.01)) << here.last.detail;
  ASSERT_GT(here.events.size(), 20U);
  for (const Units& u : {Units{1e3, 1e-3, 1e3}, Units{1e-3, 1e3, 1e-2}, Units{1e4, 1e6, 1e5}}) {
    MachineWorld there = machine_in(u);
    ASSERT_TRUE(there.run(u.second, 0.01 * u.second)) << there.last.detail;
    ASSERT_EQ(there.events.size(), here.events.size());
    for (std::size_t i = 0; i < here.events.size(); ++i) {
      EXPECT_EQ(there.events[i].kind, here.events[i].kind) << i;
      EXPECT_EQ(there.events[i].contact, here.events[i].contact) << i;
      EXPECT_NEAR(there.events[i].time / u.second, here.events[i].time, 1e-9) << i;
    }
    for (const Index body : {1, 2}) {
      EXPECT_LT((there.state.position[body] / u.metre - here.state.position[body]).norm(), 1e-9);
      EXPECT_LT((there.state.velocity[body] / u.speed() - here.state.velocity[body]).norm(), 1e-8);
    }
  }
}

// Which drives contradict each other does not depend on the units either: a wheel of a micrometre
// whose two motors want speeds that differ by a thousandth.
TEST(Units, HaveNoPartInContradictions) {
  for (const Real metre : {1e-6, 1., 1e6}) {
    for (const Real speed : {3., 3.003}) {
      MachineWorld world(test::coulomb(0), Vec3::Zero());
      const Index ground = world.add_line();
      const Index slider =
          world.add_body(geometry::Sphere{0.1 * metre}, 2, 0.01 * metre * metre, {0, metre});
      world.machine->joints.push_back(
          {"guide",
           ground,
           slider,
           model::PrismaticJoint{Vec2(0, metre), Vec2::UnitX(), Vec2::Zero(), 0, 0},
           {},
           false});
      for (const auto& [name, rate] : {std::pair("left", 3.), std::pair("right", speed)}) {
        model::Drive drive;
        drive.name = name;
        drive.body_a = ground;
        drive.body_b = slider;
        drive.quantity = model::Drive::Quantity::displacement;
        drive.p_A = Vec2(0, metre);
        drive.law = model::ConstantLaw{rate * metre};
        drive.is_speed = true;
        world.machine->drives.push_back(drive);
      }
      world.options.machine.integrator = "rk4";
      world.options.machine.step = 1e-3;
      EXPECT_EQ(world.run(0.01, 0.01), speed == 3.) << metre << ' ' << world.last.detail;
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
