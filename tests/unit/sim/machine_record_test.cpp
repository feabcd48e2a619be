#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include <support/scratch.hpp>
#include <talus/record/csv.hpp>
#include <talus/record/reader.hpp>
#include <talus/sim/resume.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

/// A driven crank with a weight on a rope that comes taut, and a ball that bounces on the floor.
const char* const kMachine = R"(
dimension: 2
scheme: event_driven
time: {step: 10 ms, end: 0.5}
contacts: {default: {restitution: 0.5, friction: 0.3, static_friction: 0.4}}
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}, position: [0, -2, 0]}
  - {name: crank, mass: 2, shape: {rod: {length: 0.4, radius: 0.02}}, position: [0.2, 0, 0],
     velocity: [0, 0.4, 0], angular_velocity: [0, 0, 2]}
  - {name: weight, mass: 1, shape: {disc: 5 cm}, position: [0.4, -0.4, 0]}
  - {name: ball, mass: 1, shape: {disc: 5 cm}, position: [2, -1.7, 0], velocity: [0.3, 0, 0]}
joints:
  - {name: bearing, between: [floor, crank], revolute: {at: [0, 0], pin_radius: 1 cm}, friction: 0.1}
  - {name: rope, between: [crank, weight], rope: {from: [0.4, 0], length: 0.5}}
drives:
  - {name: motor, between: [floor, crank], angular_speed: 2}
)";

// The record of a machine has its reactions at every step, as the scheme gives them, and every
// event with the state on both sides.
TEST(MachineRecord, HasReactionsAndEvents) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  Simulation simulation(scene::load(folder.write("scene.yaml", kMachine)));
  simulation.record_to(scratch / "run.h5");
  std::vector<dynamics::Reaction> last;
  std::vector<stepping::Event> events;
  simulation.observe([&](const Simulation& s) {
    last.assign(s.scheme().reactions().begin(), s.scheme().reactions().end());
    events.insert(events.end(), s.scheme().events().begin(), s.scheme().events().end());
  });
  EXPECT_EQ(simulation.run().uncertified_steps, 0);
  const record::RecordReader reader(scratch / "run.h5");
  const record::Array force = reader.array("reactions/bearing/force");
  ASSERT_EQ(force.shape, (std::vector<Index>{50, 2}));
  ASSERT_EQ(last.size(), 3U);
  EXPECT_EQ(force.values[98], last[0].force.x());
  EXPECT_EQ(force.values[99], last[0].force.y());
  EXPECT_EQ(reader.array("reactions/bearing/friction").values.back(), last[0].friction);
  EXPECT_EQ(reader.array("drives/motor/effort").values.back(), last[2].effort);
  EXPECT_NE(last[0].friction, 0);
  EXPECT_EQ(last[0].moment.z(), 0);

  ASSERT_GE(events.size(), 3U);  // the ball's impacts, the rope's
  const record::Array time = reader.array("events/time");
  ASSERT_EQ(time.values.size(), events.size());
  const record::Array impulse = reader.array("events/impulse");
  const record::Array after = reader.array("events/velocity_after");
  ASSERT_EQ(after.shape, (std::vector<Index>{static_cast<Index>(events.size()), 4, 3}));
  bool has_impact = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(time.values[i], events[i].time);
    EXPECT_EQ(impulse.values[2 * i], events[i].impulse.x());
    EXPECT_EQ(after.values[12 * i + 9], events[i].v_after[9]);
    has_impact |= events[i].kind == stepping::EventKind::impact;
  }
  EXPECT_TRUE(has_impact);

  std::ostringstream table, joints, velocities;
  record::write_series_csv(reader, "events", table);
  EXPECT_TRUE(table.str().starts_with(
      "step,time [s],kind,contact,body_a,body_b,impulse_normal [N s],impulse_tangent [N s],"))
      << table.str().substr(0, 100);
  EXPECT_NE(table.str().find(",impact,"), std::string::npos);
  EXPECT_NE(table.str().find(",floor,ball,"), std::string::npos);
  record::write_series_csv(reader, "reactions/bearing", joints);
  EXPECT_TRUE(joints.str().starts_with("step,time [s],bearing/force_x [N],bearing/force_y [N],"))
      << joints.str().substr(0, 100);
  record::write_series_csv(reader, "events/velocity_after", velocities);
  EXPECT_TRUE(velocities.str().starts_with("step,time [s],body,velocity_after_x"))
      << velocities.str().substr(0, 100);
}

