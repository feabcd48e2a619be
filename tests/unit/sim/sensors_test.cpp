// What sensors read: each against the closed form of a body that rests, falls, spins or hangs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/record/csv.hpp>
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

// Without an orientation a load is along the axes of the body, x along the world's y here, whatever
// the axes of the joint: (0, 0, m g), and about the joint's point −m g L about the world's y.
TEST(Sensors, LoadsAreAlongTheAxesOfTheBody) {
  for (const std::string axis : {"[1, 0, 0]", "[0, 0, 1]", "[3, 0, -4]"}) {
    Sensed sensed(
        "bodies:\n"
        "  - {name: load, shape: {sphere: 0.05}, mass: 3 kg, position: [0.5, 0, 1], orientation: "
        "{axis: [0, 0, 1], angle: 90 deg}}\n"
        "joints:\n  - {name: arm, between: load, revolute: {at: [0, 0, 1], axis: " +
        axis +
        "}, turn: {motor: {velocity: 0}}}\n"
        "sensors:\n"
        "  - {name: a, force: arm}\n"
        "  - {name: b, torque: arm}\n");
    sensed.run();
    EXPECT_LT((sensed.vector(0) - Vec3(0, 0, 3 * kG)).norm(), 1e-8) << axis;
    EXPECT_LT((sensed.vector(1) - Vec3(-3 * kG * 0.5, 0, 0)).norm(), 1e-8) << axis;
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
  const record::RecordReader reader(scratch / "run.h5");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string name = std::string("sensor.") + "abcdefg"[i];
    EXPECT_NEAR(sensed.simulation.sensors().values(i)[0], expected[i], 1e-12) << name;
    EXPECT_EQ(record::read_series(reader, name).at(0).value.back(),
              sensed.simulation.sensors().values(i)[0]);
  }
}

// Rays meet faces, members and walls: the octahedron |x| + |y| + |z| = 1 at (y, z) in 1 − |y| − |z|
// from its centre, the ball of a clump on its axis in its radius, and nothing between two of them;
// a sheet y = z of triangles at the height z in z more, and from behind not at all; the wall of a
// pipe from the distance d off its axis in r − d, √(r² − d²) across, √2 (r − d) at 45° to the axis.
TEST(Sensors, RangesOfCompositeShapes) {
  scene::SceneFolder folder;
  folder.write("sheet.obj", "v -1 -1 -1\nv 1 -1 -1\nv 1 1 1\nv -1 1 1\nf 1 2 3\nf 1 3 4\n");
  struct Ray {
    const char *at, *direction;
    Real expected;
  };
  const auto expect = [&](const std::string& bodies, const std::vector<Ray>& rays) {
    std::string text =
        "gravity: [0, 0, 0]\ntime: {step: 1 ms, end: 2 ms}\nbodies:\n"
        "  - {name: eye, shape: {sphere: 0.01}, mass: 1 kg, position: [0, 0, 2], collides: "
        "false}\n" +
        bodies + "sensors:\n";
    for (std::size_t i = 0; i < rays.size(); ++i)
      text += fmt::format(
          "  - {{name: ray{}, rangefinder: {{body: eye, at: {}, direction: {}, reach: 30}}}}\n", i,
          rays[i].at, rays[i].direction);
    Simulation simulation(scene::load(folder.write("scene.yaml", text)));
    EXPECT_EQ(simulation.run().uncertified_steps, 0);
    for (std::size_t i = 0; i < rays.size(); ++i)
      EXPECT_NEAR(simulation.sensors().values(i)[0], rays[i].expected, 1e-12)
          << rays[i].at << " " << rays[i].direction;
  };
  expect(
      "  - {name: gem, motion: fixed, position: [5, 0, 2], shape: {hull: {points: [[1, 0, 0], [-1, "
      "0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]}}}\n"
      "  - {name: pair, motion: fixed, position: [-5, 0, 2], shape: {clump: [{sphere: 0.5, "
      "position: [0, 0.6, 0]}, {sphere: 0.5, position: [0, -0.6, 0]}]}}\n"
      "  - {name: sheet, motion: fixed, position: [0, 5, 2], shape: {mesh: {file: sheet.obj, open: "
      "true}}}\n",
      {{"[0, 0.3, 2.2]", "[1, 0, 0]", 4.5},
       {"[0, 0.6, 2]", "[-1, 0, 0]", 4.5},
       {"[0, 0, 2]", "[-1, 0, 0]", 30},
       {"[0.2, 0, 2.25]", "[0, 1, 0]", 5.25},
       {"[0.2, 9, 2.25]", "[0, -1, 0]", 30}});
  expect(
      "  - {name: pipe, motion: fixed, position: [0, 0, 2], shape: {pipe: {radius: 0.5, length: "
      "4}}}\n",
      {{"[0.3, 0, 2]", "[1, 0, 0]", 0.2},
       {"[0.3, 0, 2]", "[0, 1, 0]", 0.4},
       {"[0.3, 0, 2]", "[1, 0, 1]", 0.2 * std::numbers::sqrt2}});
}

