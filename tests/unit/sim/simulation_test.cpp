#include <gtest/gtest.h>

#include <support/scratch.hpp>
#include <talus/record/reader.hpp>
#include <unit/scene/scene_folder.hpp>
#include <unit/sim/falling_balls.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

using record::RunStatus;
using test::fake_scheme;
using test::falling_balls;

// The number of steps is the least that reaches the end time; round-off does not add one.
TEST(Simulation, TakesAsManySteps) {
  EXPECT_EQ(steps_between(0, 1, 1e-3), 1000);
  EXPECT_EQ(steps_between(0, 0.3, 0.1), 3);
  EXPECT_EQ(steps_between(0, 1, 0.3), 4);
  EXPECT_EQ(steps_between(0.5, 1, 0.1), 5);
  EXPECT_EQ(steps_between(2, 1, 0.1), 0);
}

// A record is called after the scene's file, or after the folder of a scene.yaml.
TEST(Simulation, NamesTheRecordAfterTheScene) {
  EXPECT_EQ(default_name("some/where/dominoes.yaml"), "dominoes");
  EXPECT_EQ(default_name("examples/four_balls/scene.yaml"), "four_balls");
  EXPECT_EQ(default_name("examples/four_balls"), "four_balls");
  EXPECT_EQ(default_name("examples/four_balls/"), "four_balls");
}

// The façade steps as the scheme alone would: same states, bit for bit, and a summary of them.
TEST(Simulation, StepsAsTheSchemeDoes) {
  const model::State state = test::state_after(falling_balls(), 50);
  Simulation simulation(falling_balls(), fake_scheme());
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.status, RunStatus::finished);
  EXPECT_EQ(summary.steps, 50);
  EXPECT_EQ(summary.state_hash, state.hash());
  EXPECT_EQ(simulation.state().hash(), state.hash());
  EXPECT_EQ(summary.time, state.time);
  EXPECT_EQ(summary.bodies, 4);
  EXPECT_EQ(summary.max_contacts, 3);
  EXPECT_EQ(summary.max_penetration, 1e-4 * 3);
  EXPECT_EQ(summary.uncertified_steps, 0);
  EXPECT_EQ(summary.worst_certificate.measure.value, 1e-9);
  EXPECT_EQ(summary.worst_certificate.step, 1);
  EXPECT_EQ(summary.iterations.max, 6);
}

// After k steps of size h from t₀ the time is t₀ + k h to the last bit, in the state, the summary
// and the record, also when the steps end behind the end time; a sum of 700 steps would be off.
TEST(Simulation, TellsTheTimeOfTheStepCount) {
  for (const Real start : {0.0, 0.25}) {
    const test::Scratch scratch;
    scene::Scene scene = falling_balls();
    scene.initial.time = start;
    scene.end_time = start + 0.7 - 0.3e-3;
    scene.record_every = 100;
    Real sum = start;
    Simulation simulation(std::move(scene), fake_scheme());
    simulation.record_to(scratch / "run.h5");
    simulation.observe([&](const Simulation& s) {
      sum += 1e-3;
      EXPECT_EQ(s.state().time, start + static_cast<Real>(s.summary().steps) * 1e-3);
      EXPECT_EQ(s.summary().time, s.state().time);
    });
    ASSERT_EQ(simulation.run().steps, 700);
    EXPECT_NE(simulation.state().time, sum) << "the sum hides the mistake";
    const record::RecordReader reader(scratch / "run.h5");
    EXPECT_EQ(reader.array("steps/time").values.at(699), start + 700 * 1e-3);
    EXPECT_EQ(reader.array("frames/time").values,
              (std::vector<Real>{start, start + 100 * 1e-3, start + 200 * 1e-3, start + 300 * 1e-3,
                                 start + 400 * 1e-3, start + 500 * 1e-3, start + 600 * 1e-3,
                                 start + 700 * 1e-3}));
  }
}

// Recording, with frequent flushes or not, and observers leave the answer as it is.
TEST(Simulation, WatchingDoesNotChangeTheAnswer) {
  const test::Scratch scratch;
  Simulation alone(falling_balls(), fake_scheme());
  Simulation watched(falling_balls(), fake_scheme());
  watched.record_to(scratch / "run.h5", "", {.flush_seconds = 0});
  Index seen = 0;
  watched.observe([&](const Simulation& s) { EXPECT_EQ(s.summary().steps, ++seen); });
  EXPECT_EQ(watched.run().state_hash, alone.run().state_hash);
  EXPECT_EQ(seen, 50);
}

// What decides nothing in a certificate is measured in the steps that have a frame and in those
// that are not certified, and nowhere else.
TEST(Simulation, CertifiesInFullWhereItIsShown) {
  constexpr Real kMeasured = 7;
  struct Scheme final : test::FakeScheme {
    using FakeScheme::FakeScheme;
    void certify_in_full(stepping::StepReport& report) const override {
      report.certificate.dual = kMeasured;
    }
  };
  const test::Scratch scratch;
  scene::Scene scene = falling_balls();
  scene.record_every = 20;
  Simulation simulation(std::move(scene), [](const model::Model& model, const auto&) {
    return std::make_unique<Scheme>(model, 12);  // its step 12 is not certified
  });
  simulation.record_to(scratch / "run.h5");
  (void)simulation.run();
  const std::vector<Real> dual =
      record::RecordReader(scratch / "run.h5").array("certificates/dual").values;
  std::vector<std::size_t> steps;
  for (std::size_t k = 0; k < dual.size(); ++k)
    if (dual[k] == kMeasured) steps.push_back(k + 1);
  EXPECT_EQ(steps, (std::vector<std::size_t>{12, 20, 40, 50}));
}