// Two machines joined by nothing write the same reactions: a hanging weight of 1 kg on a hinge
// pulls with 9.81 N in both schemes.
TEST(MachineRecord, ReactionsOfBothSchemes) {
  for (const std::string name : {"event_driven", "stewart_trinkle"}) {
    const scene::SceneFolder folder;
    const test::Scratch scratch;
    Simulation simulation(
        scene::load(folder.write("scene.yaml", "dimension: 2\nscheme: " + name + R"(
time: {step: 10 ms, end: 0.1}
bodies:
  - {name: ceiling, fixed: true, shape: {disc: 1 cm}}
  - {name: weight, mass: 1, shape: {disc: 5 cm}, position: [0, -1, 0]}
joints: [{name: hook, between: [ceiling, weight], revolute: {at: [0, 0]}}]
)")));
    simulation.record_to(scratch / "run.h5");
    EXPECT_EQ(simulation.run().uncertified_steps, 0);
    const record::Array force =
        record::RecordReader(scratch / "run.h5").array("reactions/hook/force");
    EXPECT_NEAR(force.values.back(), 9.81, 1e-8) << name;
  }
}

// A record says with which options its machine was moved, every one as the scene has set it; to go
// on with another one is a difference that is told.
TEST(MachineRecord, HasItsOptions) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  const auto with = [&](const std::string& scheme) {
    std::string text = kMachine;
    text.replace(text.find("event_driven"), 12, scheme);
    return scene::load(folder.write("scene.yaml", text));
  };
  const std::string all =
      "{name: event_driven, integrator: generalized_alpha, internal_step: 1 ms, radius: 0.7, "
      "stabilisation: projection, impacts: sequential, restitution: as_given, "
      "on_painleve: time_step}";
  const auto options = nlohmann::json::parse(options_as_json(with(all)))["machine"];
  EXPECT_EQ(options["integrator"], "generalized_alpha");
  EXPECT_EQ(options["internal_step"], 1e-3);
  EXPECT_EQ(options["radius"], 0.7);
  EXPECT_EQ(options["stabilisation"], "projection");
  EXPECT_EQ(options["impacts"], "sequential");
  EXPECT_EQ(options["restitution"], "as_given");
  EXPECT_EQ(options["on_painleve"], "time_step");
  const std::string baumgarte =
      "{name: event_driven, integrator: rk4, internal_step: 1 ms, stabilisation: baumgarte, "
      "baumgarte: {alpha: 100, beta: 200, form: squared}}";
  const auto other = nlohmann::json::parse(options_as_json(with(baumgarte)))["machine"];
  EXPECT_EQ(other["stabilisation"], "baumgarte");
  EXPECT_EQ(other["alpha"], 100);
  EXPECT_EQ(other["beta"], 200);
  EXPECT_EQ(other["squared"], true);
  EXPECT_EQ(nlohmann::json::parse(options_as_json(
                with("{name: event_driven, tolerance: 1e-7}")))["machine"]["tolerance"],
            1e-7);
  EXPECT_FALSE(nlohmann::json::parse(options_as_json(with("moreau_midpoint"))).contains("machine"));

  Simulation simulation(with("{name: event_driven, tolerance: 1e-7}"));
  simulation.record_to(scratch / "run.h5");
  (void)simulation.run();
  const Resumption from = read_resumption(scratch / "run.h5");
  EXPECT_EQ(nlohmann::json::parse(from.options)["machine"]["tolerance"], 1e-7);
  bool is_told = false;
  for (const std::string& line : differences(from, with("{name: event_driven, tolerance: 1e-8}")))
    is_told = is_told || line == "machine.tolerance is 1e-08, it was 1e-07";
  EXPECT_TRUE(is_told);
}

// Bodies that only touch have events as well, without any joint or law of a surface.
TEST(MachineRecord, HasEventsOfBodiesThatOnlyTouch) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  Simulation simulation(scene::load(folder.write("scene.yaml", R"(
dimension: 2
scheme: event_driven
time: {step: 10 ms, end: 1}
contacts: {default: {restitution: 0.5}}
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}}
  - {name: ball, mass: 1, shape: {disc: 5 cm}, position: [0, 1, 0]}
)")));
  simulation.record_to(scratch / "run.h5");
  EXPECT_EQ(simulation.run().uncertified_steps, 0);
  const record::RecordReader reader(scratch / "run.h5");
  const record::Array time = reader.array("events/time");
  ASSERT_EQ(time.values.size(), 2U);
  const Real first =
      std::sqrt(2 * 0.95 / 9.81);  // it falls 95 cm, then flies for √(2h/g) with e = 1/2
  EXPECT_NEAR(time.values[0], first, 1e-9);
  EXPECT_NEAR(time.values[1], 2 * first, 1e-9);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
