#include <talus/record/recorder.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/dynamics/joint_coordinates.hpp>
#include <talus/record/detail/fixed_part.hpp>
#include <talus/record/detail/growing_file.hpp>
#include <talus/record/detail/state_part.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/reader.hpp>
#include <talus/stepping/sensors.hpp>

namespace talus::record {
namespace fs = std::filesystem;
namespace {

/// Between two flushes by time there are at least so many times the duration of the last one: a
/// slow disk slows a run down by a tenth at most.
constexpr double kPause = 9;
constexpr std::size_t kFlushBytes = 64 * 1024 * 1024;
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// The tables one after the other, as a recorder with both has them.
constexpr const Series& series_at(std::size_t index) {
  return index < kSeriesCount ? kSeries[index] : kPopulationSeries[index - kSeriesCount];
}
consteval std::size_t index_of(std::string_view path) {
  for (std::size_t i = 0; i < kSeriesCount + kPopulationSeries.size(); ++i)
    if (series_at(i).path == path) return i;
  throw "no such series";
}

/// One row of a series of single numbers.
template <std::size_t series, class Number>
void append_number(detail::GrowingFile& file, Number value) {
  constexpr Element element = series_at(series).element;
  if constexpr (element == Element::real64) {
    const auto number = static_cast<double>(value);
    file.append(series, &number, 1);
  } else if constexpr (element == Element::int64) {
    const auto number = static_cast<std::int64_t>(value);
    file.append(series, &number, 1);
  } else if constexpr (element == Element::int32) {
    const auto number = static_cast<std::int32_t>(value);
    file.append(series, &number, 1);
  } else {
    const auto number = static_cast<std::uint8_t>(value);
    file.append(series, &number, 1);
  }
}

template <class Number>
std::byte* copy_number(std::byte* place, Number number) {
  std::memcpy(place, &number, sizeof number);
  return place + sizeof number;
}

/// Numbers in the precision of frames. @returns the place behind them.
std::byte* copy_numbers(std::byte* place, const double* numbers, std::size_t count,
                        Precision precision) {
  if (precision == Precision::single_precision) {
    for (std::size_t i = 0; i < count; ++i)
      place = copy_number(place, static_cast<float>(numbers[i]));
    return place;
  }
  if (count > 0) std::memcpy(place, numbers, count * sizeof(double));
  return place + count * sizeof(double);
}

/// What frames hold, for who opens the file.
void write_frame_attributes(hid_t file, const RecorderOptions& options) {
  const bool is_single = options.precision == Precision::single_precision;
  hdf5::write_attribute(file, kPrecisionAttribute, std::string(is_single ? "single" : "double"));
  hdf5::write_attribute(file, kContactsAttribute, static_cast<long long>(options.contacts_every));
}

void write_last_frame(hid_t file, const Checkpoint& frame) {
  if (!hdf5::exists(file, "resume")) {
    const hdf5::Group group(H5Gcreate2(file, "resume", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                            "resume");
  }
  detail::write_state_part(file, detail::kResumeGroup, frame);
}

#define TALUS_APPEND(path, value) append_number<index_of(path)>(*file_, value)

static_assert(sizeof(Vec3) == 3 * sizeof(double), "vectors are written as they lie in memory");

bool looks_like_hdf5(const fs::path& path) {
  std::array<char, 8> head{};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return std::memcmp(head.data(), "\x89HDF\r\n\x1a\n", head.size()) == 0;
}

void refuse_to_destroy(const fs::path& path) {
  files::refuse_to_destroy(path, record_kind());
  std::error_code ignored;
  fs::path spare = files::followed(path);
  spare += ".spare";
  // A spare that a kill left behind may be half written, so only its first bytes are looked at.
  if (fs::exists(spare, ignored) && fs::file_size(spare, ignored) > 0 && !looks_like_hdf5(spare))
    throw file_error(spare.string(), "this file is in the way and is not ours: left as it is",
                     "choose another name with -o");
}

/// A series of a coordinate, and the number that it is of.
struct AxisColumn {
  const Series* series;
  Real dynamics::AxisReaction::*number;
};

/// Those that a coordinate has.
std::vector<AxisColumn> axis_columns_of(const model::SpatialMachine& machine,
                                        const dynamics::JointCoordinate& one) {
  using dynamics::AxisReaction;
  static const model::AxisLaw kNone;
  const model::SpatialJoint& joint = machine.joints[static_cast<std::size_t>(one.joint)];
  const model::AxisLaw& law = one.law < 0 ? kNone : joint.axes[static_cast<std::size_t>(one.law)];
  const bool is_turn = model::is_turn(one.freedom);
  const std::array<std::pair<Real AxisReaction::*, bool>, kCoordinateSeries.size()> all = {{
      {&AxisReaction::value, is_turn},
      {&AxisReaction::value, !is_turn},
      {&AxisReaction::rate, true},
      {&AxisReaction::effort, law.motor.has_value()},
      {&AxisReaction::limit, std::isfinite(law.lower) || std::isfinite(law.upper)},
      {&AxisReaction::spring, law.stiffness > 0 || law.damping > 0},
      {&AxisReaction::friction, law.friction > 0 || law.friction_coefficient > 0},
  }};
  std::vector<AxisColumn> columns;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].second) columns.push_back({&kCoordinateSeries[i], all[i].first});
  return columns;
}

std::string joined(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : " ") + label;
  return text;
}

}  // namespace

