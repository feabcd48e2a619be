#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include <support/scratch.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/reader.hpp>
#include <talus/stepping/scheme.hpp>
#include <unit/scene/scene_folder.hpp>
#include <unit/sim/falling_balls.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using record::RunStatus;
using test::fake_scheme;
using test::falling_balls;
using test::Scratch;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

model::State state_after(Index steps) { return test::state_after(falling_balls(), steps); }

// on_uncertified: accept goes on and counts.
TEST(Uncertified, AcceptCountsAndGoesOn) {
  Simulation simulation(falling_balls(), fake_scheme(12));
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.status, RunStatus::finished);
  EXPECT_EQ(summary.steps, 50);
  EXPECT_EQ(summary.uncertified_steps, 1);
  EXPECT_EQ(summary.first_uncertified_step, 12);
  EXPECT_EQ(summary.worst_certificate.measure.value, 3.1e-4);
  EXPECT_EQ(summary.worst_certificate.step, 12);
  EXPECT_EQ(summary.worst_certificate.bodies, "floor–ball[0]");
  EXPECT_FALSE(simulation.failure());
}

// on_uncertified: stop ends the run at that step and saves the problem and the state before it; the
// message names step, time, solver, residual, tolerance, worst contact, and the command that
// repeats it.
TEST(Uncertified, StopSavesProblemAndState) {
  const Scratch scratch;
  scene::Scene scene = falling_balls();
  scene.on_uncertified = scene::OnUncertified::stop;
  Simulation simulation(std::move(scene), fake_scheme(12));
  simulation.record_to(scratch / "my run.h5");
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.status, RunStatus::stopped);
  EXPECT_EQ(summary.steps, 12);
  ASSERT_TRUE(simulation.failure());
  const Failure& failure = *simulation.failure();

  EXPECT_EQ(failure.step, 12);
  EXPECT_EQ(failure.state, scratch / "my run.state_0000012.h5");
  EXPECT_EQ(record::read_state(failure.state).hash(), state_after(11).hash());
  EXPECT_EQ(failure.problem, scratch / "my run.failed_0000012.hdf5");
  const auto problem =
      std::get<problem::GlobalFrictionContact>(exchange::read_fclib(failure.problem.string()));
  EXPECT_EQ(problem.contact_count(), 3);
  EXPECT_EQ(problem.f, simulation.scheme().last_problem()->f);

  for (const char* part :
       {"step 12, t = 0.012 s: auto ended with max_iterations after 10000 iterations",
        "natural map 3.10e-04 (asked 1e-06)", "worst contact 0: floor–ball[0], μ = 0.9",
        "my run.failed_0000012.hdf5' --solver auto --tol 1e-06", "causes seen often"})
    EXPECT_TRUE(contains(failure.message, part)) << part << "\nnot in\n" << failure.message;

  const record::RecordReader reader(scratch / "my run.h5");
  EXPECT_EQ(reader.status(), "stopped");
  EXPECT_EQ(reader.step_count(), 12);
  EXPECT_EQ(reader.array("certificates/is_certified").values[11], 0);
}

// A step that is not finite ends the run under any policy; the state stays the last good one.
TEST(NotFinite, AlwaysStops) {
  const Scratch scratch;
  Simulation simulation(falling_balls(), fake_scheme(-1, 8));
  simulation.record_to(scratch / "run.h5");
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.status, RunStatus::stopped);
  EXPECT_EQ(summary.steps, 7);
  EXPECT_EQ(summary.uncertified_steps, 1);
  EXPECT_EQ(summary.state_hash, state_after(7).hash());
  EXPECT_TRUE(std::isinf(summary.worst_certificate.measure.value));
  EXPECT_TRUE(contains(simulation.failure()->message, "numerical_error"));
  EXPECT_TRUE(contains(simulation.failure()->message, "a velocity is not finite"));
  EXPECT_EQ(record::read_state(simulation.failure()->state).hash(), state_after(7).hash());
  EXPECT_EQ(record::RecordReader(scratch / "run.h5").step_count(), 8)
      << "the lost step is on record";
}

// A state saved after a lost step is the one before it, without the contacts of the attempt: what a
// scheme remembers of a step that was not taken belongs to no state.
TEST(NotFinite, LeavesNoMemoryOfTheAttempt) {
  const Scratch scratch;
  Simulation simulation(falling_balls(), fake_scheme(-1, 8));
  simulation.save_failures_as(scratch / "balls");
  simulation.run();
  ASSERT_FALSE(simulation.scheme().memory().contacts.empty());
  const record::Checkpoint checkpoint = simulation.checkpoint();
  EXPECT_EQ(checkpoint.state.hash(), state_after(7).hash());
  EXPECT_EQ(checkpoint.step, 7);
  EXPECT_FALSE(checkpoint.has_memory);
  EXPECT_TRUE(checkpoint.memory.contacts.empty());
}

