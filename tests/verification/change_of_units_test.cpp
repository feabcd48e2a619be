// A machine in other units is the same machine: mechanics knows no metre, no kilogram and no
// second, so a scheme must know none either. Units that are powers of two change no digit of a
// number, and states must agree in every bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/classic_machines.hpp"
#include "support/units.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using model::kWorld;
using test::Mechanism;
using test::SpatialMachineWorld;
using test::Units;

/// Each unit by itself, and small and large ones together.
std::vector<Units> all_units() {
  const auto power = [](int length, int mass, int time) {
    return Units{std::ldexp(1.0, length), std::ldexp(1.0, mass), std::ldexp(1.0, time)};
  };
  return {power(-10, 0, 0), power(10, 0, 0),  power(0, 21, 0),      power(0, -21, 0),
          power(0, 0, 12),  power(0, 0, -12), power(-20, -60, -10), power(20, 60, 10),
          power(30, -7, 3), power(-30, 7, -3)};
}

/// The coordinates and velocities of all bodies in the old units, one number after another.
std::vector<Real> numbers(const model::State& state, const Units& units) {
  std::vector<Real> all;
  const auto add = [&](const auto& x, Real unit) {
    for (const Real value : x) all.push_back(value / unit);
  };
  for (Index i = 0; i < state.body_count(); ++i) {
    add(state.position[i], units.length);
    add(state.orientation[i].coeffs(), 1);
    add(state.velocity[i], units.speed());
    add(state.angular_velocity[i], 1 / units.time);
  }
  return all;
}

constexpr int kSteps = 200;

/// Where a machine is after some steps, all of them certified, in the old units.
std::vector<Real> end_of(SpatialMachineWorld world, Real h, const Units& units,
                         const char* scheme) {
  change_units(world, units);
  h *= units.time;
  EXPECT_EQ(world.run(scheme, kSteps * h, h), 0) << world.first_failure;
  return numbers(world.state, units);
}

std::vector<Real> end_of(Mechanism flat, Real h, const Units& units, const char* name) {
  change_units(flat, units);
  const auto scheme = stepping::make_scheme(flat.model, test::options(name, 1e-6));
  for (int k = 0; k < kSteps; ++k) {
    const stepping::StepReport report = scheme->step(flat.state, h * units.time);
    EXPECT_TRUE(report.is_certified()) << k << ": " << report.detail;
  }
  return numbers(flat.state, units);
}

Real largest_difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  Real largest = 0;
  for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// @param make a machine, which may depend on the units it will be in.
template <class Make>
void expect_equal_in_all_units(Make make, Real h, const char* scheme = "index_3") {
  const auto end = [&](const Units& units) {
    if constexpr (requires { make(units); })
      return end_of(make(units), h, units, scheme);
    else
      return end_of(make(), h, units, scheme);
  };
  const std::vector<Real> expected = end({});
  for (const Units& units : all_units())
    EXPECT_EQ(largest_difference(end(units), expected), 0)
        << "units of length " << units.length << ", mass " << units.mass << ", time " << units.time;
}

/// A link on a ball joint, thrown.
SpatialMachineWorld pendulum() {
  SpatialMachineWorld world;
  const Index link =
      world.add_body(0.7, Vec3(1e-3, 5e-3, 6e-3).asDiagonal(), Vec3(0.21, 0.02, 0.1));
  world.add_joint(model::ball_joint(), kWorld, link, Vec3::Zero());
  world.state.angular_velocity[link] = Vec3(0.3, -1, 2);
  world.state.velocity[link] = world.state.angular_velocity[link].cross(world.state.position[link]);
  return world;
}

/// Two bodies that slide and turn on springs, dampers, a bushing and an armature.
SpatialMachineWorld springs() {
  SpatialMachineWorld world;
  const Mat3 inertia = Vec3(2e-3, 3e-3, 4e-3).asDiagonal();
  const Index cart = world.add_body(1.3, inertia, Vec3(0.1, 0, 0));
  const Index arm = world.add_body(0.4, inertia, Vec3(0.1, 0, -0.2));
  const Index free = world.add_body(0.2, inertia, Vec3(0.5, 0.1, -0.2));
  const Index rail =
      world.add_joint(model::prismatic_joint(), kWorld, cart, Vec3::Zero(), Vec3::UnitX());
  const Index hinge =
      world.add_joint(model::revolute_joint(), cart, arm, Vec3(0.1, 0, 0), Vec3::UnitY());
  model::AxisLaw slide;
  slide.axis = model::Freedom::z;
  slide.stiffness = 90;
  slide.rest = 0.05;
  slide.damping = 0.7;
  world.machine->joints[static_cast<std::size_t>(rail)].axes.push_back(slide);
  model::AxisLaw turn;
  turn.stiffness = 1.5;
  turn.armature = 0.01;
  world.machine->joints[static_cast<std::size_t>(hinge)].axes.push_back(turn);
  model::LineElement line;
  line.p_B = Vec3(0.02, 0, 0.01);
  line.stiffness = 40;
  line.rest_length = 0.3;
  line.damping = 0.2;
  world.machine->forces.push_back({"line", arm, free, line});
  model::Bushing bushing;
  bushing.X_AJ.p = Vec3(0.5, 0.1, 0);
  bushing.X_BJ.p = Vec3(0, 0, 0.2);
  bushing.stiffness.diagonal() << 50, 60, 70, 3, 2, 1;
  bushing.damping.diagonal() << 1, 1, 1, 0.01, 0.01, 0.01;
  world.machine->forces.push_back({"bushing", kWorld, free, bushing});
  return world;
}