const files::OwnKind& record_kind() {
  static const files::OwnKind kind{
      "a record", [](const fs::path& path) { return kind_of(path) == FileKind::record; }, true};
  return kind;
}

std::string_view to_string(RunStatus status) noexcept {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::finished:
      return "finished";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::stopped:
      return "stopped";
  }
  return "unknown";
}

/// A series in a group of its own.
void Recorder::add_series(const std::string& group, const Series& series) {
  series_.push_back(series);
  series_.back().path = texts_.emplace_back(group + '/' + std::string(series.path));
}

/// Events, joints and drives.
void Recorder::lay_out_machine(const model::Model& model) {
  if (model.dimension != 2 && !model.spatial_machine) return;
  if (model.spatial_machine) {
    machine_in_space_ = model.spatial_machine;
    lay_out_machine_in_space(*machine_in_space_);
  }
  event_series_ = series_.size();
  const auto& events = model.spatial_machine ? kMachineSeriesInSpace : kMachineSeries;
  series_.insert(series_.end(), events.begin(), events.end());
  if (model.spatial_machine) return;
  machine_ = model.machine ? model.machine : std::make_shared<const model::Machine>();
  joint_series_ = series_.size();
  for (const model::Joint& joint : machine_->joints)
    for (const Series& series : kJointSeries) add_series("reactions/" + joint.name, series);
  for (const model::Drive& drive : machine_->drives)
    for (const Series& series : kDriveSeries) {
      add_series("drives/" + drive.name, series);
      series_.back().unit = drive.quantity == model::Drive::Quantity::angle ? "N m" : "N";
    }
}

/// The numbers of its joints that hold or prove, joints and drives, then coordinates.
void Recorder::lay_out_machine_in_space(const model::SpatialMachine& machine) {
  series_.insert(series_.end(), kJointCertificateSeries.begin(), kJointCertificateSeries.end());
  joint_series_ = series_.size();
  for (const model::SpatialJoint& joint : machine.joints)
    for (const Series& series : kSpatialJointSeries) add_series("reactions/" + joint.name, series);
  for (const model::SpatialDrive& drive : machine.drives)
    for (const Series& series : kDriveSeries) {
      add_series("drives/" + drive.name, series);
      series_.back().unit = is_turn(drive.axis) ? "N m" : "N";
    }
  const std::vector<dynamics::JointCoordinate> coordinates = dynamics::joint_coordinates(machine);
  for (std::size_t i = 0; i < coordinates.size(); ++i)
    for (const AxisColumn& column : axis_columns_of(machine, coordinates[i])) {
      const dynamics::JointCoordinate& one = coordinates[i];
      std::string group = "joints/" + machine.joints[static_cast<std::size_t>(one.joint)].name;
      if (!one.is_only_one) group.append("/").append(one.name);
      add_series(group, *column.series);
      axis_numbers_.push_back({i, column.number});
      if (!is_turn(one.freedom) && column.series->unit == "rad/s") series_.back().unit = "m/s";
      if (!is_turn(one.freedom) && column.series->unit == "N m") series_.back().unit = "N";
    }
}