// What MJCF calls force and torque of a site: the load on the body through its joint, along the
// site's axes and about the site. For a mass m at (0.5, 0, 0) on an upright hinge, whose site is at
// (0.1, 0.05, 0) and turned by 30° about y: Rᵀ (0, 0, m g) and Rᵀ (c × (0, 0, m g)) with c from the
// site to the mass. The numbers are also what MuJoCo 2.2.2 gives for this file.
TEST(Sensors, LoadsOfMjcfHaveItsSigns) {
  scene::SceneFolder folder;
  scene::Overrides overrides;
  overrides.end_time = 0.05;
  Simulation simulation(
      scene::load(folder.write("load.xml", R"(<mujoco><option timestep="0.001"/><worldbody>
<body name="load" pos="0.1 0.2 1"><joint name="pin" axis="0 0 1"/>
<geom type="sphere" size="0.05" pos="0.5 0 0" mass="3"/>
<site name="s" pos="0.1 0.05 0" euler="0 30 0"/></body></worldbody>
<sensor><force name="f" site="s"/><torque name="t" site="s"/></sensor></mujoco>)"),
                  overrides));
  EXPECT_EQ(simulation.run().uncertified_steps, 0);
  const Quat back(Eigen::AngleAxisd(-std::numbers::pi / 6, Vec3::UnitY()));
  const Vec3 weight(0, 0, 3 * kG);
  const Vec3 force(simulation.sensors().values(0).data());
  const Vec3 torque(simulation.sensors().values(1).data());
  EXPECT_LT((force - back * weight).norm(), 1e-10);
  EXPECT_LT((torque - back * Vec3(0.4, -0.05, 0).cross(weight)).norm(), 1e-10);
  EXPECT_LT((force - Vec3(-14.715, 0, 25.4871276334)).norm(), 1e-9);
  EXPECT_LT((torque - Vec3(-1.27435638167, -11.772, -0.73575)).norm(), 1e-9);
}

// What is read relative to another body is along its axes and as seen from it: of a disc that spins
// at ω and moves at v₂, with R the turn by −ωt, the place is R r with r the way between the
// centres, the velocity R (v₁ − v₂ − ω × r), the angular velocity R (ω₁ − ω).
TEST(Sensors, RelativeToAnotherBody) {
  const std::string frame = ": {body: a, relative_to: b}}\n";
  Sensed sensed(
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: a, shape: {sphere: 0.1}, mass: 1, position: [2, 1, 3], velocity: [1, -2, 0.5], "
      "angular_velocity: [0, 0, 5]}\n"
      "  - {name: b, shape: {cylinder: {radius: 0.5, length: 0.1}}, mass: 2, position: [-1, 0, 1], "
      "velocity: [0, 3, 0], angular_velocity: [0, 0, 20]}\n"
      "sensors:\n"
      "  - {name: p, position" +
      frame + "  - {name: v, velocity" + frame + "  - {name: w, angular_velocity" + frame +
      "  - {name: q, orientation" + frame);
  sensed.run();
  constexpr Real kTime = 0.05, kRate = 20;
  const Vec3 w(0, 0, kRate), v = Vec3(1, -2, 0.5) - Vec3(0, 3, 0);
  const Vec3 r = Vec3(3, 1, 2) + v * kTime;
  const Quat back(Eigen::AngleAxisd(-kRate * kTime, Vec3::UnitZ()));
  const Quat turned(Eigen::AngleAxisd((5 - kRate) * kTime, Vec3::UnitZ()));
  // A step of second order turns by ωh up to (ωh)³/12.
  const Real turn_error = 50 * std::pow(kRate * kStep, 3) / 12;
  EXPECT_LT((sensed.vector(0) - back * r).norm(), turn_error * r.norm());
  EXPECT_LT((sensed.vector(1) - back * (v - w.cross(r))).norm(),
            turn_error * (v - w.cross(r)).norm());
  EXPECT_LT((sensed.vector(2) - Vec3(0, 0, 5 - kRate)).norm(), 1e-12);
  const auto q = sensed.simulation.sensors().values(3);
  EXPECT_LT((Eigen::Vector4d(q[0], q[1], q[2], q[3]) -
             Eigen::Vector4d(turned.w(), turned.x(), turned.y(), turned.z()))
                .norm(),
            turn_error);
}

