#include <gtest/gtest.h>

#include <cstring>

#include <fmt/format.h>

#include <support/same_numbers.hpp>
#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/record/reader.hpp>
#include <talus/sim/resume.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

const char* const kBalls = R"(
materials: {glass: {density: 2500}}
contacts: {default: {friction: 0.5, restitution: 0.3}}
solver: {tolerance: 1e-5}
bodies:
  - {name: floor, shape: {plane: {}}, motion: {shake: {amplitude: [0, 0, 2 mm], frequency: 20}}}
  - name: grains
    material: glass
    lattice: {shape: {sphere: 10 mm}, count: [3, 3, 5], spacing: 21 mm, origin: [0, 0, 12 mm],
              size_spread: 5 %, jitter: 0.3 mm}
)";

const char* const kBoxes = R"(
contacts: {default: {friction: 0.4}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: boxes
    density: 700
    lattice: {shape: {box: 20 cm}, count: [1, 1, 4], spacing: 20.3 cm, origin: [0, 0, 10.1 cm],
              jitter: 1 cm, random_orientation: false}
  - {name: ball, density: 3000, shape: {sphere: 8 cm}, position: [-0.5, 0, 0.5], velocity: [5, 0, 1]}
)";

const char* const kSleepers = R"(
contacts: {default: {friction: 0.4}}
scheme: {sleeping: true}
solver: {tolerance: 1e-4}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: boxes
    density: 700
    lattice: {shape: {box: 20 cm}, count: [3, 1, 2], spacing: 20.3 cm, origin: [0, 0, 10.1 cm], random_orientation: false}
  - {name: pebble, density: 700, shape: {sphere: 3 cm}, position: [-0.5, 0, 0.03]}
  - {name: ball, density: 3000, shape: {sphere: 8 cm}, position: [-1.2, 0, 0.4], velocity: [7, 0, 0]}
)";

const char* const kMachine = R"(
dimension: 2
contacts: {default: {friction: 0.4}}
scheme: {name: stewart_trinkle}
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}}
  - {name: low, mass: 1, shape: {box: [0.2, 0.2, 1]}, position: [0, 0.1, 0]}
  - {name: high, mass: 1, shape: {rod: {length: 0.3, radius: 0.02}}, position: [0.05, 0.3, 0], angular_velocity: [0, 0, 3]}
  - {name: wheel, mass: 1, shape: {disc: 0.1}, position: [1, 1, 0], angular_velocity: [0, 0, 100]}
  - {name: gear, mass: 1, shape: {disc: 0.1}, position: [1.2, 1, 0], angular_velocity: [0, 0, -100]}
joints:
  - {name: hub, between: [floor, wheel], revolute: {at: [1, 1], pin_radius: 1 cm}}
  - {name: axle, between: [floor, gear], revolute: {at: [1.2, 1]}}
  - {name: teeth, between: [wheel, gear], gear: 1}
forces:
  - {name: coil, between: [floor, wheel], torsion_spring: {stiffness: 0.5}}
)";

const char* const kMachineByEvents = R"(
dimension: 2
contacts: {default: {friction: 0.4, static_friction: 0.5, restitution: 0.3, friction_law: {viscous: 0.1}}}
scheme: {name: event_driven}
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}}
  - {name: low, mass: 1, shape: {box: [0.2, 0.2, 1]}, position: [0, 0.1, 0]}
  - {name: high, mass: 1, shape: {rod: {length: 0.3, radius: 0.02}}, position: [0.05, 0.3, 0], angular_velocity: [0, 0, 3]}
  - {name: wheel, mass: 1, shape: {disc: 0.1}, position: [1, 1, 0], angular_velocity: [0, 0, 100]}
  - {name: gear, mass: 1, shape: {disc: 0.1}, position: [1.2, 1, 0], angular_velocity: [0, 0, -100]}
joints:
  - {name: hub, between: [floor, wheel], revolute: {at: [1, 1], pin_radius: 1 cm}, friction: {friction: 0.1, friction_law: {dahl: {stiffness: 1000}}}}
  - {name: axle, between: [floor, gear], revolute: {at: [1.2, 1]}}
  - {name: teeth, between: [wheel, gear], gear: 1}
forces:
  - {name: coil, between: [floor, wheel], torsion_spring: {stiffness: 0.5}}
)";