/// The series of the tables, and those of the sensors and probes.
void Recorder::lay_out(const model::Model& model, std::span<const ProbeTable> probes) {
  series_.assign(kSeries.begin(), kSeries.end());
  has_population_ = model.has_changing_population();
  if (has_population_)
    series_.insert(series_.end(), kPopulationSeries.begin(), kPopulationSeries.end());
  moment_series_ = model.dimension == 3 && model.resists_more() ? series_.size() : 0;
  if (moment_series_ > 0) series_.push_back(kMomentSeries);
  sleeping_series_ = options_.can_sleep ? series_.size() : 0;
  if (sleeping_series_ > 0) series_.push_back(kSleepingSeries);
  joint_certificate_series_ = model.spatial_machine ? series_.size() : 0;
  lay_out_machine(model);
  sensor_series_ = series_.size();
  for (const model::Sensor& sensor : model.sensors) {
    const stepping::SensorColumn column = stepping::column_of(sensor.kind);
    sensor_components_.push_back(column.components);
    add_series("sensors", {sensor.name, Clock::step, Element::real64, false, column.components,
                           column.unit, column.meaning, column.labels});
  }
  probes_.assign(probes.begin(), probes.end());
  for (const ProbeTable& probe : probes_) {
    const std::string group = "probes/" + probe.name + '/';
    const auto text = [&](std::string value) -> std::string_view {
      return texts_.emplace_back(std::move(value));
    };
    probe_series_.push_back(series_.size());
    series_.push_back({text(group + "step"), Clock::sample, Element::int64, false, 1, "1",
                       "steps done before this sample"});
    series_.push_back({text(group + "time"), Clock::sample, Element::real64, false, 1, "s",
                       "simulated time of this sample"});
    for (const ProbeColumn& column : probe.columns)
      series_.push_back({text(group + column.name), Clock::sample, Element::real64, false,
                         static_cast<Index>(column.components()), text(column.unit),
                         text(column.meaning), text(joined(column.labels))});
  }
  if (options_.precision == Precision::single_precision)
    for (Series& series : series_)
      if (is_of_frames(series)) series.element = Element::real32;
}

Recorder::Recorder(const fs::path& path, const model::Model& model, stepping::Energy initial,
                   const Provenance& provenance, RecorderOptions options,
                   std::span<const ProbeTable> probes)
    : path_(path), options_(options) {
  refuse_to_destroy(path);
  lay_out(model, probes);
  const auto write_fixed = [&](hid_t file) {
    detail::write_fixed_part(file, model, initial, options.tolerance, provenance);
    write_frame_attributes(file, options);
  };
  file_ = std::make_unique<detail::GrowingFile>(path, series_, model.body_count(),
                                                options.compression, write_fixed);
  replaces_ = file_->replaces();
  last_flush_.end = std::chrono::steady_clock::now();
}

Recorder::Recorder(const fs::path& path, Index frame, const model::Model& model,
                   RecorderOptions options, std::span<const ProbeTable> probes)
    : path_(path), options_(options) {
  std::vector<Index> rows;
  {
    const RecordReader reader(path);
    options_.precision = reader.precision();
    options_.contacts_every = reader.contacts_every();
    options_.can_sleep = reader.has(kSleepingSeries.path);
    lay_out(model, probes);
    const auto step = static_cast<Index>(reader.rows("frames/step", frame, 1).values.at(0));
    contact_rows_ =
        static_cast<std::int64_t>(reader.rows("contacts/offset", frame + 1, 1).values.at(0));
    // Rows of steps up to the frame's; they need not start at 1.
    const auto rows_until = [&](const std::string& dataset) {
      const std::vector<Real> steps = reader.array(dataset).values;
      return static_cast<Index>(
          std::upper_bound(steps.begin(), steps.end(), static_cast<Real>(step)) - steps.begin());
    };
    for (const Series& series : series_) switch (series.clock) {
        case Clock::frame:
          rows.push_back(frame + 1);
          break;
        case Clock::frame_edge:
          rows.push_back(frame + 2);
          break;
        case Clock::contact:
          rows.push_back(contact_rows_);
          break;
        case Clock::step:
          rows.push_back(rows_until("steps/step"));
          break;
        case Clock::event:
          rows.push_back(rows_until("events/step"));
          break;
        case Clock::sample: {
          const std::string group(series.path.substr(0, series.path.rfind('/')));
          rows.push_back(rows_until(group + "/step"));
          break;
        }
      }
  }
  file_ = std::make_unique<detail::GrowingFile>(path, series_, model.body_count(), rows);
  last_flush_.end = std::chrono::steady_clock::now();
}