/// A ball that slides on a plane beside a swinging arm, all of it turned about the world's origin,
/// with sensors of every kind whose readings are along axes of bodies.
std::string turned_scene(const Quat& turn) {
  const auto vector = [&](const Vec3& v) {
    const Vec3 t = turn * v;
    return fmt::format("[{}, {}, {}]", t.x(), t.y(), t.z());
  };
  const std::string q =
      fmt::format("{{quaternion: [{}, {}, {}, {}]}}", turn.w(), turn.x(), turn.y(), turn.z());
  const std::string ball = "{body: ball, orientation: " + q + "}}\n";
  const std::string load = "{joint: pin, orientation: " + q + "}}\n";
  const std::string frame = "{body: ball, relative_to: arm}}\n";
  return "solver: {tolerance: 1e-12}\ngravity: " + vector({0, 0, -kG}) +
         "\ncontacts: {default: {friction: 0.3}}\nbodies:\n"
         "  - {name: floor, motion: fixed, shape: {plane: {normal: " +
         vector({0, 0, 1}) +
         "}}}\n  - {name: ball, shape: {sphere: 0.1}, mass: 2, position: " + vector({0, 0, 0.1}) +
         ", velocity: " + vector({1, 0.5, 0}) + ", orientation: " + q +
         "}\n  - {name: arm, shape: {box: [1, 0.1, 0.1]}, mass: 3, position: " + vector({2, 1, 3}) +
         ", orientation: " + q +
         "}\njoints: [{name: pin, between: arm, revolute: {at: " + vector({1.5, 1, 3}) +
         ", axis: " + vector({0, 1, 0}) + "}}]\nsensors:\n  - {name: a, accelerometer: " + ball +
         "  - {name: b, gyro: " + ball + "  - {name: c, contact_force: " + ball +
         "  - {name: d, touch: " + ball + "  - {name: e, force: " + load +
         "  - {name: f, torque: " + load +
         "  - {name: g, rangefinder: {body: ball, direction: " + vector({0.1, 0.2, -1}) +
         "}}\n  - {name: h, position: " + frame + "  - {name: i, velocity: " + frame +
         "  - {name: j, angular_velocity: " + frame + "  - {name: k, orientation: " + frame;
}