const char* const kPlanar = R"(
dimension: 2
contacts: {default: {friction: 0.4}}
scheme: {name: stewart_trinkle}
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}}
  - {name: low, mass: 1, shape: {box: [0.2, 0.2, 1]}, position: [0, 0.1, 0]}
  - {name: high, mass: 1, shape: {rod: {length: 0.3, radius: 0.02}}, position: [0.05, 0.3, 0], angular_velocity: [0, 0, 3]}
)";

// Bodies come in and go out before nearly every step, those before steps 99 and 101 too.
const char* const kRain = R"(
contacts: {default: {friction: 0.4}}
solver: {tolerance: 1e-5}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: grains
    density: 2500
    velocity: [0, 0, -2]
    source: {shape: {sphere: 10 mm}, size_spread: 10 %, count: 300, rate: 1000, velocity_spread: 1,
             region: {min: [-0.2, -0.2, 0.02], max: [0.2, 0.2, 0.1]}}
  - name: sticks
    density: 700
    source: {shape: {capsule: {radius: 5 mm, length: 2 cm}}, count: 40, rate: 200,
             random_orientation: true, region: {min: [-0.2, -0.2, 0.1], max: [0.2, 0.2, 0.15]}}
sinks: [{name: rim, region: {min: [0.1, -.inf, -.inf]}}]
)";

const char* const kHail = R"(
contacts: {default: {friction: 0.4}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: hail
    density: 700
    velocity: [2, 0, -3]
    source: {shape: {box: 2 cm}, count: 30, rate: 150, random_orientation: true,
             region: {min: [-0.2, -0.2, 0], max: [0.1, 0.2, 0.1]}}
sinks: [{name: rim, region: {min: [0.1, -.inf, -.inf]}}]
)";

// A pendulum with a motor and a stop; it swings freely in the other one.
const char* const kArm = R"(
bodies:
  - {name: upper, shape: {box: [0.4, 0.04, 0.04]}, density: 1000, position: [0.2, 0, 1], collides: false}
  - {name: lower, shape: {box: [0.4, 0.04, 0.04]}, density: 1000, position: [0.6, 0, 1], collides: false}
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: box, shape: {box: 2 cm}, density: 700, position: [0, 0.5, 0.02], velocity: [0.3, 0, 0]}
joints:
  - name: shoulder
    between: upper
    revolute: {at: [0, 0, 1], axis: [0, 1, 0]}
    turn: {limits: [-10 deg, 20 deg], motor: {velocity: 1, max_effort: 0.5}, dry_friction: 0.1}
  - {name: elbow, between: [upper, lower], ball: {at: [0.4, 0, 1]}}
)";
const char* const kPendulum = R"(
bodies:
  - {name: upper, shape: {box: [0.4, 0.04, 0.04]}, density: 1000, position: [0.2, 0, 1], collides: false}
  - {name: lower, shape: {box: [0.4, 0.04, 0.04]}, density: 1000, position: [0.6, 0, 1], collides: false}
joints:
  - name: shoulder
    between: upper
    revolute: {at: [0, 0, 1], axis: [0, 1, 0]}
    turn: {spring: {stiffness: 2 N m/rad}, damping: 0.1 N m s/rad, armature: 0.01}
  - {name: elbow, between: [upper, lower], ball: {at: [0.4, 0, 1]}}
)";

// Two boxes and their hinge sleep until a ball strikes them.
const char* const kSleepingMachine = R"(
contacts: {default: {friction: 0.4}}
scheme: {sleeping: true}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: left, density: 700, shape: {box: 20 cm}, position: [0, 0, 0.1]}
  - {name: right, density: 700, shape: {box: 20 cm}, position: [0.25, 0, 0.1]}
  - {name: ball, density: 3000, shape: {sphere: 8 cm}, position: [-1.1, 0, 0.2], velocity: [7, 0, 0]}
joints:
  - name: hinge
    between: [left, right]
    revolute: {at: [0.125, 0, 0.1], axis: [0, 1, 0]}
    turn: {spring: {stiffness: 20 N m/rad}, damping: 1 N m s/rad}
)";

