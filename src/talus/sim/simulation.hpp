#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <talus/record/checkpoint.hpp>
#include <talus/record/recorder.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/command.hpp>
#include <talus/sim/failure.hpp>
#include <talus/sim/population.hpp>
#include <talus/sim/probe.hpp>
#include <talus/sim/summary.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/sensors.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping {
class Scheme;
}

namespace talus::sim {

/// An impulse from outside on a body.
struct Push {
  Index body = 0;
  Vec3 impulse = Vec3::Zero();  ///< [N s], world frame
  Vec3 moment = Vec3::Zero();   ///< about the centre of mass [N m s], world frame
};

/// A scene in motion: steps, records, watches, and stops where the scene says so.
///
///     sim::Simulation simulation(scene::load("scene.yaml"));
///     simulation.record_to("out.h5");
///     const sim::Summary& summary = simulation.run();
///
/// A step that is not finite always ends the run; an uncertified one does if the scene says
/// `on_uncertified: stop`. Either way the failing problem and the last good state are saved. All
/// steps have the same size h, so after k of them the time is t₀ + k h, rounded once, not a sum.
/// Bodies with a prescribed motion then stand exactly where it says, and their velocities are those
/// that take them to where they stand one step later.
/// Bodies that are due come in before a step, and those that a step has carried into a sink go out
/// before the next one (Population).
/// The answers do not depend on recording, observers or time.
class Simulation {
 public:
  using MakeScheme = std::function<std::unique_ptr<stepping::Scheme>(
      const model::Model&, const stepping::SchemeOptions&)>;
  /// Called after every step.
  using Observer = std::function<void(const Simulation&)>;

  /// With the scheme that the scene names.
  explicit Simulation(scene::Scene scene);
  /// @param make_scheme makes the scheme instead of the registry of stepping/: for tests.
  Simulation(scene::Scene scene, const MakeScheme& make_scheme);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Records from now on; call it before the first step.
  /// @param command_line for the provenance; may be empty.
  /// @throws InputError if the file cannot be written or is something else than a record.
  void record_to(const std::filesystem::path& path, const std::string& command_line = "",
                 record::RecorderOptions options = {});
  /// Continues from where a run of this scene ended; call it before record_to and the first step.
  /// With the same scene and options, and contacts in the checkpoint, every later state is that of
  /// the run that never ended, bit for bit; steps count on.
  /// @throws InputError if the checkpoint has other bodies than the scene, or internal variables of
  /// another scheme.
  void resume(const record::Checkpoint& checkpoint);
  /// Continues the record that the run was resumed from.
  /// @throws InputError as record_to.
  void record_on(const std::filesystem::path& path, record::RecorderOptions options = {});
  /// The run as it is now, to be resumed later.
  [[nodiscard]] record::Checkpoint checkpoint() const;
  /// Names the files that a failure leaves (save_failure), empty: it leaves none; otherwise as the
  /// record, or the scene.
  void save_failures_as(const std::filesystem::path& stem) { stem_ = stem; }
  /// Gives a long step up where it becomes true, polled within it by schemes of internal steps: the
  /// run then ends as `interrupted` with the step before. Once true it must stay true.
  void stop_within_steps(std::function<bool()> should_stop) {
    *should_stop_ = std::move(should_stop);
  }
  /// Lets ranks keep parts of states and contacts (stepping::Scheme::allow_parts) between frames,
  /// where nothing else in the scene reads all of them after each step. Observers then see the
  /// summary and the report, not the state; all is complete after finish(). The same on all ranks.
  /// @param has_frames whether some rank records.
  void allow_parts(bool has_frames);
  void observe(Observer observer) { observers_.push_back(std::move(observer)); }

