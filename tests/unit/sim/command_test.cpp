#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

#include <talus/record/checkpoint.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kG = 9.81;

/// A lift: 2 kg on a vertical guide, moved along it as `slide` says.
std::string lift(const std::string& slide) {
  return R"(
time: {step: 1 ms, end: 10}
solver: {tolerance: 1e-10}
bodies:
  - {name: cabin, mass: 2, shape: {box: 20 cm}}
joints:
  - {name: guide, between: [world, cabin], prismatic: {at: [0, 0, 0], axis: [0, 0, 1]})" +
         slide + "}\n";
}

const char* const kHolding =
    ", slide: {motor: {position: 0 m, stiffness: 500 N/m, damping: 60 N s/m}}";

Index index_of(const Simulation& simulation, const std::string& name) {
  const std::vector<Command>& commands = simulation.commands();
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (commands[i].name == name) return static_cast<Index>(i);
  ADD_FAILURE() << "no command " << name;
  return 0;
}

class Commands : public testing::Test {
 protected:
  scene::Scene scene(const std::string& text) const { return folder_.load(text); }
  const scene::SceneFolder folder_;
};

// A motor that holds a position carries the weight by its spring: kp (target − q) = m g.
TEST_F(Commands, APositionMotorRestsWhereItsSpringCarriesTheWeight) {
  Simulation simulation(scene(lift(kHolding)));
  ASSERT_EQ(simulation.commands().size(), 1U);
  EXPECT_EQ(simulation.commands()[0].name, "guide");
  EXPECT_EQ(simulation.commands()[0].kind, CommandKind::position);
  for (const Real target : {0.3, -0.2}) {
    simulation.command(0, target);
    for (int k = 0; k < 2000; ++k) simulation.step();
    EXPECT_NEAR(simulation.state().position[0].z(), target - 2 * kG / 500, 1e-9);
    EXPECT_TRUE(simulation.last_report().is_certified());
  }
}

// An effort changes the momentum by (F − m g) h in a step, from the step after it is given; of
// every scheme that has machines in space. To index_3, which has forces at both ends of a step, one
// that jumps does so in the middle: v lacks h ΔF/(2 m), but for what α_m/(1 − α_m) = 1/2 leaves of
// the jump in each step.
TEST_F(Commands, AnEffortActsFromTheNextStepOn) {
  constexpr Real kH = 1e-3, kMass = 2;
  constexpr int kStepsEach = 20;
  for (const char* scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra",
                             "anitescu_potra_stabilised", "index_3"}) {
    scene::Overrides overrides;
    overrides.scheme = scheme;
    Simulation simulation(folder_.load(lift(", slide: {motor: {effort: 0 N}}"), overrides));
    const bool has_both_ends = std::string_view(scheme) == "index_3";
    Real speed = 0, tolerance = 1e-11, before = 30;
    for (const Real force : {30.0, -5.0, 2 * kG}) {
      simulation.command(0, force);
      for (int k = 0; k < kStepsEach; ++k) simulation.step();
      EXPECT_TRUE(simulation.last_report().is_certified()) << scheme;
      speed += kStepsEach * kH * (force / kMass - kG);
      if (has_both_ends) {
        const Real jump = kH * (force - before) / kMass;
        speed -= jump / 2;
        tolerance += std::abs(jump) * std::pow(0.5, kStepsEach);
      }
      before = force;
      EXPECT_NEAR(simulation.state().velocity[0].z(), speed, tolerance) << scheme;
    }
  }
}

// A velocity is kept exactly; of a motor and of a drive, which goes on from where it is.
TEST_F(Commands, AVelocityIsKeptExactlyFromWhereItIs) {
  const std::string driven =
      lift("") + "drives:\n  - {name: hoist, joint: guide, speed: 0.5 m/s}\n";
  for (const std::string& text : {lift(", slide: {motor: {velocity: 0.5 m/s}}"), driven}) {
    Simulation simulation(scene(text));
    ASSERT_EQ(simulation.commands().size(), 1U);
    EXPECT_EQ(simulation.commands()[0].kind, CommandKind::velocity);
    EXPECT_EQ(simulation.commands()[0].value(0), 0.5);
    Real height = 0;
    for (const Real speed : {0.5, -1.5, 0.0, 2.0}) {
      simulation.command(0, speed);
      for (int k = 0; k < 100; ++k) {
        simulation.step();
        EXPECT_TRUE(simulation.last_report().is_certified());
      }
      height += 0.1 * speed;
      EXPECT_NEAR(simulation.state().position[0].z(), height, 1e-10) << text;
      EXPECT_NEAR(simulation.state().velocity[0].z(), speed, 1e-10) << text;
    }
  }
}