/// A body of three inertias that turns about nearly the middle one, and moves.
SpatialMachineWorld free_top() {
  SpatialMachineWorld world(Vec3::Zero());
  const Index top = world.add_body(1, Vec3(0.02, 0.04, 0.05).asDiagonal(), Vec3::Zero());
  world.state.angular_velocity[top] = Vec3(1e-2, 8, 0);
  world.state.velocity[top] = Vec3(0.1, 0, 0);
  return world;
}

/// A hinge and a slide that a rack couples, with a coefficient in 1/m, and a driven slide.
SpatialMachineWorld rack(const Units& units) {
  SpatialMachineWorld world;
  const Mat3 inertia = Vec3(2e-3, 3e-3, 4e-3).asDiagonal();
  const Index wheel = world.add_body(1.1, inertia, Vec3(0.02, 0, 0.3));
  const Index bar = world.add_body(0.6, inertia, Vec3(0, 0.1, 0));
  const Index slider = world.add_body(0.9, inertia, Vec3(0.3, 0, 0));
  model::Coupling coupling;
  coupling.terms = {
      {world.add_joint(model::revolute_joint(), kWorld, wheel, Vec3(0, 0, 0.3), Vec3::UnitY()),
       model::Freedom::turn_z, 1},
      {world.add_joint(model::prismatic_joint(), kWorld, bar, Vec3::Zero(), Vec3::UnitX()),
       model::Freedom::z, 12 / units.length}};
  world.machine->couplings.push_back(coupling);
  model::SpatialDrive drive;
  drive.joint = world.add_joint(model::prismatic_joint(), bar, slider, Vec3::Zero(), Vec3::UnitX());
  drive.axis = model::Freedom::z;
  drive.law = model::HarmonicLaw{0, 0.05, 2, 0};
  world.machine->drives.push_back(drive);
  return world;
}

// A link on a ball joint.
TEST(ChangeOfUnits, PendulumIsTheSame) { expect_equal_in_all_units(pendulum, 1e-3); }

// Constraints of forces and of moments, whose multipliers have different units.
TEST(ChangeOfUnits, ChainIsTheSame) { expect_equal_in_all_units(test::chain_of_three, 1e-3); }

// Forces that are functions of places and velocities, and inertia along an axis.
TEST(ChangeOfUnits, SpringsAreTheSame) { expect_equal_in_all_units(springs, 1e-3); }

// A body without constraints, which turns faster than it goes.
TEST(ChangeOfUnits, FreeTopIsTheSame) { expect_equal_in_all_units(free_top, 1e-3); }

// A closed loop with a drive, whose start does not meet the rates and is corrected.
TEST(ChangeOfUnits, DrivenLoopIsTheSame) { expect_equal_in_all_units(test::slider_crank, 1e-3); }

// Couplings of axes that are counted in different units.
TEST(ChangeOfUnits, RackIsTheSame) { expect_equal_in_all_units(rack, 1e-3); }

// More constraints than there are independent ones: the smallest multipliers are the same.
TEST(ChangeOfUnits, RedundantLoopIsTheSame) { expect_equal_in_all_units(test::bricard_loop, 1e-3); }

// The same by events, to round-off: D of the constraints is scaled with roots of masses.
TEST(ChangeOfUnits, RedundantLoopByEventsIsTheSame) {
  const std::vector<Real> expected = end_of(test::bricard_loop(), 1e-3, {}, "event_driven");
  for (const Units& units : all_units()) {
    const std::vector<Real> found = end_of(test::bricard_loop(), 1e-3, units, "event_driven");
    EXPECT_LT(largest_difference(found, expected), 1e-13)
        << "units of length " << units.length << ", mass " << units.mass << ", time " << units.time;
  }
}

// Two closed loops in the plane.
TEST(ChangeOfUnits, FourBarLoopsInThePlaneAreTheSame) {
  expect_equal_in_all_units(test::double_four_bar, 1e-3);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