// The record has every step, a frame every so many steps, and the first and last state.
TEST(Simulation, RecordsFramesAsTheSceneSays) {
  const test::Scratch scratch;
  scene::Scene scene = falling_balls();
  scene.record_every = 20;
  Simulation simulation(std::move(scene), fake_scheme());
  simulation.record_to(scratch / "run.h5", "talus run balls");
  const Summary& summary = simulation.run();
  const record::RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.step_count(), 50);
  EXPECT_EQ(reader.array("frames/step").values, (std::vector<Real>{0, 20, 40, 50}));
  EXPECT_EQ(reader.frame(3).hash(), summary.state_hash);
  EXPECT_EQ(reader.status(), "finished");
  EXPECT_EQ(reader.text("provenance/command_line"), "talus run balls");
  EXPECT_EQ(summary.output, (scratch / "run.h5").string());
}

// Energies: the first and last total, and the largest rise from one step to the next, the first
// step included. The balls gain 3 g h² m/2 … per step by this made-up scheme: compared with sums.
TEST(Simulation, KeepsEnergyAccounts) {
  Simulation simulation(falling_balls(), fake_scheme());
  const Real initial = dynamics::energy(simulation.scene().model, simulation.state()).total();
  Real before = initial, rise = 0, last = 0;
  simulation.observe([&](const Simulation& s) {
    last = s.last_report().energy.total();
    rise = std::max(rise, last - before);
    before = last;
  });
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.energy.initial, initial);
  EXPECT_EQ(summary.energy.final, last);
  EXPECT_EQ(summary.energy.max_rise_in_a_step, rise);
}

// A stop condition ends the run after the step, with a complete record.
TEST(Simulation, CanBeInterrupted) {
  const test::Scratch scratch;
  Simulation simulation(falling_balls(), fake_scheme());
  simulation.record_to(scratch / "run.h5");
  const Summary& summary = simulation.run([&] { return simulation.summary().steps == 17; });
  EXPECT_EQ(summary.status, RunStatus::interrupted);
  EXPECT_EQ(summary.steps, 17);
  const record::RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.status(), "interrupted");
  EXPECT_EQ(reader.step_count(), 17);
  EXPECT_EQ(reader.frame(reader.frame_count() - 1).hash(), summary.state_hash);
}

// A run without steps is a run: the record holds the initial state.
TEST(Simulation, MayHaveNoSteps) {
  const test::Scratch scratch;
  scene::Scene scene = falling_balls();
  scene.end_time = 0;
  Simulation simulation(std::move(scene), fake_scheme());
  simulation.record_to(scratch / "run.h5");
  EXPECT_EQ(simulation.run().steps, 0);
  EXPECT_EQ(record::RecordReader(scratch / "run.h5").frame_count(), 1);
}

// Position level takes penetration apart island by island. One that lies on the ground to rounding,
// some point 4e-17 m in it, is no part of that when another one is pushed: asked to move by 1e-14
// m/s it answered with the rounding of its contacts, and the step was refused as stuck.
TEST(Simulation, WhatTouchesToRoundingIsNotStuck) {
  const scene::SceneFolder folder;
  const std::string scene = R"(scheme: stewart_trinkle
contacts: {default: {friction: 0.952}}
bodies:
- name: ground
  fixed: true
  shape:
   mesh:
    size: [3, 3]
    heights:
    - [0.0613, 0.0016, 0.0188, 0.0858, 0.0076, 0.0201, 0.063, 0.0099, 0.0152]
    - [0.018, 0.0132, 0.0984, 0.0765, 0.0253, 0.0491, 0.0211, 0.036, 0.0913]
    - [0.0063, 0.0201, 0.0266, 0.0956, 0.0784, 0.0109, 0.0889, 0.038, 0.0329]
    - [0.0071, 0.0371, 0.0978, 0.039, 0.0378, 0.0389, 0.0045, 0.0358, 0.0124]
    - [0.0087, 0.0271, 0.04, 0.0718, 0.0204, 0.0827, 0.023, 0.0436, 0.0511]
    - [0.0803, 0.0394, 0.0786, 0.0692, 0.0404, 0.0624, 0.01, 0.0434, 0.0104]
    - [0.0157, 0.065, 0.0676, 0.0401, 0.0975, 0.0745, 0.0024, 0.0112, 0.0257]
    - [0.0536, 0.036, 0.0554, 0.0526, 0.0925, 0.0659, 0.0819, 0.0312, 0.056]
    - [0.0963, 0.0725, 0.019, 0.0511, 0.0127, 0.0382, 0.0663, 0.0262, 0.0666]
- name: clump
  density: 1000
  position: [0, -0.15, 0.45]
  orientation: {quaternion: [-0.711586, 0.381307, -0.586697, -0.063543]}
  shape: {clump: [{sphere: 0.0551}, {box: [0.0607, 0.0925, 0.05], position: [0.0304, 0, 0]}]}
- name: ball
  density: 1000
  position: [0.55, -0.45, 0.45]
  orientation: {quaternion: [0.1487, -0.384041, 0.783939, -0.464586]}
  shape: {sphere: 0.0928}
- name: box
  density: 1000
  position: [0.55, -0.15, 0.45]
  orientation: {quaternion: [-0.197429, -0.241298, 0.496658, 0.810017]}
  shape: {box: [0.1639, 0.1878, 0.1294]}
joints:
- name: cross
  between: [ball, box]
  collides: true
  universal: {at: [0.55, -0.3, 0.45], axis: [1, 0, 0], second_axis: [0, 0, 1]}
)";
  scene::Overrides overrides;
  overrides.step_size = 1e-3;
  overrides.end_time = 0.3;
  Simulation simulation(folder.load(scene, overrides));
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.uncertified_steps, 0);
  EXPECT_EQ(summary.steps, 300);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