// Sensors read what bodies feel: if the whole scene is turned, gravity with it, every reading along
// axes of bodies stays the same, up to round-off and the solver's tolerance.
TEST(Sensors, TurningTheSceneChangesNothing) {
  Sensed straight(turned_scene(Quat::Identity()));
  straight.run();
  Random random(22);
  for (int trial = 0; trial < 5; ++trial) {
    const Vec3 axis(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    Sensed turned(turned_scene(Quat(Eigen::AngleAxisd(random.uniform(-3, 3), axis.normalized()))));
    turned.run();
    for (std::size_t sensor = 0; sensor < 11; ++sensor) {
      const auto a = straight.simulation.sensors().values(sensor);
      const auto b = turned.simulation.sensors().values(sensor);
      for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_NEAR(a[i], b[i], 1e-7) << "sensor "
                                      << "abcdefghijk"[sensor] << " of trial " << trial;
    }
  }
}

/// A table of a record's series.
std::vector<std::string> table_of(const record::RecordReader& reader, const std::string& name) {
  std::stringstream text;
  record::write_series_csv(reader, name, text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

/// What is wrong with a name.
std::string mistake_in_name(const record::RecordReader& reader, const std::string& name) {
  try {
    static_cast<void>(table_of(reader, name));
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

// A component of a sensor or a joint is exported by the name it is plotted by, and is the column of
// that name in the table of all components; an unknown one is refused with those there are.
TEST(Sensors, ComponentsAreExported) {
  Sensed sensed(
      "bodies:\n"
      "  - {name: load, shape: {sphere: 0.05}, mass: 3 kg, position: [0.5, 0, 1]}\n"
      "joints:\n  - {name: arm, between: load, revolute: {at: [0, 0, 1], axis: [0, 1, 0]}, turn: "
      "{motor: {velocity: 1}}}\n"
      "sensors:\n  - {name: imu, accelerometer: load}\n");
  test::Scratch scratch;
  sensed.simulation.record_to(scratch / "run.h5");
  sensed.run();
  const record::RecordReader reader(scratch / "run.h5");
  for (const std::string whole : {"sensor.imu", "joint.arm.force", "joint.arm.moment"}) {
    const std::vector<std::string> all = table_of(reader, whole);
    const std::string labels = "xyz";
    for (std::size_t c = 0; c < 3; ++c) {
      const std::string name = whole + '.' + labels[c];
      const std::vector<std::string> one = table_of(reader, name);
      const std::vector<Real> value = record::read_series(reader, name).at(0).value;
      ASSERT_EQ(one.size(), 51U) << name;
      for (std::size_t row = 0; row < all.size(); ++row) {
        std::istringstream cells(all[row]), words(one[row]);
        std::string step, time, cell, other;
        std::getline(cells, step, ',') && std::getline(cells, time, ',');
        for (std::size_t k = 0; k <= c; ++k) std::getline(cells, cell, ',');
        std::getline(words, other, ',') && std::getline(words, other, ',');
        std::getline(words, other);
        EXPECT_EQ(other, cell) << name;
        if (row == 0) continue;
        EXPECT_EQ(std::stod(other), value[row - 1]) << name;
      }
    }
  }
  EXPECT_EQ(table_of(reader, "joint.arm.angle").size(), 51U);
  EXPECT_TRUE(scene::contains(mistake_in_name(reader, "sensor.imu.q"),
                              "components of sensor.imu: x, y, z"));
  EXPECT_TRUE(
      scene::contains(mistake_in_name(reader, "sensor.imo.x"), "did you mean 'sensor.imu.x'?"));
  EXPECT_TRUE(scene::contains(mistake_in_name(reader, "joint.arm.angel"),
                              "did you mean 'joint.arm.angle'?"));
  EXPECT_TRUE(scene::contains(mistake_in_name(reader, "joint.arm.angel"), "sensors"));
  EXPECT_THROW(static_cast<void>(record::read_series(reader, "sensor.imu.q")), InputError);
}

// What a joint does to its body is what turns the body, I α, and not what turns the rotor; with a
// motor's effort M that is M I/(I + armature).
TEST(Sensors, LeaveOutTheRotor) {
  constexpr Real kInertia = 2 * 2 * 0.01 / 12, kArmature = 0.01, kEffort = -3 * 0.02;
  for (const std::string scheme : {"moreau_jean", "moreau_midpoint", "index_3"}) {
    scene::SceneFolder folder;
    Simulation simulation(scene::load(folder.write(
        "scene.yaml",
        "scheme: " + scheme +
            "\ntime: {step: 1 ms, end: 50 ms}\ngravity: [0, 0, 0]\n"
            "bodies: [{name: b, mass: 2, shape: {box: [0.1, 0.1, 0.1]}}]\n"
            "joints: [{name: j, between: b, revolute: {at: [0, 0, 0], axis: [1, 0, 0]}, turn: "
            "{armature: 0.01, motor: {effort: 0.02, gear: -3}}}]\n"
            "sensors: [{name: m, torque: j}]\n")));
    simulation.run();
    const Vec3 moment(simulation.sensors().values(0).data());
    const Vec3 expected(kEffort * kInertia / (kInertia + kArmature), 0, 0);
    // Along z of the joint's frame is its axis.
    EXPECT_NEAR(moment.norm(), expected.norm(), 1e-8) << scheme;
  }
}

// A mass m that turns at ω on an arm r is pulled by m ω² r along the arm, also where it turns by
// 0.2 rad in a step: the reading is along axes of the middle of the step, where the rows are.
TEST(Sensors, ReadLoadsWhereTheyAct) {
  Sensed sensed(
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: b, mass: 2, shape: {sphere: 0.05}, position: [0.3, 0, 0], velocity: [0, 60, 0], "
      "angular_velocity: [0, 0, 200]}\n"
      "joints:\n  - {name: j, between: b, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}\n"
      "sensors:\n"
      "  - {name: f, force: {joint: j, at: [0.3, 0, 0], orientation: {axis: [0, 0, 1], angle: "
      "0}}}\n");
  sensed.run();
  const Vec3 force = sensed.vector(0);
  EXPECT_NEAR(force.x(), -2 * 200 * 200 * 0.3, 0.01 * 2 * 200 * 200 * 0.3);
  EXPECT_LT(std::abs(force.y()), 1e-3 * std::abs(force.x()));
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