const char* const kPlanar = R"(
dimension: 2
time: {step: 1 ms, end: 10}
bodies:
  - {name: ground, fixed: true, shape: {box: [1 cm, 1 cm, 1]}}
  - {name: crank, mass: 1, shape: {box: [20 cm, 10 cm, 1]}}
  - {name: sled, mass: 3, shape: {box: [20 cm, 10 cm, 1]}, position: [5, 0, 0]}
joints:
  - {name: pin, between: [ground, crank], revolute: {at: [0, 0]}}
  - {name: rail, between: [ground, sled], prismatic: {at: [5, 0], axis: [1, 0]}}
drives:
  - {name: motor, between: [ground, crank], angular_speed: 2 rad/s}
forces:
  - {name: pusher, between: [ground, sled], point_force: {direction: [1, 0], force: 0 N}}
)";

// In the plane drives and forces have the same: sled and crank obey Newton's law and the motor.
class PlanarCommands : public Commands, public testing::WithParamInterface<const char*> {};

TEST_P(PlanarCommands, DrivesAndForcesOfThePlane) {
  scene::Overrides overrides;
  overrides.scheme = GetParam();
  Simulation simulation(folder_.load(kPlanar, overrides));
  ASSERT_EQ(simulation.commands().size(), 2U);
  simulation.command(index_of(simulation, "motor"), 3.0);
  simulation.command(index_of(simulation, "pusher"), 6.0);
  for (int k = 0; k < 100; ++k) simulation.step();
  simulation.command(index_of(simulation, "motor"), -1.0);
  for (int k = 0; k < 100; ++k) simulation.step();
  EXPECT_NEAR(simulation.state().velocity[2].x(), 0.2 * 6 / 3, 1e-12);
  EXPECT_NEAR(simulation.state().angular_velocity[1].z(), -1, 1e-9);
  const Quat& q = simulation.state().orientation[1];
  EXPECT_NEAR(2 * std::atan2(q.z(), q.w()), 0.3 - 0.1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Schemes, PlanarCommands,
                         testing::Values("moreau_jean", "moreau_midpoint", "stewart_trinkle",
                                         "event_driven"),
                         [](const auto& test) { return std::string(test.param); });

const char* const kBed = R"(
time: {step: 1 ms, end: 10}
contacts: {default: {friction: 0.5}}
scheme: {sleeping: true}
solver: {tolerance: 1e-6}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: grains
    density: 2500
    lattice: {shape: {sphere: 10 mm}, count: [3, 3, 2], spacing: 21 mm, origin: [0, 0, 12 mm], jitter: 0.3 mm}
  - {name: box, density: 700, shape: {box: 30 mm}, position: [0.2, 0, 0.02], velocity: [1, 0, 0]}
)";

const char* const kPouring = R"(
time: {step: 1 ms, end: 10}
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: grains
    density: 2500
    source: {shape: {sphere: 2 cm}, count: 60, rate: 200, region: {min: [0, 0, 0.1], max: [0.2, 0.2, 0.2]}}
sinks:
  - {name: pit, bodies: grains, region: {min: [-10, -10, 0], max: [10, 0.07, 10]}}
)";

// From a snapshot a run goes as it went, bit for bit: from its start, and from its middle, with
// what was commanded there and whom sources had put in; what it counts it counts from there.
TEST_F(Commands, ARestoredRunGoesAsItWent) {
  for (const std::string& text :
       {std::string(kBed), std::string(kPlanar), lift(kHolding), std::string(kPouring)}) {
    Simulation simulation(scene(text));
    const auto run = [&](int steps) {
      for (int k = 0; k < steps; ++k) simulation.step();
      return simulation.state().hash();
    };
    const Simulation::Snapshot start = simulation.snapshot();
    if (!simulation.commands().empty()) simulation.command(0, 0.4);
    run(200);
    const Simulation::Snapshot middle = simulation.snapshot();
    const std::uint64_t end = run(200);
    const Summary straight = simulation.summary();
    if (!simulation.commands().empty()) simulation.command(0, -3);
    run(50);
    simulation.restore(middle);
    EXPECT_EQ(simulation.summary().steps, 200);
    EXPECT_EQ(run(200), end) << text;
    simulation.restore(start);
    EXPECT_EQ(simulation.state().time, 0);
    if (!simulation.commands().empty()) {
      simulation.command(0, 0.4);
    }
    EXPECT_EQ(run(400), end) << text;
    const Summary again = simulation.summary();
    EXPECT_EQ(again.population.in.bodies, straight.population.in.bodies) << text;
    EXPECT_EQ(again.population.out.bodies, straight.population.out.bodies) << text;
    EXPECT_EQ(again.iterations.total, straight.iterations.total) << text;
    EXPECT_EQ(again.energy.max_rise_in_a_step, straight.energy.max_rise_in_a_step) << text;
  }
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