Recorder::~Recorder() = default;

void Recorder::record_step(Index step, Real time, const stepping::StepReport& report,
                           const stepping::StepContact* worst, double seconds,
                           const model::PopulationChange& change) {
  const certify::Certificate& certificate = report.certificate;
  TALUS_APPEND("steps/step", step);
  TALUS_APPEND("steps/time", time);
  TALUS_APPEND("steps/contact_count", report.contact_count);
  TALUS_APPEND("steps/max_penetration", report.max_penetration);
  TALUS_APPEND("energies/kinetic", report.energy.kinetic);
  TALUS_APPEND("energies/potential", report.energy.potential);
  TALUS_APPEND("energies/total", report.energy.total());
  TALUS_APPEND("certificates/natural_map", certificate.natural_map);
  TALUS_APPEND("certificates/violation", certificate.violation);
  TALUS_APPEND("certificates/work", certificate.work);
  TALUS_APPEND("certificates/excess", certificate.excess(options_.tolerance));
  TALUS_APPEND("certificates/plain", certificate.plain);
  TALUS_APPEND("certificates/primal", certificate.primal);
  TALUS_APPEND("certificates/dual", certificate.dual);
  TALUS_APPEND("certificates/complementarity", certificate.complementarity);
  TALUS_APPEND("certificates/equation_of_motion", certificate.equation_of_motion);
  TALUS_APPEND("certificates/worst_velocity", certificate.worst_velocity);
  TALUS_APPEND("certificates/worst_contact", certificate.worst_contact);
  TALUS_APPEND("certificates/worst_share", certificate.worst_share);
  TALUS_APPEND("certificates/worst_body_a", worst != nullptr ? worst->body_a : -1);
  TALUS_APPEND("certificates/worst_body_b", worst != nullptr ? worst->body_b : -1);
  TALUS_APPEND("certificates/is_finite", certificate.is_finite);
  TALUS_APPEND("certificates/is_certified", report.is_certified());
  TALUS_APPEND("solver/status", report.status);
  TALUS_APPEND("solver/iterations", report.iterations);
  TALUS_APPEND("timings/step", seconds);
  if (has_population_) {
    TALUS_APPEND("population/bodies_in", change.in.bodies);
    TALUS_APPEND("population/mass_in", change.in.mass);
    TALUS_APPEND("population/energy_in", change.in.energy);
    TALUS_APPEND("population/bodies_out", change.out.bodies);
    TALUS_APPEND("population/mass_out", change.out.mass);
    TALUS_APPEND("population/energy_out", change.out.energy);
    TALUS_APPEND("population/late", change.late);
  }
  if (sleeping_series_ > 0) {
    const auto number = static_cast<std::int64_t>(report.sleeping);
    file_->append(sleeping_series_, &number, 1);
  }
  if (joint_certificate_series_ > 0) {
    const certify::JointResidual& joints = report.joints;
    const bool is_judged = joints.constraint_count > 0;
    std::size_t series = joint_certificate_series_;
    for (const Real value : {joints.rate, joints.drift}) {
      const double number = is_judged ? value : kNaN;
      file_->append(series++, &number, 1);
    }
    for (const Index value : {joints.rank, joints.constraint_count}) {
      const auto number = static_cast<std::int64_t>(value);
      file_->append(series++, &number, 1);
    }
  }
  if (flush_.valid() && !is_writing()) end_flush();
  if (is_flush_due()) begin_flush(RunStatus::running);
}