// Grains come in above others that sleep, and wake them.
const char* const kWakingRain = R"(
contacts: {default: {friction: 0.4}}
scheme: {name: moreau_jean, sleeping: true}
solver: {tolerance: 1e-5}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: sleepers
    density: 2500
    lattice: {shape: {box: 2 cm}, count: [6, 6, 1], spacing: 25 mm, origin: [-0.06, -0.06, 0.01]}
  - name: grains
    density: 2500
    velocity: [0.5, 0, -2]
    source: {shape: {sphere: 6 mm}, count: 300, rate: 300, start: 40 ms,
             region: {min: [-0.1, -0.1, 0.1], max: [0.1, 0.1, 0.15]}}
sinks: [{name: rim, region: {min: [0.05, -.inf, -.inf]}}]
)";

scene::Overrides timed(Real end, std::optional<Real> step_size = {}) {
  scene::Overrides overrides;
  overrides.end_time = end;
  overrides.step_size = step_size;
  return overrides;
}

scene::Overrides tolerant(Real tolerance) {
  scene::Overrides overrides;
  overrides.tolerance = tolerance;
  return overrides;
}

struct Case {
  const char* name;
  const char* scene;
  const char* scheme;
  const char* solver;
};

class Resume : public testing::TestWithParam<Case> {
 protected:
  scene::Scene load(Real end) const {
    scene::Overrides overrides;
    overrides.end_time = end;
    overrides.step_size = 1e-3;
    if (GetParam().scheme != nullptr) overrides.scheme = GetParam().scheme;
    if (GetParam().solver != nullptr) overrides.solver = GetParam().solver;
    scene::Scene scene = folder_.load(GetParam().scene, overrides);
    if (overrides.scheme && *overrides.scheme != "moreau_jean")
      for (model::InterfaceLaw& law : scene.model.laws) law.impact.restitution = 0;
    scene.record_every = 7;
    return scene;
  }
  const scene::SceneFolder folder_;
  const test::Scratch scratch_;
};

// 200 steps are 100 steps, a state file, and 100 more: the same bits, for every scheme.
TEST_P(Resume, FromAStateFile) {
  Simulation whole(load(0.2));
  const std::uint64_t hash = whole.run().state_hash;
  ASSERT_EQ(whole.summary().steps, 200);
  const bool has_joints = whole.summary().joints.worst.constraint_count > 0;
  ASSERT_TRUE(whole.summary().max_contacts > 1 || has_joints) << "nothing happened";
  Simulation first(load(0.1));
  first.run();
  record::write_checkpoint(scratch_ / "half.h5", first.checkpoint());
  Simulation second(load(0.2));
  second.resume(read_resumption(scratch_ / "half.h5").checkpoint);
  EXPECT_EQ(second.run().state_hash, hash);
  EXPECT_EQ(second.summary().steps, 200);
  EXPECT_EQ(second.summary().resumed_from_step, 100);
  EXPECT_EQ(second.state().time, whole.state().time);
}

