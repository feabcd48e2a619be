// What is told of machines that gain energy which neither contacts nor motors give.
#include <gtest/gtest.h>

#include <string>

#include <talus/dynamics/energy.hpp>
#include <talus/sim/simulation.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

/// Two bodies on ball joints through their centres of mass, so that gravity does no work, with a
/// torsion spring between them whose axes come to be opposed, where an explicit twist jumps.
std::string machine(const std::string& base, const std::string& law) {
  return R"(
time: {step: 10 ms, end: 10 s}
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, motion: fixed, shape: {plane: {}}}
  - {name: base, shape: {box: [1, 1, 0.2]}, position: [0.4, 0.25, 0.1], )" +
         base + R"(}
  - {name: p, shape: {box: [40 cm, 30 cm, 5 cm]}, mass: 1 kg, position: [0.3, 0.1, 1], collides: false,
     angular_velocity: [2, 1, 0.5]}
  - {name: q, shape: {box: [10 cm, 30 cm, 15 cm]}, mass: 0.5 kg, position: [0.5, 0.4, 1], collides: false,
     angular_velocity: [-1, 2, 3]}
joints:
  - {name: jp, between: [base, p], ball: {at: [0.3, 0.1, 1]})" +
         law + R"(}
  - {name: jq, between: [base, q], ball: {at: [0.5, 0.4, 1]}}
forces:
  - {name: b, between: [p, q], torsion_spring: {axis: [0, 0, 1], stiffness: 2}}
)";
}

/// Steps refused for their energy; no certified one gains a tenth of what is at stake (T and U
/// before and after are below 0.3 J).
int refused(const std::string& text) {
  scene::SceneFolder folder;
  Simulation simulation(scene::load(folder.write("scene.yaml", text)));
  const auto energy = [&] {
    return dynamics::energy(simulation.scene().model, simulation.state()).total();
  };
  int count = 0;
  for (Real before = energy(); simulation.step(); before = energy()) {
    const stepping::StepReport& report = simulation.last_report();
    if (report.is_certified())
      EXPECT_LE(energy() - before, 0.03) << simulation.state().time;
    else
      count += report.detail.find("the energy rises") != std::string::npos ? 1 : 0;
  }
  return count;
}

// Nothing gives a machine energy because it stands on the ground, or has a motor: steps in which
// the twist of a spring jumps are refused of the same machine on a base that is fixed, with a motor
// of no effort, which changes nothing, with one of little, and on a base that stands. (Only the
// first were.)
TEST(EnergyVerdict, StandingAndIdleMotorsGiveNothing) {
  const int alone = refused(machine("motion: fixed", ""));
  EXPECT_GT(alone, 0);
  EXPECT_EQ(refused(machine("motion: fixed", ", turn_x: {motor: {effort: 0 N m}}")), alone);
  EXPECT_GT(refused(machine("motion: fixed", ", turn_x: {motor: {effort: 1e-12 N m}}")), 0);
  EXPECT_GT(refused(machine("mass: 100 kg", "")), 0);
}

// What a motor, a hit or a lift gives is theirs: a wheel that a motor turns up on a base that falls
// on the floor and bounces is certified in every step.
TEST(EnergyVerdict, WorkOfMotorsAndContactsIsNoGain) {
  const std::string text = R"(
time: {step: 2 ms, end: 2 s}
contacts: {default: {friction: 0.5, restitution: 0.7}}
bodies:
  - {name: floor, motion: fixed, shape: {plane: {}}}
  - {name: base, shape: {box: [0.4, 0.3, 0.2]}, mass: 2 kg, position: [0, 0, 0.5], angular_velocity: [1, 2, 0]}
  - {name: wheel, shape: {sphere: 5 cm}, mass: 0.5 kg, position: [0, 0, 0.8], collides: false}
joints:
  - {name: j, between: [base, wheel], revolute: {at: [0, 0, 0.8], axis: [1, 0, 0]}, turn: {armature: 0.01, motor: {effort: 3 N m}}}
)";
  scene::SceneFolder folder;
  Simulation simulation(scene::load(folder.write("scene.yaml", text)));
  const Real before = dynamics::energy(simulation.scene().model, simulation.state()).kinetic;
  while (simulation.step())
    ASSERT_TRUE(simulation.last_report().is_certified()) << simulation.last_report().detail;
  EXPECT_GT(dynamics::energy(simulation.scene().model, simulation.state()).kinetic, before + 10);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
