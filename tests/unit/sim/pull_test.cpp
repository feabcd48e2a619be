// A hand that pulls a body while the scene runs: against the closed form of a damped spring.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/record/reader.hpp>
#include <talus/sim/pull.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kFrequency = 2 * std::numbers::pi * 3;  // [rad/s] of a mass at the spring

scene::Scene scene_of(scene::SceneFolder& folder, const std::string& text) {
  return scene::load(folder.write("scene.yaml", "gravity: [0, 0, 0]\n" + text));
}

const std::string kBall =
    "bodies:\n  - {name: ball, shape: {sphere: 0.1}, mass: 2 kg, position: [0, 0, 0]}\n";

// A ball held at its centre comes to the target as x(t) = −d (1 + ω t) e^(−ω t), critically damped;
// the implicit step of size h is of first order: its error is below d ω h / 2, since the largest
// second derivative is d ω².
TEST(Pull, IsACriticallyDampedSpring) {
  scene::SceneFolder folder;
  Simulation simulation(scene_of(folder, "time: {step: 0.1 ms, end: 0.2 s}\n" + kBall));
  constexpr Real kDistance = 0.5, kStep = 1e-4;
  for (int k = 0; k < 2000; ++k) {
    pull(simulation, {0, Vec3::Zero(), Vec3(kDistance, 0, 0)});
    simulation.step();
    const Real t = simulation.state().time;
    const Real expected = kDistance * (1 - (1 + kFrequency * t) * std::exp(-kFrequency * t));
    ASSERT_NEAR(simulation.state().position[0].x(), expected, kDistance * kFrequency * kStep / 2);
  }
}

// Whatever the step size is: held at its centre the ball comes to the target, by a factor 1/(1 + ω
// h) or less with every step (times the number of steps, as both roots are the same); held at its
// surface, where the compliance is 1/m + r²/I = 3.5/m, the point is never farther from the target
// than at first.
TEST(Pull, IsStableAtAnyStepSize) {
  for (const std::string step : {"1 ms", "20 ms", "0.2 s"})
    for (const Real arm : {0.0, 0.1}) {
      scene::SceneFolder folder;
      Simulation simulation(scene_of(folder, "time: {step: " + step + ", end: 3 s}\n" + kBall));
      const Vec3 held(0, 0, arm), target(1, 2, 3);
      const auto distance = [&] {
        const model::State& state = simulation.state();
        return (state.position[0] + state.orientation[0] * held - target).norm();
      };
      const Real first = distance();
      do {
        pull(simulation, {0, held, target});
        ASSERT_LE(distance(), first * (1 + 1e-12)) << step << ' ' << arm;
      } while (simulation.step());
      const Real h = simulation.scene().step_size, steps = 3 / h;
      const Real left = (1 + kFrequency * h) * steps * std::pow(1 + kFrequency * h, -steps);
      if (arm == 0) {
        EXPECT_LT(distance(), first * left + 1e-12) << step;
      }
    }
}

// An impulse off the centre changes the momentum by itself and the angular momentum about the
// centre by its moment; a planar body takes only what lies in its plane.
TEST(Pull, ImpulsesChangeBothMomenta) {
  scene::SceneFolder folder;
  Simulation simulation(
      scene_of(folder,
               "time: {step: 1 ms, end: 1 s}\n"
               "bodies:\n  - {name: box, shape: {box: [0.1, 0.2, 0.3]}, mass: 2 kg, "
               "orientation: {axis: [1, 2, 3], angle: 50 deg}}\n"));
  const Vec3 point(0.05, -0.02, 0.1), impulse(1, -2, 0.5);
  simulation.push(0, point, impulse);
  const model::State& state = simulation.state();
  const Mat3 R = state.orientation[0].toRotationMatrix();
  const Mat3 inertia = R * simulation.scene().model.bodies[0].inertia * R.transpose();
  EXPECT_LT((2 * state.velocity[0] - impulse).norm(), 1e-12);
  EXPECT_LT((inertia * state.angular_velocity[0] - point.cross(impulse)).norm(), 1e-12);

  scene::SceneFolder flat;
  Simulation planar(scene::load(flat.write(
      "scene.yaml",
      "dimension: 2\ngravity: [0, 0, 0]\ntime: {step: 1 ms, end: 1 s}\n"
      "bodies:\n  - {name: disc, shape: {disc: 0.1}, mass: 2 kg, position: [0, 0, 0]}\n")));
  planar.push(0, Vec3(0, 0.1, 0.7), Vec3(3, 0, 5));
  EXPECT_EQ(planar.state().velocity[0], Vec3(1.5, 0, 0));
  EXPECT_NEAR(planar.state().angular_velocity[0].z(), -0.3 / (0.5 * 2 * 0.01), 1e-12);
}

