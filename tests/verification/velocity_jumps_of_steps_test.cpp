#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <talus/scene/scene.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>

#include <unit/scene/scene_folder.hpp>

// Where a prescribed motion or a drive jumps in its velocity, within a step or between two, what
// lies on it or hangs from it rebounds as from any other impact: restitution is of the velocities
// with which bodies approach after the jump.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kGravity = 9.81, kStep = 1e-3, kEnd = 0.03;
constexpr Real kCarrier = 10, kLoad = 1;  // [kg]

scene::Scene load(const std::string& text) { return scene::SceneFolder().load(text); }

struct Case {
  int dimension;
  const char* scheme;
  bool by_drive;
  Real kink, restitution;
  [[nodiscard]] std::string name() const {
    return fmt::format("{} in {}D by a {}, at {} ms, e = {}", scheme, dimension,
                       by_drive ? "drive" : "motion", 1e3 * kink, restitution);
  }
};

template <class F>
void for_all(std::initializer_list<bool> by_drive, F&& f) {
  for (const int dimension : {2, 3})
    for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
      for (const bool by : by_drive)
        for (const Real kink : {10e-3, 10.25e-3, 10.5e-3, 10.9e-3})
          for (const Real e : {0.0, 0.5, 1.0}) f(Case{dimension, scheme, by, kink, e});
}

/// A floor that starts to rise at 1 m/s, with a ball on it.
scene::Scene rising_floor(const Case& of) {
  const bool is_planar = of.dimension == 2;
  const std::string up = is_planar ? "[0, 1]" : "[0, 0, 1]";
  std::string text = fmt::format(
      "title: a floor rises\ndimension: {}\nscheme: {}\ntime: {{step: 1 ms, end: 30 ms}}\n"
      "contacts: {{default: {{restitution: {}}}}}\nbodies:\n"
      "  - {{name: ball, shape: {{{}: 5 cm}}, mass: {}, position: {}}}\n"
      "  - {{name: floor, shape: {}, position: {}, ",
      of.dimension, of.scheme, of.restitution, is_planar ? "disc" : "sphere", kLoad,
      is_planar ? "[0, 5 cm, 0]" : "[0, 0, 5 cm]",
      is_planar ? "{polygon: {corners: [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}}"
                : "{box: [2, 2, 0.1]}",
      is_planar ? "[0, -0.05, 0]" : "[0, 0, -0.05]");
  if (!of.by_drive)
    return load(text + fmt::format("motion: {{table: {{times: [0, {0}, {1}], displacements: [[0, "
                                   "0, 0], [0, 0, 0], {2}]}}}}}}\n",
                                   of.kink, 1 + of.kink, is_planar ? "[0, 1, 0]" : "[0, 0, 1]"));
  text += fmt::format("mass: {}}}\n", kCarrier);
  if (is_planar)
    text += "  - {name: base, motion: fixed, shape: {disc: 1 cm}, position: [0, -3, 0]}\n";
  return load(text +
              fmt::format("joints:\n  - {{name: guide, between: [{0}, floor], prismatic: "
                          "{{at: {1}, axis: {2}}}}}\ndrives:\n  - {{name: lift, {3}, "
                          "displacement: {{times: [0, {4}, {5}], values: [{6}, {6}, {7}]}}}}\n",
                          is_planar ? "base" : "world", is_planar ? "[0, 0]" : "[0, 0, 0]", up,
                          is_planar ? "between: [base, floor], axis: [0, 1]" : "joint: guide",
                          of.kink, 1 + of.kink, is_planar ? 2.95 : 0, is_planar ? 3.95 : 1));
}

/// v = (1 + e) u − g t at the end: of the time since the jump at most two steps are without
/// gravity, before the impact and in its own step. Without restitution the ball goes with the
/// floor, v = u.
void expect_thrown(const Case& of, sim::Simulation& run) {
  while (run.step()) {
  }
  EXPECT_EQ(run.summary().uncertified_steps, 0) << of.name();
  const Real fall = of.restitution > 0 ? kGravity * (kEnd - of.kink) : 0;
  const Real v = run.state().velocity[0][of.dimension - 1];
  EXPECT_NEAR(v, 1 + of.restitution - fall, 2 * kGravity * kStep) << of.name();
}

// A floor that rises strikes the ball on it, given as a motion or by a drive.
TEST(VelocityJumpsOfSteps, AFloorThatRisesStrikes) {
  for_all({false, true}, [](const Case& of) {
    sim::Simulation run(rising_floor(of));
    expect_thrown(of, run);
  });
}