void Recorder::record_machine(Index step, std::span<const dynamics::Reaction> reactions,
                              std::span<const dynamics::AxisReaction> axes,
                              std::span<const stepping::Event> events) {
  if (!machine_ && !machine_in_space_) return;
  const bool is_planar = machine_ != nullptr;
  const std::size_t joints = is_planar ? machine_->joints.size() : machine_in_space_->joints.size();
  const std::size_t drives = is_planar ? machine_->drives.size() : machine_in_space_->drives.size();
  const dynamics::Reaction none{Vec3::Constant(kNaN), Vec3::Constant(kNaN), kNaN, kNaN};
  std::size_t series = joint_series_;
  for (std::size_t i = 0; i < joints + drives; ++i) {
    const dynamics::Reaction& reaction = i < reactions.size() ? reactions[i] : none;
    if (i >= joints) {
      file_->append(series++, &reaction.effort, 1);
      continue;
    }
    file_->append(series++, reaction.force.data(), 1);  // in the plane the first two of it
    file_->append(series++, is_planar ? &reaction.moment.z() : reaction.moment.data(), 1);
    if (is_planar) file_->append(series++, &reaction.friction, 1);
  }
  const dynamics::AxisReaction unknown{kNaN, kNaN, kNaN, kNaN, kNaN, kNaN};
  for (const AxisNumber& one : axis_numbers_)
    file_->append(series++, &((one.axis < axes.size() ? axes[one.axis] : unknown).*one.number), 1);
  for (const stepping::Event& event : events) {
    series = event_series_;
    const auto add = [&](const auto& value) { file_->append(series++, &value, 1); };
    const auto pair = [&](Real before, Real after) { add(std::array<double, 2>{before, after}); };
    add(static_cast<std::int64_t>(step));
    add(event.time);
    add(static_cast<std::uint8_t>(event.kind));
    add(static_cast<std::int64_t>(event.contact));
    add(static_cast<std::int32_t>(event.body_a));
    add(static_cast<std::int32_t>(event.body_b));
    pair(event.impulse.x(), event.impulse.y());
    pair(event.gap_rate_before, event.gap_rate_after);
    pair(event.slip_before, event.slip_after);
    pair(event.energy_before, event.energy_after);
    for (const VecX* vector : {&event.q, &event.v_before, &event.v_after})
      file_->append(series++, vector->data(), 1);
  }
}

void Recorder::record_sensors(std::span<const Real> values) {
  std::size_t series = sensor_series_;
  for (const Index components : sensor_components_) {
    file_->append(series++, values.data(), 1);
    values = values.subspan(static_cast<std::size_t>(components));
  }
}

void Recorder::write_poses(const model::State& state) {
  const std::size_t n = state.position.size();
  const auto append = [&](std::size_t series, const std::vector<Vec3>& vectors) {
    std::byte* place = file_->grow(series, 1);
    for (const Vec3& vector : vectors)
      place = copy_numbers(place, vector.data(), 3, options_.precision);
  };
  append(index_of("poses/position"), state.position);
  std::byte* place = file_->grow(index_of("poses/orientation"), 1);
  for (const Quat& q : state.orientation) {
    const std::array<double, 4> numbers = {q.w(), q.x(), q.y(), q.z()};
    place = copy_numbers(place, numbers.data(), 4, options_.precision);
  }
  append(index_of("velocities/linear"), state.velocity);
  append(index_of("velocities/angular"), state.angular_velocity);
  if (!has_population_) return;
  TALUS_DEMAND_EQ(state.presence.size(), n);
  file_->append(index_of("poses/presence"), state.presence.data(), 1);
}

void Recorder::write_contacts(std::span<const stepping::StepContact> contacts) {
  const auto rows = static_cast<Index>(contacts.size());
  const Precision precision = options_.precision;
  std::byte* body_a = file_->grow(index_of("contacts/body_a"), rows);
  std::byte* body_b = file_->grow(index_of("contacts/body_b"), rows);
  std::byte* position = file_->grow(index_of("contacts/position"), rows);
  std::byte* normal = file_->grow(index_of("contacts/normal"), rows);
  std::byte* gap = file_->grow(index_of("contacts/gap"), rows);
  std::byte* impulse = file_->grow(index_of("contacts/impulse"), rows);
  std::byte* feature = file_->grow(index_of("contacts/feature"), rows);
  std::byte* moment = moment_series_ > 0 ? file_->grow(moment_series_, rows) : nullptr;
  for (const stepping::StepContact& contact : contacts) {
    body_a = copy_number(body_a, static_cast<std::int32_t>(contact.body_a));
    body_b = copy_number(body_b, static_cast<std::int32_t>(contact.body_b));
    position = copy_numbers(position, contact.position.data(), 3, precision);
    normal = copy_numbers(normal, contact.normal.data(), 3, precision);
    gap = copy_numbers(gap, &contact.gap, 1, precision);
    impulse = copy_numbers(impulse, contact.impulse.data(), 3, precision);
    feature = copy_number(feature, static_cast<std::int64_t>(contact.feature));
    if (moment != nullptr) moment = copy_numbers(moment, contact.moment.data(), 3, precision);
  }
  contact_rows_ += rows;
}