// A run that may stop keeps what the last good step left to the next: with it the failing step is
// repeated, warm start and all.
TEST(Uncertified, StopSavesTheMemoryBefore) {
  const Scratch scratch;
  scene::Scene scene = falling_balls();
  scene.on_uncertified = scene::OnUncertified::stop;
  Simulation simulation(std::move(scene), fake_scheme(9));
  simulation.record_to(scratch / "run.h5");
  simulation.run();
  const record::Checkpoint before = record::read_checkpoint(simulation.failure()->state);
  EXPECT_TRUE(before.has_memory);
  ASSERT_EQ(before.memory.contacts.size(), 3U);
  EXPECT_EQ(before.memory.contacts[0].impulse.z(), 8) << "of step 8";
}

// The problem of a machine has no file format: the state before the step, with what the scheme
// remembers, repeats it bit for bit, to the same verdict and the same velocities.
TEST(Uncertified, AMachinesStepIsRepeatedFromItsState) {
  const Scratch scratch;
  const scene::SceneFolder folder;
  const auto load = [&] {
    return scene::load(folder.write("scene.yaml", R"(
time: {step: 5 ms, end: 1}
scheme: moreau_jean
solver: {tolerance: 1e-14, max_iterations: 20}
on_uncertified: stop
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: one, mass: 1, shape: {box: [0.4, 0.1, 0.1]}, position: [0.2, 0, 0.3]}
  - {name: two, mass: 1, shape: {box: [0.4, 0.1, 0.1]}, position: [0.6, 0, 0.3], angular_velocity: [1, 5, 2]}
joints:
  - {name: hinge, between: [one, two], revolute: {at: [0.4, 0, 0.3], axis: [0, 1, 0]}, turn: {limits: [-0.5, 0.5], dry_friction: 0.1 N m}}
)"));
  };
  Simulation simulation(load());
  simulation.save_failures_as(scratch / "machine");
  simulation.run();
  ASSERT_TRUE(simulation.failure());
  const Failure& failure = *simulation.failure();
  EXPECT_TRUE(failure.problem.empty());
  EXPECT_TRUE(contains(failure.message, "the state repeats it")) << failure.message;
  ASSERT_GT(failure.step, 2);

  Simulation again(load());
  again.save_failures_as(scratch / "again");
  again.resume(record::read_checkpoint(failure.state));
  again.step();
  EXPECT_EQ(again.summary().steps, failure.step);
  EXPECT_EQ(again.last_report().status, simulation.last_report().status);
  EXPECT_EQ(again.last_report().iterations, simulation.last_report().iterations);
  EXPECT_EQ(again.last_report().certificate.natural_map,
            simulation.last_report().certificate.natural_map);
  EXPECT_EQ(again.state().hash(), simulation.state().hash());
}

// A scheme that breaks its word and returns a state that is not finite is caught all the same.
TEST(NotFinite, IsCaughtInTheState) {
  class Broken final : public test::FakeScheme {
   public:
    using FakeScheme::FakeScheme;
    stepping::StepReport step(model::State& state, Real h) override {
      const stepping::StepReport report = FakeScheme::step(state, h);
      if (state.time > 0.0045) state.velocity[1].x() = std::nan("");
      return report;
    }
  };
  const Scratch scratch;
  Simulation simulation(falling_balls(), [](const model::Model& model, const auto&) {
    return std::make_unique<Broken>(model);
  });
  simulation.record_to(scratch / "run.h5");
  EXPECT_EQ(simulation.run().status, RunStatus::stopped);
  EXPECT_EQ(simulation.summary().steps, 4);
  EXPECT_TRUE(simulation.state().is_finite());
}

// What cannot be saved is named in the message, and the rest is still saved.
TEST(Failure, NamesWhatCouldNotBeSaved) {
  const Scratch scratch;
  scene::Scene scene = falling_balls();
  scene.on_uncertified = scene::OnUncertified::stop;
  Simulation simulation(std::move(scene), fake_scheme(3));
  simulation.record_to(scratch / "run.h5");
  std::ofstream(scratch / "run.failed_0000003.hdf5") << "mine";
  simulation.run();
  EXPECT_TRUE(contains(simulation.failure()->message, "not saved: "));
  EXPECT_TRUE(simulation.failure()->problem.empty());
  EXPECT_EQ(fs::file_size(scratch / "run.failed_0000003.hdf5"), 4U);
  EXPECT_TRUE(fs::exists(simulation.failure()->state));
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