// The record counts the steps in which a hand pulled, and one without has no such number; what the
// hand brings is no energy that the steps have made.
TEST(Pull, TheRecordTells) {
  for (const int pulls : {0, 7}) {
    scene::SceneFolder folder;
    test::Scratch scratch;
    Simulation simulation(scene_of(folder, "time: {step: 1 ms, end: 20 ms}\n" + kBall));
    simulation.record_to(scratch / "run.h5");
    for (int k = 0; k < 20; ++k) {
      if (k < pulls) pull(simulation, {0, Vec3::Zero(), Vec3(1, 0, 0)});
      simulation.step();
    }
    simulation.finish(record::RunStatus::finished);
    const record::RecordReader reader(scratch / "run.h5");
    EXPECT_EQ(reader.attribute("/", "pushed_steps", 0), pulls);
    EXPECT_LT(simulation.summary().energy.max_rise_in_a_step, 1e-12);
  }
}

// Steps that were pushed are no part of the scene: the run that is resumed from such a record, or
// from its state, keeps their number, in its summary and in its own record.
TEST(Pull, ResumedRunsKeepTheNumber) {
  scene::SceneFolder folder;
  test::Scratch scratch;
  const std::string text = "time: {step: 1 ms, end: 20 ms}\n" + kBall;
  {
    Simulation pulled(scene_of(folder, text));
    pulled.record_to(scratch / "pulled.h5");
    for (int k = 0; k < 10; ++k) {
      for (int twice = 0; k < 7 && twice < 2; ++twice)
        pull(pulled, {0, Vec3::Zero(), Vec3(1, 0, 0)});
      pulled.step();
    }
    EXPECT_EQ(pulled.summary().pushed_steps, 7);
    record::write_checkpoint(scratch / "state.h5", pulled.checkpoint());
    pulled.finish(record::RunStatus::interrupted);
  }
  for (const char* from : {"pulled.h5", "state.h5"}) {
    Simulation resumed(scene_of(folder, text));
    resumed.resume(record::read_checkpoint(scratch / from));
    resumed.record_to(scratch / "rest.h5");
    pull(resumed, {0, Vec3::Zero(), Vec3(1, 0, 0)});
    resumed.run();
    EXPECT_EQ(resumed.summary().pushed_steps, 8) << from;
    EXPECT_EQ(record::RecordReader(scratch / "rest.h5").attribute("/", "pushed_steps", 0), 8)
        << from;
    EXPECT_NE(to_text(resumed.summary()).find("pushed       8 steps"), std::string::npos);
    EXPECT_NE(to_json(resumed.summary()).find("\"pushed_steps\":8"), std::string::npos);
  }
}

// A body that cannot be pulled is not, and the reason can be told.
TEST(Pull, TellsWhyNot) {
  scene::SceneFolder folder;
  const Simulation simulation(scene_of(
      folder, "time: {step: 1 ms, end: 20 ms}\n" + kBall +
                  "  - {name: floor, shape: {plane: {}}, fixed: true, position: [0, 0, -9]}\n"));
  EXPECT_EQ(why_not_pulled(simulation, 0), "");
  EXPECT_EQ(why_not_pulled(simulation, 1), "body 1 \"floor\" does not move by forces");
  EXPECT_EQ(why_not_pulled(simulation, 99), "there is no body 99: the scene has 2");
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