  /// Takes one step; false if the run is over (end time reached, stopped, or interrupted within the
  /// step, which is not taken then). The record is complete after finish().
  /// @throws InputError if the record cannot be written on.
  bool step();
  /// Steps to the end and finishes.
  /// @param should_stop polled after every step; true ends the run as `interrupted`.
  const Summary& run(const std::function<bool()>& should_stop = {});
  /// An impulse from outside on a dynamic body, before the next step: of a hand, of a program that
  /// looks on. Scenes do not tell of it, so the record does: it counts the steps with such
  /// impulses.
  /// @param point where it acts, world frame [m]. @param impulse [N s]; in a planar scene its part
  /// in the plane.
  void push(Index body, const Vec3& point, const Vec3& impulse);
  /// The same on several dynamic bodies at once, at their centres of mass. O(bodies).
  void push(std::span<const Push> pushes);
  /// What a program may set between steps: the scene does not tell of it, so that the record counts
  /// it as it counts pushes.
  [[nodiscard]] const std::vector<Command>& commands() const { return commands_; }
  /// Holds a value of a command from now on. @param command index into commands().
  void command(Index command, Real value);
  /// All that a run continues from: bit for bit, also what is commanded.
  struct Snapshot {
    record::Checkpoint checkpoint;
    std::vector<model::TimeLaw> laws;  ///< of the commands
    std::vector<Real> starts;          ///< of those of drives
  };
  [[nodiscard]] Snapshot snapshot() const;
  /// Goes back, or on, to a snapshot of this scene, with a new scheme. Not while it records: a
  /// record continues only.
  /// @throws InputError as resume.
  void restore(const Snapshot& snapshot);
  /// The number of the first step that ends at a time or later.
  [[nodiscard]] Index step_at(Real time) const;
  /// Lets the run go on at least to a step, beyond the end of the scene.
  void extend_to_step(Index step) { step_count_ = std::max(step_count_, step); }
  [[nodiscard]] bool is_recording() const { return recorder_ != nullptr; }
  /// Records every so many steps a frame, in place of what the scene says. @param steps > 0.
  void record_every(Index steps) { scene_.record_every = steps; }
  /// Records a frame of the state as it is, if it is not there yet, and flushes: for those who
  /// look.
  void show_now();
  /// Records the last frame, if it is not there yet, and closes the record.
  void finish(record::RunStatus status);

  [[nodiscard]] const scene::Scene& scene() const { return scene_; }
  [[nodiscard]] const model::State& state() const { return state_; }
  [[nodiscard]] const stepping::Scheme& scheme() const { return *scheme_; }
  /// Who came in and went out before the last step.
  [[nodiscard]] const model::PopulationChange& last_change() const { return change_; }
  [[nodiscard]] const stepping::StepReport& last_report() const { return report_; }
  /// What a probe of the scene sees now: the components of all its columns (tables()).
  [[nodiscard]] std::vector<Real> measure(const std::string& probe);
  /// What the sensors of the scene read in the last step; NaN before the first.
  [[nodiscard]] const stepping::Sensors& sensors() const { return sensors_; }
  /// What the probes write, in the order of the scene.
  [[nodiscard]] std::vector<record::ProbeTable> tables() const;
  /// So many steps the whole run has.
  [[nodiscard]] Index step_count() const { return step_count_; }
  [[nodiscard]] const Summary& summary() const { return summary_; }
  /// Where and why the run stopped, if it did.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

 private:
  [[nodiscard]] Real time_after(Index steps) const;
  void prescribe(Index step);
  void start_summary();
  void take_up(const record::Checkpoint& checkpoint);
  void count_push();
  void change_population();
  void add_to_summary(Index number);
  void record_frame();
  [[nodiscard]] stepping::SchemeMemory memory() const;
  void read_sensors();
  void take_samples(Index number);
  void take_sample(std::size_t probe);
  void measure(std::size_t probe);
  void record_step(Index number, double seconds);
  void complete();
  void stop();

  /// The scheme has it too, in the options in scene_.
  std::shared_ptr<std::function<bool()>> should_stop_ = std::make_shared<std::function<bool()>>();
  bool is_interrupted_ = false;  ///< within a step
  scene::Scene scene_;
  std::vector<Command> commands_;  // of the model in scene_
  MakeScheme make_scheme_;
  std::unique_ptr<stepping::Scheme> scheme_;
  model::State state_;
  record::Checkpoint before_;  ///< the last step; without names
  bool keeps_memory_;  ///< in before_: to repeat a step that fails; costs a copy of all contacts
  Index step_count_ = 0;
  Index last_push_ = -1;  ///< steps done when push() was called last
  Real base_time_ = 0;    ///< [s] after base_step_ steps: times count from there
  Index base_step_ = 0;   ///< 0, or where a run was resumed with another step size
  Population population_;
  stepping::Sensors sensors_;
  model::PopulationChange change_;
  stepping::StepReport report_;
  Summary summary_;
  Real energy_ = 0;  ///< before the step [J]
  struct RunningProbe {
    std::unique_ptr<Meter> meter;
    std::vector<Real> values;
    Index last_sample = -1;  ///< step
  };
  std::vector<RunningProbe> probes_;
  Index complete_every_ = 0;  ///< steps, where parts are allowed; 0: at the end only
  std::optional<Failure> failure_;
  std::vector<Observer> observers_;
  std::unique_ptr<record::Recorder> recorder_;
  Index last_frame_ = 0;
  std::filesystem::path stem_;  ///< of files that a failure leaves
  std::optional<std::chrono::steady_clock::time_point> start_;
};

/// Steps of size h that lead from one time to at least another, forgiving round-off of 1e-9 steps.
[[nodiscard]] Index steps_between(Real from, Real to, Real step_size);

/// The name a scene's record gets where none was given: the file's, or its folder's for scene.yaml.
[[nodiscard]] std::string default_name(const std::filesystem::path& scene);

}  // namespace talus::sim