void Recorder::record_frame(Index step, const model::State& state, stepping::SchemeMemory memory) {
  TALUS_APPEND("frames/step", step);
  TALUS_APPEND("frames/time", state.time);
  write_poses(state);
  const Index every = options_.contacts_every;
  if (every > 0 && step % every == 0) write_contacts(memory.contacts);
  TALUS_APPEND("contacts/offset", contact_rows_);
  const bool is_shared = last_frame_.use_count() != 1;
  if (is_shared) last_frame_ = std::make_shared<Checkpoint>();
  last_frame_->state = state;
  last_frame_->step = step;
  last_frame_->memory = std::move(memory);
  last_frame_->has_memory = true;
  last_frame_bytes_ = detail::state_part_bytes(*last_frame_);
  if (replaces_) flush();  // there is a frame: the earlier record of the name goes
}

void Recorder::record_probe(std::size_t probe, Index step, Real time,
                            std::span<const Real> values) {
  TALUS_DEMAND_EQ(values.size(), probes_.at(probe).width());
  std::size_t series = probe_series_[probe];
  const auto number = static_cast<std::int64_t>(step);
  file_->append(series++, &number, 1);
  file_->append(series++, &time, 1);
  for (const ProbeColumn& column : probes_[probe].columns) {
    file_->append(series++, values.data(), 1);
    values = values.subspan(column.components());
  }
}

void Recorder::flush() {
  begin_flush(RunStatus::running);
  end_flush();
}

void Recorder::finish(RunStatus status) {
  begin_flush(status);
  end_flush();
  file_->close();
}

bool Recorder::is_writing() const {
  return flush_.valid() && flush_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout;
}

/// While a flush is under way another one waits for its end only if memory runs full.
bool Recorder::is_flush_due() const {
  const std::size_t most =
      options_.flush_bytes > 0 ? options_.flush_bytes : std::max(kFlushBytes, last_frame_bytes_);
  if (file_->waiting_bytes() >= most) return true;
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - last_flush_.end;
  return !flush_.valid() &&
         age.count() >= std::max(options_.flush_seconds, kPause * last_flush_.seconds);
}

/// Another thread writes what waits, while the run continues.
void Recorder::begin_flush(RunStatus status) {
  end_flush();
  const auto batch = std::make_shared<detail::GrowingFile::Batch>(file_->take());
  const auto write = [this, batch, status, frame = std::shared_ptr<const Checkpoint>(last_frame_),
                      bytes = last_frame_bytes_, pushed_steps = pushed_steps_] {
    const auto start = std::chrono::steady_clock::now();
    const auto write_changing = [&](hid_t file) {
      if (pushed_steps > 0)
        hdf5::write_attribute(file, "pushed_steps", static_cast<long long>(pushed_steps));
      if (frame) write_last_frame(file, *frame);
    };
    file_->flush(std::move(*batch), std::string(to_string(status)), {write_changing, bytes});
    const auto end = std::chrono::steady_clock::now();
    return Flush{end, std::chrono::duration<double>(end - start).count()};
  };
  try {
    flush_ = std::async(std::launch::async, write);
  } catch (const std::system_error&) {  // the system has no thread to give
    flush_ = std::async(std::launch::deferred, write);
  }
}

/// Waits for the flush that is under way, if there is one, and throws what it met.
void Recorder::end_flush() {
  if (!flush_.valid()) return;
  last_flush_ = flush_.get();
  replaces_ = false;
}

}  // namespace talus::record