// The same from a record and in it: in the end it holds what the record of the whole run holds,
// times of the clock apart. Steps after the last frame, as a killed run leaves them, are made
// again.
TEST_P(Resume, InItsRecord) {
  Simulation whole(load(0.2));
  whole.record_to(scratch_ / "whole.h5");
  whole.run();
  {
    Simulation killed(load(0.2));
    killed.record_to(scratch_ / "part.h5", "", {.flush_bytes = 1});
    for (int k = 0; k < 102; ++k) killed.step();  // the last frame is of step 98
  }
  ASSERT_EQ(record::RecordReader(scratch_ / "part.h5").step_count(), 102);
  const Resumption from = read_resumption(scratch_ / "part.h5");
  ASSERT_EQ(from.checkpoint.step, 98);
  Simulation rest(load(0.2));
  EXPECT_TRUE(differences(from, rest.scene()).empty());
  rest.resume(from.checkpoint);
  rest.record_on(scratch_ / "part.h5");
  EXPECT_EQ(rest.run().state_hash, whole.summary().state_hash);
  const record::RecordReader expected(scratch_ / "whole.h5"), found(scratch_ / "part.h5");
  EXPECT_EQ(found.status(), "finished");
  std::vector<record::Series> all(record::kSeries.begin(), record::kSeries.end());
  for (const auto& table : record::kOptionalSeries)
    if (expected.has(table[0].path)) all.insert(all.end(), table.begin(), table.end());
  if (expected.has(record::kMachineSeries[0].path))
    all.insert(all.end(), record::kMachineSeries.begin(), record::kMachineSeries.end());
  for (const record::Series& series : all) {
    const std::string path(series.path);
    if (path == "timings/step") continue;
    EXPECT_EQ(found.array(path).shape, expected.array(path).shape) << path;
    const std::vector<Real> a = found.array(path).values, b = expected.array(path).values;
    ASSERT_EQ(a.size(), b.size()) << path;
    EXPECT_TRUE(test::same_numbers(a, b)) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Schemes, Resume,
    testing::Values(
        Case{"balls", kBalls, nullptr, nullptr}, Case{"boxes", kBoxes, nullptr, nullptr},
        Case{"boxes_nsgs", kBoxes, nullptr, "nsgs"},
        Case{"boxes_implicit", kBoxes, "stewart_trinkle", nullptr},
        Case{"boxes_cones", kBoxes, "anitescu_potra", "nsgs"},
        Case{"sleepers", kSleepers, nullptr, nullptr}, Case{"rain", kRain, nullptr, nullptr},
        Case{"sleeping_machine", kSleepingMachine, nullptr, nullptr},
        Case{"waking_rain", kWakingRain, nullptr, nullptr},
        Case{"hail_implicit", kHail, "stewart_trinkle", nullptr},
        Case{"planar", kPlanar, nullptr, nullptr}, Case{"machine", kMachine, nullptr, nullptr},
        Case{"arm", kArm, nullptr, nullptr}, Case{"arm_implicit", kArm, "stewart_trinkle", nullptr},
        Case{"arm_cones", kArm, "stewart_trinkle", "nsgs"},
        Case{"pendulum_index_3", kPendulum, "index_3", nullptr},
        Case{"machine_by_events", kMachineByEvents, nullptr, nullptr}),
    [](const auto& entry) { return entry.param.name; });

// The steps that look for rest leave to the next one what they found: from the state after any step
// about them (every 64th and the one after it) a run goes on bit for bit.
TEST(ResumeOptions, AboutStepsThatLookForRest) {
  const scene::SceneFolder folder;
  const std::string columns = R"(
contacts: {default: {friction: 0.6}}
scheme: {sleeping: true}
solver: {tolerance: 1e-4}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: boxes
    density: 1000
    lattice: {shape: {box: 10 cm}, count: [1, 1, 5], spacing: 10.02 cm, origin: [0, 0, 5.01 cm]}
)";
  const auto load = [&](Real end) { return folder.load(columns, timed(end, 1e-3)); };
  Simulation whole(load(0.08));
  whole.run();
  for (Index i = 1; i <= 5; ++i)
    ASSERT_TRUE(whole.state().velocity[i].isZero(0)) << "rest was not found";
  for (int steps = 62; steps <= 68; ++steps) {
    Simulation first(load(1e-3 * steps));
    first.run();
    Simulation second(load(0.08));
    second.resume(first.checkpoint());
    EXPECT_EQ(second.run().state_hash, whole.summary().state_hash) << "from step " << steps;
    ASSERT_EQ(second.scheme().contacts().size(), whole.scheme().contacts().size());
    for (std::size_t c = 0; c < whole.scheme().contacts().size(); ++c)
      EXPECT_EQ(second.scheme().contacts()[c].impulse, whole.scheme().contacts()[c].impulse)
          << "contact " << c << " from step " << steps;
  }
}

// A record counts sleeping bodies from its beginning to its end or not at all: continued without
// sleeping it has zeros from there on, and one of a run without sleeping stays without the count.
TEST(ResumeOptions, ARecordKeepsCountingSleepers) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  const auto load = [&](Real end, bool sleeps) {
    scene::Scene scene = folder.load(kSleepers, timed(end, 1e-3));
    scene.scheme.sleeping = sleeps;
    return scene;
  };
  for (const bool slept : {true, false}) {
    const std::filesystem::path path = scratch / (slept ? "slept.h5" : "awake.h5");
    Simulation first(load(0.1, slept));
    first.record_to(path);
    first.run();
    Simulation second(load(0.15, !slept));
    second.resume(read_resumption(path).checkpoint);
    second.record_on(path);
    second.run();
    const record::RecordReader reader(path);
    ASSERT_EQ(reader.step_count(), 150);
    ASSERT_EQ(reader.has("steps/sleeping"), slept);
    if (!slept) {
      EXPECT_GT(second.summary().sleep.most, 0);
      continue;
    }
    const std::vector<Real> count = reader.array("steps/sleeping").values;
    ASSERT_EQ(count.size(), 150U);
    EXPECT_EQ(first.summary().sleep.now, 7);
    EXPECT_EQ(count[99], 7);
    EXPECT_EQ(count[100], 0);
    EXPECT_EQ(count[149], 0);
  }
}

