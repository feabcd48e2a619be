#include <talus/record/recorder.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/dynamics/joint_coordinates.hpp>
#include <talus/record/detail/fixed_part.hpp>
#include <talus/record/detail/growing_file.hpp>
#include <talus/record/detail/internal_layout.hpp>
#include <talus/record/detail/search_rows.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/reader.hpp>
#include <talus/stepping/sensors.hpp>

namespace talus::record {
namespace fs = std::filesystem;
namespace {

/// Between two flushes by time there are at least so many times the duration of the last one: a
/// slow disk slows a run down by a tenth at most.
constexpr double kPause = 9;
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

/// The series of the tables, and those of the probes.
void Recorder::lay_out(const model::Model& model, std::span<const ProbeTable> probes) {
  series_.assign(kSeries.begin(), kSeries.end());
  has_population_ = model.has_changing_population();
  if (has_population_)
    series_.insert(series_.end(), kPopulationSeries.begin(), kPopulationSeries.end());
  moment_series_ = model.dimension == 3 && model.resists_more() ? series_.size() : 0;
  if (moment_series_ > 0) series_.push_back(kMomentSeries);
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
}

Recorder::Recorder(const fs::path& path, const model::Model& model, stepping::Energy initial,
                   const Provenance& provenance, RecorderOptions options,
                   std::span<const ProbeTable> probes)
    : path_(path), options_(options) {
  refuse_to_destroy(path);
  lay_out(model, probes);
  const auto write_fixed = [&](hid_t file) {
    detail::write_fixed_part(file, model, initial, options.tolerance, provenance);
  };
  file_ = std::make_unique<detail::GrowingFile>(path, series_, model.body_count(),
                                                options.compression, write_fixed);
  last_flush_ = std::chrono::steady_clock::now();
}

Recorder::Recorder(const fs::path& path, Index frame, const model::Model& model,
                   RecorderOptions options, std::span<const ProbeTable> probes)
    : path_(path), options_(options) {
  lay_out(model, probes);
  std::vector<Index> rows;
  {
    const Reader reader(path);
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
  last_flush_ = std::chrono::steady_clock::now();
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
  const std::chrono::duration<double> age = std::chrono::steady_clock::now() - last_flush_;
  const bool is_time = age.count() >= std::max(options_.flush_seconds, kPause * flush_duration_);
  if (is_time || file_->unsaved_bytes() >= options_.flush_bytes) flush();
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

void Recorder::record_frame(Index step, const model::State& state,
                            const stepping::SchemeMemory& memory) {
  TALUS_APPEND("frames/step", step);
  TALUS_APPEND("frames/time", state.time);
  file_->append(index_of("poses/position"), state.position.data(), 1);
  std::vector<std::array<double, 4>> quaternions(state.orientation.size());
  for (std::size_t i = 0; i < quaternions.size(); ++i) {
    const Quat& q = state.orientation[i];
    quaternions[i] = {q.w(), q.x(), q.y(), q.z()};
  }
  file_->append(index_of("poses/orientation"), quaternions.data(), 1);
  file_->append(index_of("velocities/linear"), state.velocity.data(), 1);
  file_->append(index_of("velocities/angular"), state.angular_velocity.data(), 1);
  if (has_population_) {
    TALUS_DEMAND_EQ(state.presence.size(), state.position.size());
    file_->append(index_of("poses/presence"), state.presence.data(), 1);
  }
  for (const stepping::StepContact& contact : memory.contacts) {
    TALUS_APPEND("contacts/body_a", contact.body_a);
    TALUS_APPEND("contacts/body_b", contact.body_b);
    file_->append(index_of("contacts/position"), contact.position.data(), 1);
    file_->append(index_of("contacts/normal"), contact.normal.data(), 1);
    TALUS_APPEND("contacts/gap", contact.gap);
    file_->append(index_of("contacts/impulse"), contact.impulse.data(), 1);
    TALUS_APPEND("contacts/feature", contact.feature);
    if (moment_series_ > 0) file_->append(moment_series_, contact.moment.data(), 1);
  }
  contact_rows_ += static_cast<std::int64_t>(memory.contacts.size());
  TALUS_APPEND("contacts/offset", contact_rows_);
  search_ = detail::search_rows(memory);
  internal_ = state.internal;
  search_step_ = step;
  if (file_->replaces()) flush();  // there is a frame: the earlier record of the name goes
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

void Recorder::flush() { flush_as(RunStatus::running); }

void Recorder::finish(RunStatus status) {
  flush_as(status);
  file_->close();
}

void Recorder::flush_as(RunStatus status) {
  const auto start = std::chrono::steady_clock::now();
  file_->flush(std::string(to_string(status)), [&](hid_t file) {
    const auto write = [&](std::string_view name, const hdf5::Shape& shape,
                           const std::vector<double>& numbers, const char* meaning) {
      if (numbers.empty()) return;
      const std::string path(name);
      hdf5::write_over(file, path, H5T_NATIVE_DOUBLE, shape, numbers.data(), "SI", meaning);
      const hdf5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
      hdf5::write_attribute(dataset.get(), "step", static_cast<long long>(search_step_));
    };
    if (pushed_steps_ > 0)
      hdf5::write_attribute(file, "pushed_steps", static_cast<long long>(pushed_steps_));
    write(detail::kSearchDataset, {search_.size() / detail::kSearchValues, detail::kSearchValues},
          search_, detail::kSearchMeaning);
    const std::vector<double> internal = detail::values_of(internal_);
    write(detail::kInternalDataset, {internal.size()}, internal, detail::kInternalMeaning);
    if (internal.empty()) return;
    const std::string path(detail::kInternalDataset);
    const hdf5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
    hdf5::write_attribute(dataset.get(), detail::kVariablesAttribute, detail::layout_of(internal_));
  });
  last_flush_ = std::chrono::steady_clock::now();
  flush_duration_ = std::chrono::duration<double>(last_flush_ - start).count();
}

}  // namespace talus::record
