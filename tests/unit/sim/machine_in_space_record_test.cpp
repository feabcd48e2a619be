// What a machine in space leaves in its record: reactions, coordinates of joints and what acts
// along them, and how well its joints held.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/record/csv.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kG = 9.81;

struct Recorded {
  scene::SceneFolder folder;
  test::Scratch scratch;
  Simulation simulation;
  explicit Recorded(const std::string& text)
      : simulation(scene::load(folder.write("scene.yaml", text))) {
    simulation.record_to(scratch / "run.h5");
    EXPECT_EQ(simulation.run().uncertified_steps, 0);
  }
  [[nodiscard]] record::RecordReader reader() const {
    return record::RecordReader(scratch / "run.h5");
  }
  /// The last row of a dataset of a joint, from the frame of its body A, which is fixed, to the
  /// world.
  [[nodiscard]] Vec3 in_world(const std::string& path, std::size_t joint) const {
    const std::vector<Real> values = reader().array(path).values;
    const model::SpatialJoint& own = simulation.scene().model.spatial_machine->joints[joint];
    return own.X_AJ.q * Vec3(values.data() + values.size() - 3);
  }
  [[nodiscard]] Real last(const std::string& name) const {
    return record::read_series(reader(), name).at(0).value.back();
  }
};

std::string with_scheme(const std::string& scheme, const std::string& rest) {
  return "scheme: " + scheme + "\ntime: {step: 1 ms, end: 0.1}\n" + rest;
}

// A beam of weight m g that a wall holds at its end: the wall carries m g and the moment m g L/2
// about the end, whichever way the frame of the joint lies.
TEST(MachineInSpaceRecord, ACantileverPressesOnItsWall) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    const Recorded run(with_scheme(scheme, R"(
bodies: [{name: beam, mass: 3, shape: {box: [2, 0.1, 0.1]}, position: [1, 0, 0]}]
joints: [{name: wall, between: beam, weld: {at: [0, 0, 0]}}]
)"));
    EXPECT_LT((run.in_world("reactions/wall/force", 0) - Vec3(0, 0, 3 * kG)).norm(), 1e-9)
        << scheme;
    EXPECT_LT((run.in_world("reactions/wall/moment", 0) - Vec3(0, -3 * kG, 0)).norm(), 1e-9)
        << scheme;
  }
}

/// A bar of 3 kg and 2 m that turns about y at its left end; the weight's moment about y is 3 g.
std::string bar(const std::string& law) {
  return R"(
bodies: [{name: bar, mass: 3, shape: {box: [2, 0.1, 0.1]}, position: [1, 0, 0]}]
joints:
  - {name: hinge, between: bar, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}, turn: )" +
         law + "}\n";
}

// What keeps a bar level gives the moment of its weight, and is alone in it: a limit, a spring, a
// motor by its target, a motor that is told the effort, dry friction. The hinge holds the weight
// and no moment about its axis.
TEST(MachineInSpaceRecord, WhatHoldsABarLevelCarriesItsMoment) {
  const std::string names[] = {"limit", "spring", "effort", "effort", "friction"};
  const std::string laws[] = {
      "{limits: [-90 deg, 0 deg]}", "{spring: {stiffness: 1000 N m/rad, rest: -0.02943}}",
      "{motor: {velocity: 0}}", "{motor: {effort: -29.43 N m}}", "{dry_friction: 40 N m}"};
  for (std::size_t i = 0; i < 5; ++i) {
    const Recorded run(with_scheme("moreau_jean", bar(laws[i])));
    EXPECT_NEAR(run.last("joint.hinge." + names[i]), -3 * kG, 1e-6) << laws[i];
    EXPECT_NEAR(run.last("joint.hinge.angle"), 0, 1e-9) << laws[i];
    EXPECT_NEAR(run.last("joint.hinge.force.x"), run.last("reactions/hinge/force.x"), 0) << laws[i];
    EXPECT_LT((run.in_world("reactions/hinge/force", 0) - Vec3(0, 0, 3 * kG)).norm(), 1e-6)
        << laws[i];
    EXPECT_LT(run.in_world("reactions/hinge/moment", 0).norm(), 1e-6) << laws[i];
    std::size_t numbers = 0;
    for (const std::string& path : run.reader().datasets())
      numbers += path.starts_with("joints/hinge/") ? 1 : 0;
    EXPECT_EQ(numbers, 3U) << laws[i];  // angle, rate, and the one that is there
  }
}