// A resumption with another step goes on from the time it has; its steps count on.
TEST(ResumeOptions, MayChangeTheStep) {
  const scene::SceneFolder folder;
  Simulation first(folder.load(kBalls, timed(0.1, 1e-3)));
  first.run();
  Simulation second(folder.load(kBalls, timed(0.15, 5e-4)));
  second.resume(first.checkpoint());
  EXPECT_EQ(second.run().steps, 200);
  EXPECT_EQ(second.state().time, first.state().time + 100 * 5e-4);
  // The times of a third leg count from where it starts too: it has the step of the second.
  Simulation third(folder.load(kBalls, timed(0.2, 5e-4)));
  third.resume(second.checkpoint());
  EXPECT_EQ(third.run().steps, 300);
  EXPECT_EQ(third.state().time, second.state().time + 100 * 5e-4);
}

// The impulses of a step that was halved are those of its last part: resumed from a record they are
// scaled from the size of that part, not from that of the scene's step.
TEST(ResumeOptions, ImpulsesOfAHalvedStepAreOfItsLastPart) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  const std::string scene = R"(
scheme: {name: moreau_jean, max_halvings: 3}
contacts: {default: {friction: 0.4, restitution: 0.5}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: w0, fixed: true, shape: {plane: {normal: [1, 0, 0]}}, position: [-0.0338, 0, 0]}
  - {name: w1, fixed: true, shape: {plane: {normal: [-1, 0, 0]}}, position: [0.0338, 0, 0]}
  - {name: w2, fixed: true, shape: {plane: {normal: [0, 1, 0]}}, position: [0, -0.0338, 0]}
  - {name: w3, fixed: true, shape: {plane: {normal: [0, -1, 0]}}, position: [0, 0.0338, 0]}
  - name: b
    density: 2500
    lattice:
      shape: {sphere: 0.01}
      count: [3, 3, 3]
      spacing: 0.0212
      origin: [-0.0212, -0.0212, 0.0112]
      jitter: 0.0005
      size_spread: 0.05
)";
  Simulation whole(folder.load(scene, timed(0.2, 1e-3)));
  whole.run();
  int halved = 0;
  for (int steps = 145; steps <= 155; ++steps) {
    const std::string file = fmt::format("{}.h5", steps);
    Simulation first(folder.load(scene, timed(1e-3 * steps, 1e-3)));
    first.record_to(scratch / file);
    first.run();
    const Resumption from = read_resumption(scratch / file);
    halved += from.checkpoint.memory.step_size < 1e-3 ? 1 : 0;
    Simulation second(folder.load(scene, timed(0.2, 1e-3)));
    second.resume(from.checkpoint);
    EXPECT_EQ(second.run().state_hash, whole.summary().state_hash) << steps;
  }
  EXPECT_GT(halved, 0) << "no step was halved";
}

// Contacts start from the impulses that acted, which a record keeps, also where these were bounded
// by the energy after the solution: resumed from any step, the next one has the same bits.
TEST(ResumeOptions, EveryStepStartsFromTheImpulsesThatActed) {
  const scene::SceneFolder folder;
  const std::string scene = R"(
scheme: {name: moreau_midpoint}
contacts: {default: {friction: 0.5}}
solver: {tolerance: 1e-6}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: grain
    density: 700
    lattice:
      shape:
        clump: [{sphere: 8 mm}, {sphere: 8 mm, position: [12 mm, 0, 0]},
                {sphere: 8 mm, position: [6 mm, 10 mm, 0]}]
      count: [2, 2, 1]
      spacing: 30 mm
      origin: [0, 0, 20 mm]
      random_orientation: true
)";
  const auto load = [&] { return folder.load(scene, timed(0.3, 1e-3)); };
  Simulation whole(load());
  whole.step();
  for (int steps = 1; steps < 300; ++steps) {
    Simulation rest(load());
    rest.resume(whole.checkpoint());
    rest.step();
    whole.step();
    ASSERT_EQ(rest.state().hash(), whole.state().hash()) << "from step " << steps;
  }
  EXPECT_GT(whole.summary().max_contacts, 4);
}

