// Tendons through sites and cones of balls, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/sim/simulation.hpp>
#include <talus/stepping/assembly.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

using model::Freedom;

constexpr Real kG = 9.81;
/// Of the mass that a tendon moves, its drum has this share at most.
constexpr Real kShareOfDrum = 1e-6;

struct Moved {
  scene::SceneFolder folder;
  Simulation simulation;
  Moved(const std::string& world, const std::string& rest, Real end)
      : simulation(scene::load(folder.write("robot.xml", "<mujoco><worldbody>" + world +
                                                             "</worldbody>" + rest + "</mujoco>"),
                               until(end))) {
    EXPECT_EQ(simulation.run().uncertified_steps, 0);
  }
  static scene::Overrides until(Real end) {
    scene::Overrides overrides;
    overrides.end_time = end;
    return overrides;
  }
  [[nodiscard]] Index body(const char* name) const {
    return simulation.scene().model.find_body(name);
  }
  [[nodiscard]] Real coordinate(const std::string& name, Freedom axis) const {
    const auto& joints = simulation.scene().model.spatial_machine->joints;
    for (std::size_t i = 0; i < joints.size(); ++i)
      if (joints[i].name == name)
        return stepping::joint_coordinate(simulation.scene().model, simulation.state(),
                                          static_cast<Index>(i), axis);
    ADD_FAILURE() << name;
    return 0;
  }
};

// Atwood's machine: over two guides the weights m and M have the acceleration g (M − m)/(M + m),
// and the cord keeps its length.
TEST(Tendons, DriveAtwoodsMachine) {
  constexpr Real kEnd = 0.25;
  const Moved run(R"(<site name="a" pos="0 0 3"/><site name="b" pos="1 0 3"/>
    <body name="m" pos="0 0 1"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="1"/>
      <site name="m"/></body>
    <body name="M" pos="1 0 2"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="2"/>
      <site name="M"/></body>)",
                  R"(<tendon><spatial name="cord" range="0 4"><site site="m"/><site site="a"/>
      <site site="b"/><site site="M"/></spatial></tendon>)",
                  kEnd);
  const Real speed = kG / 3 * kEnd;
  const model::State& state = run.simulation.state();
  EXPECT_NEAR(state.velocity[run.body("m")].z(), speed, kShareOfDrum * speed);
  EXPECT_NEAR(state.velocity[run.body("M")].z(), -speed, kShareOfDrum * speed);
  const Real length = run.coordinate("tendon cord, line 1", Freedom::z) +
                      run.coordinate("tendon cord, line 3", Freedom::z);
  EXPECT_NEAR(length, 3, 1e-9);
}

// Behind a pulley with the divisor 2 the weight moves half as fast, and 1/2 its weight balances.
TEST(Tendons, ArePulledTwiceBehindAPulley) {
  const Moved run(R"(<site name="a" pos="0 0 3"/><site name="b" pos="1 0 3"/>
    <body name="m" pos="0 0 1"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="2"/>
      <site name="m"/></body>
    <body name="M" pos="1 0 2"><joint type="slide" axis="0 0 1"/><geom size="0.05" mass="1"/>
      <site name="M"/></body>)",
                  R"(<tendon><spatial range="0 2.5"><site site="m"/><site site="a"/>
      <pulley divisor="2"/><site site="b"/><site site="M"/></spatial></tendon>)",
                  0.2);
  // The length is l + L/2: the accelerations are a and −2 a, and m a + 4 M a = (m − 2 M) g, here 0.
  const model::State& state = run.simulation.state();
  EXPECT_LT(state.velocity[run.body("m")].norm(), 1e-6);
  EXPECT_LT(state.velocity[run.body("M")].norm(), 1e-6);
}

// A ring on a cord of the length L between hooks at ±d hangs at the depth √(L²/4 − d²) below them;
// the cord turns with it.
TEST(Tendons, HangARingInTheMiddle) {
  const Moved run(R"(<site name="a" pos="-0.6 0 2"/><site name="b" pos="0.6 0 2"/>
    <body name="ring" pos="0 0 1.2"><freejoint/><geom size="0.05" mass="3"/><site name="r"/></body>)",
                  R"(<tendon><spatial range="0 2"><site site="a"/><site site="r"/><site site="b"/>
      </spatial></tendon>)",
                  0.2);
  const Vec3 place = run.simulation.state().position[run.body("ring")];
  EXPECT_LT((place - Vec3(0, 0, 2 - std::sqrt(1 - 0.36))).norm(), 1e-6);
}

// A rod that is given level on a ball joint with a cone of 40° falls to 40° and stays there; what
// turns it on about the vertical does not matter.
TEST(Tendons, EndAtTheCone) {
  const Moved run(
      R"(<body name="rod" pos="0 0 1"><joint name="j" type="ball" range="0 40" damping="0.3"/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/></body>)",
      "", 2);
  EXPECT_NEAR(run.coordinate("j, rotation", Freedom::turn_z), 40 * std::numbers::pi / 180, 1e-6);
  EXPECT_LT(run.simulation.state().angular_velocity[run.body("rod")].norm(), 1e-6);
}

// The spring k of a ball joint holds a rod at the angle θ from level where k θ = m g (l/2) cos θ.
TEST(Tendons, HangOnTheSpringOfABall) {
  constexpr Real kAngle = std::numbers::pi / 6, kLength = 0.4;
  const Real stiffness = kG * kLength / 2 * std::cos(kAngle) / kAngle;
  const Moved run(
      R"(<body name="rod" pos="0 0 1"><joint name="j" type="ball" damping="0.8" stiffness=")" +
          fmt::format("{}", stiffness) + R"("/>
    <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.02" mass="1"/></body>)",
      "", 3);
  EXPECT_NEAR(run.coordinate("j, rotation", Freedom::turn_z), kAngle, 1e-6);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