// A limit that is reached from above pushes up along the axis, which counts as positive; one that
// is not reached does nothing.
TEST(MachineInSpaceRecord, LowerLimitsPushForwards) {
  const Recorded run(with_scheme("moreau_jean", R"(
bodies: [{name: lift, mass: 2, shape: {box: [0.1, 0.1, 0.1]}, position: [0, 0, 1]}]
joints:
  - {name: rail, between: lift, prismatic: {at: [0, 0, 1], axis: [0, 0, 1]}, slide: {limits: [-2 mm, 1]}}
)"));
  EXPECT_NEAR(run.last("joint.rail.position"), -2e-3, 1e-9);
  EXPECT_NEAR(run.last("joint.rail.limit"), 2 * kG, 1e-6);
  EXPECT_EQ(run.reader().array("joints/rail/limit").values[0], 0);
  EXPECT_EQ(run.reader().array("joints/rail/limit").unit, "N");
  EXPECT_EQ(run.reader().array("joints/rail/rate").unit, "m/s");
}

// A wheel turns on at 40 rad/s: its angle counts whole turns though nothing acts on it, and what is
// driven says so. The drive of the second wheel gives the torque I ω̇ = I 2 rad/s².
TEST(MachineInSpaceRecord, CountsWholeTurnsAndTellsWhatDrivesGive) {
  const Recorded run(R"(
scheme: moreau_midpoint
gravity: [0, 0, 0]
time: {step: 1 ms, end: 1}
bodies:
  - {name: wheel, mass: 1, inertia: [0.5, 0.5, 0.5], shape: {sphere: 0.1}, angular_velocity: [0, 0, 40]}
  - {name: rotor, mass: 1, inertia: [0.5, 0.5, 0.5], shape: {sphere: 0.1}, position: [1, 0, 0]}
joints:
  - {name: axle, between: wheel, revolute: {at: [0, 0, 0], axis: [0, 0, 1]}}
  - {name: shaft, between: rotor, cylindrical: {at: [1, 0, 0], axis: [0, 0, 1]}}
drives: [{name: engine, joint: shaft, angular_speed: {start: 0, slope: 2}}]
)");
  EXPECT_NEAR(run.last("joint.axle.angle"), 40, 1e-9);
  EXPECT_NEAR(run.last("joint.axle.rate"), 40, 1e-9);
  EXPECT_NEAR(run.last("joint.shaft.turn.angle"), 1, 1e-6);
  EXPECT_NEAR(run.last("joint.shaft.slide.position"), 0, 1e-12);
  EXPECT_NEAR(run.last("drives/engine/effort"), 1, 1e-6);
}

// Newton's second law, step by step: what a pin does to the lower of two swinging links is m Δv/h −
// m g of that link, and what the upper pin does to the upper link is what is left of that for both.
TEST(MachineInSpaceRecord, ReactionsAreChangesOfMomentum) {
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    const scene::SceneFolder folder;
    Simulation simulation(scene::load(folder.write("scene.yaml", with_scheme(scheme, R"(
bodies:
  - {name: one, mass: 2, inertia: [0.2, 0.2, 0.2], shape: {sphere: 5 cm}, position: [0.5, 0, 0]}
  - {name: two, mass: 1, inertia: [0.1, 0.2, 0.3], shape: {sphere: 5 cm}, position: [1.5, 0, 0]}
joints:
  - {name: top, between: one, revolute: {at: [0, 0, 0], axis: [0, 1, 1]}}
  - {name: pin, between: [one, two], ball: {at: [1, 0, 0]}}
)"))));
    const Quat to_world = simulation.scene().model.spatial_machine->joints[0].X_AJ.q;
    const Vec3 g(0, 0, -kG);
    std::vector<Vec3> before = simulation.state().velocity;
    const Real h = simulation.scene().step_size;
    simulation.observe([&](const Simulation& s) {
      const std::vector<Vec3>& after = s.state().velocity;
      const Vec3 lower = (after[1] - before[1]) / h - g;
      const Vec3 upper = 2 * ((after[0] - before[0]) / h - g) + lower;
      ASSERT_EQ(s.scheme().reactions().size(), 2U);
      EXPECT_LT((to_world * s.scheme().reactions()[0].force - upper).norm(), 1e-9) << scheme;
      EXPECT_NEAR(s.scheme().reactions()[1].force.norm(), lower.norm(), 1e-9) << scheme;
      EXPECT_LT(s.scheme().reactions()[1].moment.norm(), 1e-9) << scheme;  // a ball holds none
      before = after;
    });
    EXPECT_EQ(simulation.run().uncertified_steps, 0);
    EXPECT_GT((before[0] - simulation.scene().initial.velocity[0]).norm(), 0.1);
  }
}

// A joint of several coordinates has no angle of its own: asked for it a record names those of its
// coordinates, all of them.
TEST(MachineInSpaceRecord, AnglesOfSeveralCoordinatesAreNamed) {
  const Recorded run(with_scheme("moreau_jean", R"(
bodies: [{name: bob, shape: {sphere: 10 cm}, mass: 1 kg, position: [0, 0, -1], collides: false}]
joints:
  - {name: cross, between: bob, universal: {at: [0, 0, 0], axis: [1, 0, 0], second_axis: [0, 1, 0]}}
)"));
  const record::RecordReader reader = run.reader();
  EXPECT_EQ(record::series_hint(reader, "joint.cross.angle"),
            "this joint has several coordinates: 'joint.cross.second_turn.angle', "
            "'joint.cross.turn.angle'");
  EXPECT_EQ(record::series_hint(reader, "joints/cross/rate"),
            "this joint has several coordinates: 'joints/cross/second_turn/rate', "
            "'joints/cross/turn/rate'");
}

// Every name that a record has for a joint is understood, in plots and in tables; what is not there
// is refused with the nearest name.
TEST(MachineInSpaceRecord, SeriesHaveTheNamesOfJoints) {
  const Recorded run(with_scheme("moreau_jean", bar("{motor: {velocity: 0}, limits: [-1, 1]}")));
  const record::RecordReader reader = run.reader();
  std::vector<std::string> names;
  for (const record::SeriesName& one : record::series_names(reader)) names.push_back(one.name);
  for (const char* name :
       {"joints/hinge/angle", "joints/hinge/rate", "joints/hinge/effort", "joints/hinge/limit",
        "reactions/hinge/force.z", "reactions/hinge/moment.x", "certificates/joint_rate",
        "certificates/joint_drift", "certificates/rank", "certificates/constraints"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
    EXPECT_EQ(record::read_series(reader, name).at(0).value.size(), 100U) << name;
  }
  EXPECT_EQ(record::read_series(reader, "joint.hinge.effort").at(0).name, "joints/hinge/effort");
  EXPECT_EQ(record::read_series(reader, "joint.hinge.moment").size(), 3U);
  EXPECT_EQ(record::read_series(reader, "joint.hinge").size(), 10U);
  try {
    (void)record::read_series(reader, "joint.hinge.angel");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("joint.hinge.angle"), std::string::npos)
        << error.what();
  }
  std::ostringstream joints, one;
  record::write_series_csv(reader, "joints", joints);
  EXPECT_TRUE(joints.str().starts_with(
      "step,time [s],hinge/angle [rad],hinge/effort [N m],hinge/limit [N m],hinge/rate [rad/s]\n"))
      << joints.str().substr(0, 100);
  record::write_series_csv(reader, "joint.hinge.moment", one);
  EXPECT_TRUE(one.str().starts_with("step,time [s],hinge/moment_x [N m],")) << one.str();
}

// The summary tells how well the joints held, and which held worst; of scenes without a machine it
// tells nothing.
TEST(MachineInSpaceRecord, SummaryTellsOfJoints) {
  const Recorded run(with_scheme("moreau_jean", bar("{}")));
  const Summary& summary = run.simulation.summary();
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json["joints"]["rank"]["value"], 5);
  EXPECT_EQ(json["joints"]["rank"]["constraints"], 5);
  EXPECT_LT(json["joints"]["joint_rate"]["value"], 1e-12);
  EXPECT_LE(json["joints"]["joint_drift"]["value"], 1e-12);
  EXPECT_EQ(json["joints"]["joint_rate"]["of"], "joint hinge");
  EXPECT_NE(to_text(summary).find("all 5 constraints are independent"), std::string::npos);
  const std::vector<Real> rate = run.reader().array("certificates/joint_rate").values;
  EXPECT_EQ(*std::max_element(rate.begin(), rate.end()), json["joints"]["joint_rate"]["value"]);

  const Recorded free(
      with_scheme("moreau_jean", "bodies: [{name: ball, mass: 1, shape: {sphere: 0.1}}]\n"));
  EXPECT_FALSE(nlohmann::json::parse(to_json(free.simulation.summary())).contains("joints"));
  EXPECT_FALSE(free.reader().has("certificates/joint_rate"));
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