// The drive's efforts have all momentum: Σ h F = Σ m v + Σ m g t, jumps included.
TEST(VelocityJumpsOfSteps, TheDriveBearsTheJump) {
  for_all({true}, [](const Case& of) {
    sim::Simulation run(rising_floor(of));
    const auto drive = static_cast<std::size_t>(1);  // behind the one joint
    Real impulse = 0;
    for (bool more = true; more;) {
      more = run.step();
      impulse += kStep * run.scheme().reactions()[drive].effort;
    }
    const std::vector<Vec3>& v = run.state().velocity;
    const Real momentum = kLoad * v[0][of.dimension - 1] + kCarrier * v[1][of.dimension - 1];
    EXPECT_NEAR(impulse, momentum + (kLoad + kCarrier) * kGravity * kEnd, 1e-9) << of.name();
  });
}

// A drive that is told another rate jumps too, after however many steps.
TEST(VelocityJumpsOfSteps, ACommandStrikes) {
  for_all({true}, [](Case of) {
    const int steps = of.kink > 10.4e-3 ? 11 : (of.kink > 10e-3 ? 5 : 10);
    of.kink = kStep * steps;
    scene::Scene scene = rising_floor(of);
    if (of.dimension == 2) {
      auto machine = std::make_shared<model::Machine>(*scene.model.machine);
      machine->drives[0].law = model::ConstantLaw{0};
      machine->drives[0].is_speed = true;
      machine->drives[0].start = 2.95;
      scene.model.machine = machine;
    } else {
      auto machine = std::make_shared<model::SpatialMachine>(*scene.model.spatial_machine);
      machine->drives[0].law = model::ConstantLaw{0};
      machine->drives[0].is_rate = true;
      scene.model.spatial_machine = machine;
    }
    sim::Simulation run(std::move(scene));
    for (int i = 0; i < steps; ++i) (void)run.step();
    run.command(0, 1);
    expect_thrown(of, run);
  });
}

// What a moving body carries by a joint strikes like the body itself.
TEST(VelocityJumpsOfSteps, AFloorOnAMovingBodyStrikes) {
  for_all({false}, [](const Case& of) {
    const bool is_planar = of.dimension == 2;
    sim::Simulation run(load(fmt::format(
        R"(title: a floor on a carrier
dimension: {0}
scheme: {1}
time: {{step: 1 ms, end: 30 ms}}
contacts: {{default: {{restitution: {2}}}}}
bodies:
  - {{name: ball, shape: {3}, mass: 1, position: {4}}}
  - {{name: floor, shape: {5}, position: {6}, mass: 10}}
  - {{name: carrier, shape: {3}, position: {7}, motion: {{table: {{times: [0, {8}, {9}], displacements: [[0, 0, 0], [0, 0, 0], {10}]}}}}}}
joints:
  - {{name: weld, between: [carrier, floor], weld: {{at: {11}}}}}
)",
        of.dimension, of.scheme, of.restitution, is_planar ? "{disc: 5 cm}" : "{sphere: 5 cm}",
        is_planar ? "[0, 0.05, 0]" : "[0, 0, 0.05]",
        is_planar ? "{polygon: {corners: [[-1, -0.1], [1, -0.1], [1, 0], [-1, 0]]}}"
                  : "{box: [2, 2, 0.1]}",
        is_planar ? "[0, -0.05, 0]" : "[0, 0, -0.05]", is_planar ? "[0, -2, 0]" : "[0, 0, -2]",
        of.kink, 1 + of.kink, is_planar ? "[0, 1, 0]" : "[0, 0, 1]",
        is_planar ? "[0, -2]" : "[0, 0, -2]")));
    expect_thrown(of, run);
  });
}

// A box that has fallen asleep on a floor is struck as if awake.
TEST(VelocityJumpsOfSteps, SleepersAreStruck) {
  constexpr Real kAfter = 0.02;
  for (const Real kink : {1.0, 1.00025})
    for (const bool sleeps : {false, true}) {
      sim::Simulation run(load(fmt::format(
          R"(title: a floor with a box asleep
scheme: {{sleeping: {0}}}
time: {{step: 1 ms, end: {1}}}
contacts: {{default: {{restitution: 0.5}}}}
bodies:
  - {{name: box, shape: {{box: 0.1}}, mass: 1, position: [0, 0, 0.05]}}
  - {{name: floor, shape: {{box: [2, 2, 0.1]}}, mass: 10, position: [0, 0, -0.05]}}
joints:
  - {{name: guide, between: [world, floor], prismatic: {{at: [0, 0, 0], axis: [0, 0, 1]}}}}
drives:
  - {{name: lift, joint: guide, displacement: {{times: [0, {2}, {3}], values: [0, 0, 1]}}}}
)",
          sleeps, kink + kAfter, kink, kink + 1)));
      while (run.step()) {
      }
      EXPECT_EQ(run.summary().sleep.most > 0, sleeps);
      EXPECT_NEAR(run.state().velocity[0].z(), 1.5 - kGravity * kAfter, 2 * kGravity * kStep)
          << kink << sleeps;
    }
}

