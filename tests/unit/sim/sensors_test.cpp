// What sensors read: each against the closed form of a body that rests, falls, spins or hangs.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <support/scratch.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/sim/simulation.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kG = 9.81, kStep = 1e-3;

/// A scene that has run for some steps of 1 ms.
struct Sensed {
  scene::SceneFolder folder;
  Simulation simulation;
  explicit Sensed(const std::string& text)
      : simulation(scene::load(folder.write(
            "scene.yaml", "scheme: moreau_midpoint\ntime: {step: 1 ms, end: 50 ms}\n" + text))) {}
  void run() { EXPECT_EQ(simulation.run().uncertified_steps, 0); }
  [[nodiscard]] Vec3 vector(std::size_t sensor) const {
    return Vec3(simulation.sensors().values(sensor).data());
  }
};

// An accelerometer at rest reads g upwards, in free fall 0; the force of a floor on a box at rest
// is m g, upwards on the box, and the touch its length.
TEST(Sensors, RestAndFreeFall) {
  Sensed sensed(
      "bodies:\n"
      "  - {name: floor, motion: fixed, shape: {plane: {}}}\n"
      "  - {name: box, shape: {box: [0.2, 0.2, 0.2]}, mass: 2 kg, position: [0, 0, 0.1]}\n"
      "  - {name: ball, shape: {sphere: 0.1}, mass: 2 kg, position: [3, 0, 9]}\n"
      "sensors:\n"
      "  - {name: a, accelerometer: box}\n"
      "  - {name: b, accelerometer: {body: ball, at: [3, 0.05, 9]}}\n"
      "  - {name: c, contact_force: {body: box, against: floor}}\n"
      "  - {name: d, touch: box}\n"
      "  - {name: e, contact_force: floor}\n"
      "  - {name: f, contact_force: {body: box, against: ball}}\n");
  sensed.run();
  EXPECT_LT((sensed.vector(0) - Vec3(0, 0, kG)).norm(), 1e-6 * kG);
  EXPECT_LT(sensed.vector(1).norm(), 1e-11 * kG);
  EXPECT_LT((sensed.vector(2) - Vec3(0, 0, 2 * kG)).norm(), 1e-6 * kG);
  EXPECT_NEAR(sensed.simulation.sensors().values(3)[0], 2 * kG, 1e-6 * kG);
  EXPECT_LT((sensed.vector(4) + sensed.vector(2)).norm(), 1e-8);
  EXPECT_EQ(sensed.vector(5), Vec3::Zero());
}

// At radius r of a body that spins at ω the mean over a step points to the axis and is
// ω² r sin(ωh/2)/(ωh/2); the gyro has ω along the axes of its frame, x for an axis that is turned
// from z to x.
TEST(Sensors, Spinning) {
  constexpr Real kRate = 20, kRadius = 0.3;
  Sensed sensed(
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: disc, shape: {cylinder: {radius: 0.5, length: 0.1}}, mass: 2 kg, "
      "angular_velocity: [0, 0, 20]}\n"
      "sensors:\n"
      "  - {name: a, accelerometer: {body: disc, at: [0.3, 0, 0]}}\n"
      "  - {name: b, gyro: {body: disc, orientation: {axis: [0, 1, 0], angle: 90 deg}}}\n"
      "  - {name: c, position: {body: disc, at: [0.3, 0, 0]}}\n"
      "  - {name: d, velocity: {body: disc, at: [0.3, 0, 0], relative_to: disc}}\n");
  sensed.run();
  const Real half = kRate * kStep / 2;
  const Real mean = kRate * kRate * kRadius * std::sin(half) / half;
  // A step of second order turns the disc by ωh up to (ωh)³/12.
  const Real turn_error = std::pow(kRate * kStep, 3) / 12;
  EXPECT_NEAR(sensed.vector(0).x(), -mean, kRate * kRadius * turn_error / kStep);
  EXPECT_LT(sensed.vector(0).tail<2>().norm(), 1e-9);
  EXPECT_LT((sensed.vector(1) - Vec3(-kRate, 0, 0)).norm(), 1e-12);
  EXPECT_LT((sensed.vector(2) - Vec3(0.3 * std::cos(1.0), 0.3 * std::sin(1.0), 0)).norm(),
            50 * kRadius * turn_error);
  EXPECT_LT(sensed.vector(3).norm(), 1e-12);
}

