#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <talus/dynamics/reaction.hpp>
#include <talus/files/output_file.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/probe_table.hpp>
#include <talus/record/provenance.hpp>
#include <talus/stepping/event.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::record {

namespace detail {
class GrowingFile;
}

/// Records that Talus wrote.
[[nodiscard]] const files::OwnKind& record_kind();

/// How a run stands: a file that says `running` though nothing runs was killed.
enum class RunStatus : unsigned char { running, finished, interrupted, stopped };
[[nodiscard]] std::string_view to_string(RunStatus status) noexcept;

struct RecorderOptions {
  double flush_seconds = 2;  ///< wall time between flushes [s], ≥ 0; longer on a slow disk
  /// Flush earlier when this much waits in memory; 0: 64 MiB, or what a resumption needs, which is
  /// written at every flush, if that is more.
  std::size_t flush_bytes = 0;
  int compression = 3;  ///< deflate level, 0 to 9, of what is compressed (layout.hpp)
  Precision precision = Precision::double_precision;  ///< of frames: poses, velocities, contacts
  Index contacts_every = 1;  ///< steps from a frame with contacts to the next; 0: there is none
  Real tolerance = 1e-6;     ///< > 0, what steps are certified at: certificates/excess is over it
  bool can_sleep = false;    ///< bodies may sleep: how many do is recorded
};

/// Writes what happens in a run to one HDF5 file (docs/reference/record.md). The file can be read
/// at every moment, also after the program was killed, and then holds all up to the last flush.
///
/// Per-step numbers are recorded every step, poses, velocities and contacts when record_frame is
/// called. A run is resumed from the last frame, which is in the file in double precision whatever
/// the frames have.
///
/// Calls copy what they are given. Another thread writes the file, one flush at a time; what it
/// meets is thrown by a later call. Memory: three times what accumulates between flushes. Calls are
/// made by one thread.
class Recorder {
 public:
  /// Makes the file. A Talus record of that name is replaced; anything else there is left alone.
  /// The model must outlive the recorder.
  /// @throws InputError if the file cannot be made or something else is there.
  /// @param probes what record_probe will add.
  Recorder(const std::filesystem::path& path, const model::Model& model, stepping::Energy initial,
           const Provenance& provenance, RecorderOptions options = {},
           std::span<const ProbeTable> probes = {});
  /// Continues a record from one of its frames, as if the run had never ended. What it has of
  /// later steps is cut off.
  /// @param frame of the record. @param probes as the record has them. Precision, contacts
  /// and whether sleeping bodies are counted are those of the record.
  /// @throws InputError if the file is not a record of these bodies and probes, or has no such
  /// frame.
  Recorder(const std::filesystem::path& path, Index frame, const model::Model& model,
           RecorderOptions options, std::span<const ProbeTable> probes);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Adds the numbers of a step; flushes when it is time.
  /// @param step counts from 1. @param time after the step [s]. @param seconds wall time it took.
  /// @param worst the contact that the certificate names, null if it names none.
  /// @param change of the population before the step; of scenes with sources or sinks.
  /// @throws InputError if the disk is full.
  void record_step(Index step, Real time, const stepping::StepReport& report,
                   const stepping::StepContact* worst, double seconds,
                   const model::PopulationChange& change = {});
  /// Adds what the joints and drives of a machine did in a step, in space its axes, and its events;
  /// before record_step, which may flush. Missing numbers are NaN. Nothing where there is no
  /// machine; events of planar models only.
  void record_machine(Index step, std::span<const dynamics::Reaction> reactions,
                      std::span<const dynamics::AxisReaction> axes,
                      std::span<const stepping::Event> events);
  /// Adds the readings of the model's sensors after a step, in their order; before record_step.
  void record_sensors(std::span<const Real> values);
  /// Adds a frame: the state after `step` steps and what the scheme remembers of the last of them.
  void record_frame(Index step, const model::State& state, stepping::SchemeMemory memory);
  /// Adds a sample of a probe: its index in the list that the constructor got.
  /// @param values components of all its columns, in order.
  void record_probe(std::size_t probe, Index step, Real time, std::span<const Real> values);
  /// So many steps up to now had impulses from outside: the attribute `pushed_steps`.
  void note_pushed_steps(Index count) { pushed_steps_ = count; }
  /// Brings everything into the file now: it is there when the call returns.
  void flush();
  /// The last flush; no call may follow. Without it (an exception, a crash) the file stays at
  /// `running`.
  void finish(RunStatus status);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void lay_out(const model::Model& model, std::span<const ProbeTable> probes);
  void lay_out_machine(const model::Model& model);
  void lay_out_machine_in_space(const model::SpatialMachine& machine);
  void add_series(const std::string& group, const Series& series);
  void write_poses(const model::State& state);
  void write_contacts(std::span<const stepping::StepContact> contacts);
  [[nodiscard]] bool is_flush_due() const;
  [[nodiscard]] bool is_writing() const;
  void begin_flush(RunStatus status);
  void end_flush();

  /// A number of a coordinate that has a series.
  struct AxisNumber {
    std::size_t axis = 0;  ///< in the order of dynamics::joint_coordinates
    Real dynamics::AxisReaction::*number = nullptr;
  };

  std::filesystem::path path_;
  RecorderOptions options_;
  std::deque<std::string> texts_;  ///< that the series of probes refer to
  std::vector<Series> series_;
  bool has_population_ = false;               ///< series of kPopulationSeries
  std::size_t moment_series_ = 0;             ///< kMomentSeries; 0: there is none
  std::size_t sleeping_series_ = 0;           ///< kSleepingSeries; 0: there is none
  std::size_t joint_certificate_series_ = 0;  ///< kJointCertificateSeries; 0: there is none
  std::size_t sensor_series_ = 0;             ///< first of the sensors
  std::vector<Index> sensor_components_;      ///< of each
  std::vector<AxisNumber> axis_numbers_;      ///< in the order of their series
  std::shared_ptr<const model::SpatialMachine> machine_in_space_;
  std::shared_ptr<const model::Machine> machine_;    ///< of planar models, perhaps empty
  std::size_t event_series_ = 0, joint_series_ = 0;  ///< first series of each
  std::vector<std::size_t> probe_series_;  ///< first series of each probe: step, time, columns
  std::vector<ProbeTable> probes_;
  std::unique_ptr<detail::GrowingFile> file_;
  std::int64_t contact_rows_ = 0;
  std::shared_ptr<Checkpoint> last_frame_;  ///< shared with a flush that is under way
  std::size_t last_frame_bytes_ = 0;        ///< in the file
  Index pushed_steps_ = 0;
  bool replaces_ = false;  ///< an earlier record of the name is still there
  struct Flush {
    std::chrono::steady_clock::time_point end;
    double seconds = 0;
  };
  Flush last_flush_;
  std::future<Flush> flush_;  ///< that is under way; after all that it uses
};

}  // namespace talus::record