// Samples of a curve are no jumps, though straight lines join them: a pendulum on a slider that
// follows A sin ωt in samples of every step or half of it moves as on the curve itself, but for
// what the lines miss of that, A ω² h²/8 = 5e-7 m, of which resonance makes no more than tenfold in
// a second.
TEST(VelocityJumpsOfSteps, SamplesOfACurveAreNone) {
  constexpr Real kAmplitude = 0.1, kFrequency = 1, kTenfold = 5e-6;
  const auto end_of = [](const std::string& law) {
    sim::Simulation run(load(fmt::format(R"(title: a pendulum on a slider
scheme: moreau_midpoint
time: {{step: 1 ms, end: 1}}
bodies:
  - {{name: slider, shape: {{sphere: 5 cm}}, mass: 1}}
  - {{name: bob, shape: {{sphere: 5 cm}}, mass: 1, position: [0, 0, -0.5]}}
joints:
  - {{name: rail, between: [world, slider], prismatic: {{at: [0, 0, 0], axis: [1, 0, 0]}}}}
  - {{name: hinge, between: [slider, bob], revolute: {{at: [0, 0, 0], axis: [0, 1, 0]}}}}
drives:
  - {{name: shake, joint: rail, displacement: {{{}}}}}
)",
                                         law)));
    while (run.step()) {
    }
    EXPECT_EQ(run.summary().uncertified_steps, 0);
    return run.state().position[1];
  };
  const Vec3 on_curve =
      end_of(fmt::format("amplitude: {}, frequency: {} Hz", kAmplitude, kFrequency));
  for (const Real spacing : {kStep, kStep / 2}) {
    std::string times, values;
    for (int k = 0; k * spacing < 1.1; ++k) {
      const Real t = k * spacing;
      times += fmt::format("{}{}", k == 0 ? "" : ", ", t);
      values += fmt::format("{}{}", k == 0 ? "" : ", ",
                            kAmplitude * std::sin(2 * std::numbers::pi * kFrequency * t));
    }
    const Vec3 on_samples = end_of(fmt::format("times: [{}], values: [{}]", times, values));
    EXPECT_LT((on_samples - on_curve).norm(), kTenfold) << spacing;
  }
}

// A hoist that starts to rise takes the load on its rope, or at the limit of its guide, with
// (1 + e) u.
TEST(VelocityJumpsOfSteps, RopesAndLimitsRebound) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"})
    for (const bool has_rope : {true, false})
      for (const Real kink : {10e-3, 10.5e-3})
        for (const Real e : {0.0, 0.5}) {
          sim::Simulation run(load(fmt::format(
              R"(title: a hoist
scheme: {0}
time: {{step: 1 ms, end: 30 ms}}
bodies:
  - {{name: load, shape: {{sphere: 5 cm}}, mass: 1, position: [0, 0, {1}]}}
  - {{name: hoist, shape: {{sphere: 5 cm}}, mass: 10}}
joints:
  - {{name: guide, between: [world, hoist], prismatic: {{at: [0, 0, 0], axis: [0, 0, 1]}}}}
  - {{name: link, between: [hoist, load], {2}}}
drives:
  - {{name: lift, joint: guide, displacement: {{times: [0, {3}, {4}], values: [0, 0, 1]}}}}
)",
              scheme, has_rope ? -1 : 0,
              has_rope ? fmt::format("rope: {{length: 1, restitution: {}}}", e)
                       : fmt::format("collides: false, prismatic: {{at: [0, 0, 0], axis: [0, 0, "
                                     "1]}}, slide: {{limits: [0, 10], restitution: {}}}",
                                     e),
              kink, 1 + kink)));
          while (run.step()) {
          }
          EXPECT_EQ(run.summary().uncertified_steps, 0);
          const Real fall = e > 0 ? kGravity * (kEnd - kink) : 0;
          EXPECT_NEAR(run.state().velocity[0].z(), 1 + e - fall, 2 * kGravity * kStep)
              << scheme << " rope " << has_rope << " at " << kink << ", e = " << e;
        }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