// A load m at the arm L: the joint holds m g, and about its point m g L; with a motor that holds
// the arm in the place of the weld the sum of reaction and effort is the same.
TEST(Sensors, LoadThroughJoint) {
  for (const std::string joint :
       {"weld: {at: [0, 0, 1]}",
        "revolute: {at: [0, 0, 1], axis: [0, 1, 0]}, turn: {motor: {velocity: 0}}"}) {
    Sensed sensed(
        "bodies:\n"
        "  - {name: load, shape: {sphere: 0.05}, mass: 3 kg, position: [0.5, 0, 1]}\n"
        "joints:\n  - {name: arm, between: load, " +
        joint +
        "}\n"
        "sensors:\n"
        "  - {name: a, force: {joint: arm, orientation: {axis: [0, 0, 1], angle: 0}}}\n"
        "  - {name: b, torque: {joint: arm, orientation: {axis: [0, 0, 1], angle: 0}}}\n"
        "  - {name: c, torque: {joint: arm, at: [0.5, 0, 1]}}\n");
    sensed.run();
    EXPECT_LT((sensed.vector(0) - Vec3(0, 0, 3 * kG)).norm(), 1e-8) << joint;
    EXPECT_LT((sensed.vector(1) - Vec3(0, -3 * kG * 0.5, 0)).norm(), 1e-8) << joint;
    EXPECT_LT(sensed.vector(2).norm(), 1e-8) << joint;
  }
}

// From the height z the way to a plane at the angle α from the vertical is z/cos α; to other
// shapes the way to their centre less r, a half edge, or what the closed form says; and out of
// reach it is the reach. What is recorded is read back.
TEST(Sensors, Ranges) {
  Sensed sensed(
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: floor, motion: fixed, shape: {plane: {}}}\n"
      "  - {name: eye, shape: {sphere: 0.1}, mass: 1 kg, position: [0, 0, 2]}\n"
      "  - {name: ball, motion: fixed, shape: {sphere: 0.5}, position: [5, 0.3, 2]}\n"
      "  - {name: box, motion: fixed, shape: {box: [1, 1, 1]}, position: [-5, 0, 2]}\n"
      "  - {name: pin, motion: fixed, shape: {capsule: {radius: 0.5, length: 1}}, position: [0, 5, "
      "2]}\n"
      "  - {name: can, motion: fixed, shape: {cylinder: {radius: 0.5, length: 1}}, position: [0.3, "
      "-5, 2]}\n"
      "sensors:\n"
      "  - {name: a, rangefinder: {body: eye, direction: [1, 0, -1]}}\n"
      "  - {name: b, rangefinder: {body: eye, direction: [1, 0, 0]}}\n"
      "  - {name: c, rangefinder: {body: eye, direction: [-1, 0, 0]}}\n"
      "  - {name: d, rangefinder: {body: eye, direction: [0, 1, 0]}}\n"
      "  - {name: e, rangefinder: {body: eye, direction: [0, -1, 0]}}\n"
      "  - {name: f, rangefinder: {body: eye, direction: [0, 0, 1], reach: 7}}\n"
      "  - {name: g, rangefinder: {body: eye, direction: [1, 0, 0], reach: 2}}\n");
  test::Scratch scratch;
  sensed.simulation.record_to(scratch / "run.h5");
  sensed.run();
  const Real side = std::sqrt(0.25 - 0.09);
  const std::vector<Real> expected = {2 * std::numbers::sqrt2, 5 - side, 4.5, 4.5, 5 - side, 7, 2};
  const record::Reader reader(scratch / "run.h5");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string name = std::string("sensor.") + "abcdefg"[i];
    EXPECT_NEAR(sensed.simulation.sensors().values(i)[0], expected[i], 1e-12) << name;
    EXPECT_EQ(record::read_series(reader, name).at(0).value.back(),
              sensed.simulation.sensors().values(i)[0]);
  }
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