// A body that a sink takes in the last step before a record ends has contacts in the search that is
// recalled: those of nothing that moves are no contacts, and the next search is made anew, as in
// the run that was not interrupted.
TEST(ResumeOptions, BodiesThatHaveJustLeftHaveNoContacts) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  const std::string scene = R"(
contacts: {default: {friction: 0.4}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: ball
    density: 2500
    velocity: [1, 0, 0]
    lattice:
      shape: {sphere: 0.01}
      count: [4, 2, 1]
      spacing: 0.0202
      origin: [-0.05, 0, 0.01]
sinks:
  - {name: end, outside: {min: [-1, -1, -1], max: [0.05, 1, 1]}}
)";
  Simulation whole(folder.load(scene, timed(0.2, 1e-3)));
  whole.run();
  ASSERT_EQ(whole.summary().population.out.bodies, 8);
  int left = 0;
  for (int steps = 40; steps <= 130; ++steps) {
    const std::string file = fmt::format("{}.h5", steps);
    Simulation first(folder.load(scene, timed(1e-3 * (steps - 1), 1e-3)));
    const Index before = first.run().population.out.bodies;
    Simulation last(folder.load(scene, timed(1e-3 * steps, 1e-3)));
    last.record_to(scratch / file);
    if (last.run().population.out.bodies == before) continue;
    left += 1;
    Simulation second(folder.load(scene, timed(0.2, 1e-3)));
    second.resume(read_resumption(scratch / file).checkpoint);
    EXPECT_EQ(second.run().state_hash, whole.summary().state_hash) << steps;
  }
  EXPECT_GT(left, 1) << "nothing left";
}

// What crossed a plane before the resumption is not counted by a record that starts there.
TEST(ResumeOptions, ANewRecordCountsFromItsStart) {
  const scene::SceneFolder folder;
  const std::string scene = std::string(kBalls) + R"(
probes: [{name: fall, mass_flow: {point: [0, 0, 95.5 mm], normal: [0, 0, -1]}}]
)";
  const auto load = [&](Real end) { return folder.load(scene, timed(end, 1e-3)); };
  const auto count = [](Simulation& simulation) { return simulation.measure("fall")[1]; };
  Simulation first(load(0.1));
  first.run();
  ASSERT_EQ(count(first), 9) << "the upper layer does not sink through the plane";
  Simulation second(load(0.11));
  second.resume(first.checkpoint());
  second.run();
  ASSERT_EQ(second.summary().steps, 110);
  EXPECT_EQ(count(second), 0);
}

// What makes a resumed run another one is told: the files, the options, missing contacts.
TEST(ResumeOptions, DifferencesAreTold) {
  const scene::SceneFolder folder;
  const test::Scratch scratch;
  Simulation first(folder.load(kBalls, timed(0.01)));
  first.record_to(scratch / "run.h5");
  first.run();
  const Resumption from = read_resumption(scratch / "run.h5");
  EXPECT_EQ(from.scene, folder.path() / "scene.yaml");
  EXPECT_TRUE(differences(from, folder.load(kBalls, timed(5))).empty());
  const auto stricter = differences(from, folder.load(kBalls, tolerant(1e-7)));
  ASSERT_EQ(stricter.size(), 1U);
  EXPECT_EQ(stricter[0], "solver.tolerance is 1e-07, it was 1e-05");
  EXPECT_EQ(differences(from, folder.load(std::string("title: new\n") + kBalls)).size(), 1U);
  record::write_state(scratch / "state.h5", first.state(), from.checkpoint.body_names);
  EXPECT_EQ(differences(read_resumption(scratch / "state.h5"), first.scene()).size(), 1U);
}

// A checkpoint of other bodies is refused.
TEST(ResumeOptions, OtherBodiesAreRefused) {
  const scene::SceneFolder folder;
  const record::Checkpoint checkpoint = Simulation(folder.load(kBoxes)).checkpoint();
  Simulation other(folder.load(kBalls));
  EXPECT_THROW(other.resume(checkpoint), InputError);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
