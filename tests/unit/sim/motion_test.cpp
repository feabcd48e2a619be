#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include <talus/sim/simulation.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;

// After k steps a prescribed pose is the law's at t₀ + k h, bit for bit: 10 000 steps of a drum and
// a shaker leave no drift; and the velocity of a step is the one that makes it.
TEST(PrescribedMotion, HasNoDrift) {
  const scene::SceneFolder folder;
  Simulation simulation(folder.load(R"(
time: {step: 1 ms, end: 10 s}
bodies:
  - name: blade
    shape: {box: [1, 0.2, 0.2]}
    position: [2, 0, 0]
    motion: {rotation: {axis: [0, 0, 2], through: [1, 0, 0], speed: 60 rpm}, shake: {amplitude: [0, 0, 1 cm], frequency: 50}}
  - {name: belt, motion: kinematic, shape: {box: 1}, position: [0, 0, 9], velocity: [0.1, 0, 0],
     angular_velocity: [0, 0, 0.3]}
)"));
  const model::Motion motion = simulation.scene().model.motions.at(0);
  Real worst = 0;
  Vec3 before = simulation.state().position[0] + 1e-3 * simulation.state().velocity[0];
  while (simulation.step()) {
    const model::State& state = simulation.state();
    const Pose law = model::pose_at(motion, state.time);
    ASSERT_EQ(state.position[0], law.p);
    ASSERT_EQ(state.orientation[0].coeffs(), law.q.coeffs());
    worst = std::max(worst, (state.position[0] - before).norm());
    before = state.position[0] + 1e-3 * state.velocity[0];  // where the velocity takes it
  }
  EXPECT_LE(worst, 1e-14);
  EXPECT_LE((simulation.state().position[0] - Vec3(2, 0, 0)).norm(), 1e-12) << "ten turns";
  EXPECT_LE((simulation.state().angular_velocity[0] - Vec3(0, 0, 2 * kPi)).norm(), 1e-9);
  EXPECT_LE((simulation.state().position[1] - Vec3(1, 0, 9)).norm(), 1e-14);
  EXPECT_LE(simulation.state().orientation[1].angularDistance(rotation_exp(Vec3(0, 0, 3))), 1e-14);
}

// A ball on a piston that moves sinusoidally with less than g stays on it: its height is that of
// the piston's top to the slop.
TEST(PrescribedMotion, CarriesWhatLiesOnIt) {
  const scene::SceneFolder folder;
  Simulation simulation(folder.load(R"(
time: {step: 1 ms, end: 2 s}
bodies:
  - {name: piston, shape: {plane: {}}, motion: {shake: {amplitude: [0, 0, 5 cm], frequency: 2}}}
  - {name: ball, shape: {sphere: 10 cm}, mass: 1, position: [0, 0, 10 cm]}
)"));
  ASSERT_LT(0.05 * std::pow(4 * kPi, 2), 9.81) << "or the ball must take off";
  Real worst = 0;
  while (simulation.step())
    worst = std::max(worst, std::abs(simulation.state().position[1].z() - 0.1 -
                                     simulation.state().position[0].z()));
  EXPECT_EQ(simulation.summary().uncertified_steps, 0);
  EXPECT_LE(worst, 1.01e-4) << "a thousandth of the radius";
}

// A body on a ball joint of a base that turns starts with the velocities that it is given, as they
// are those of the joint's point, which moves: nothing strikes, m Ω² a is all that the joint bears.
TEST(PrescribedMotion, TakesItsJointsAlong) {
  const scene::SceneFolder folder;
  Simulation simulation(folder.load(R"(
time: {step: 0.1 ms, end: 1 ms}
gravity: [0, 0, 0]
bodies:
  - {name: base, motion: {rotation: {axis: [0, 0, 1], speed: 3}}, shape: {box: 0.1}, collides: false}
  - {name: bob, shape: {box: 0.1}, mass: 1 kg, inertia: [0.02, 0.03, 0.04], position: [1, 0, 0.3],
     velocity: [0, 3, 0], angular_velocity: [0, 0, 3], collides: false}
joints:
  - {name: h, between: [base, bob], ball: {at: [0.8, 0, 0]}}
)"));
  EXPECT_LE((simulation.state().velocity[1] - Vec3(0, 3, 0)).norm(), 1e-12);
  EXPECT_LE((simulation.state().angular_velocity[1] - Vec3(0, 0, 3)).norm(), 1e-12);
  const Real start = simulation.summary().energy.initial;
  simulation.run();
  EXPECT_EQ(simulation.summary().uncertified_steps, 0);
  EXPECT_NEAR(simulation.summary().energy.final, start, 1e-3 * start);
}

// A gate that opens at a time lets fall what lies on it from then on, not before.
TEST(PrescribedMotion, AGateOpensAtItsTime) {
  const scene::SceneFolder folder;
  Simulation simulation(folder.load(R"(
time: {step: 1 ms, end: 0.5 s}
bodies:
  - name: gate
    shape: {box: [1, 1, 0.1]}
    position: [0, 0, -0.05]
    motion: {table: {times: [0.2, 0.201], displacements: [[0, 0, 0], [5, 0, 0]]}}
  - {name: ball, shape: {sphere: 10 cm}, mass: 1, position: [0, 0, 10 cm]}
)"));
  while (simulation.step() && simulation.state().time < 0.2)
    ASSERT_NEAR(simulation.state().position[1].z(), 0.1, 1.01e-4);
  while (simulation.step()) {
  }
  const Real fall = 0.5 * 9.81 * 0.3 * 0.3;
  EXPECT_NEAR(simulation.state().position[1].z(), 0.1 - fall, 9.81 * 0.3 * 2e-3);
}

// A platform that goes up and back by d in a time τ each, less than a step, throws a ball at
// (1 + e) d/τ, wherever that lies in the steps: in space as in the plane.
TEST(PrescribedMotion, AJerkWithinAStepThrows) {
  constexpr Real kSpeed = 9.8;
  const auto thrown = [](const std::string& scheme, Index dimension, Real e, Real begin) {
    const bool is_planar = dimension == 2;
    const char* text = is_planar ? R"(
bodies:
  - {name: base, shape: {box: [1, 0.2]}, position: [0, -0.1], motion: {table: {
     times: [0, T0, T1, T2], displacements: [[0, 0], [0, 0], [0, 9.8e-4], [0, 0]]}}}
  - {name: ball, shape: {disc: 10 cm}, mass: 1, position: [0, 0.1]}
)"
                                 : R"(
bodies:
  - {name: base, shape: {box: [1, 1, 0.2]}, position: [0, 0, -0.1], motion: {table: {
     times: [0, T0, T1, T2], displacements: [[0, 0, 0], [0, 0, 0], [0, 0, 9.8e-4], [0, 0, 0]]}}}
  - {name: ball, shape: {sphere: 10 cm}, mass: 1, position: [0, 0, 0.1]}
)";
    std::string scene = fmt::format(
        "dimension: {}\ngravity: {}\nscheme: {}\ntime: {{step: 1 ms, end: 20 ms}}\n"
        "contacts: {{default: {{friction: 0, restitution: {}}}}}\n{}",
        dimension, is_planar ? "[0, 0]" : "[0, 0, 0]", scheme, e, text);
    for (int k = 0; k < 3; ++k)
      scene.replace(scene.find(fmt::format("T{}", k)), 2, fmt::format("{}", begin + k * 1e-4));
    const scene::SceneFolder folder;
    Simulation simulation(folder.load(scene));
    while (simulation.step()) EXPECT_TRUE(simulation.last_report().is_certified());
    return simulation.state().velocity[1][is_planar ? 1 : 2];
  };
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
    for (const Index dimension : {2, 3})
      for (const Real e : {0.0, 0.5})
        for (const Real begin : {0.0103, 0.01, 0.00995})
          EXPECT_NEAR(thrown(scheme, dimension, e, begin), (1 + e) * kSpeed, 1e-6 * kSpeed)
              << scheme << ' ' << dimension << ' ' << e << ' ' << begin;
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
