#include <talus/record/series.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/record/detail/checked_index.hpp>
#include <talus/record/layout.hpp>

namespace talus::record {
namespace {

constexpr std::string_view kBody = "body.", kJoint = "joint.", kSensor = "sensor.";
constexpr std::string_view kLinear = "momentum/linear", kAngular = "momentum/angular";

/// A dataset with one row per moment.
struct Column {
  std::string path;
  std::string unit, meaning;
  std::vector<std::string> labels;  ///< of its components; empty: one number
  std::string clock;                ///< group of the steps and times
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

template <class Table>
void add_table(const RecordReader& record, const Table& table, std::vector<Column>& columns) {
  for (const Series& series : table) {
    const bool is_number = series.clock == Clock::step || series.clock == Clock::frame;
    const bool is_clock = series.path.ends_with("/step") && !series.path.starts_with("timings");
    if (!is_number || series.is_per_body || is_clock || series.path.ends_with("/time")) continue;
    if (!record.has(series.path)) continue;
    columns.push_back({std::string(series.path), std::string(series.unit),
                       std::string(series.meaning), words(std::string(series.labels)),
                       series.clock == Clock::step ? "steps" : "frames"});
  }
}

std::vector<Column> columns_of(const RecordReader& record) {
  std::vector<Column> columns;
  add_table(record, kSeries, columns);
  for (const auto& table : kOptionalSeries) add_table(record, table, columns);
  const std::vector<std::string> xyz = {"x", "y", "z"};
  columns.push_back({std::string(kLinear), "kg m/s",
                     "sum of m v of the dynamic bodies that are there", xyz, "frames"});
  columns.push_back({std::string(kAngular), "kg m^2/s",
                     "sum of r x m v + I w of the dynamic bodies, about the world's origin", xyz,
                     "frames"});
  for (const std::string& path : record.datasets()) {
    const bool is_of_steps = path.starts_with("reactions/") || path.starts_with("drives/") ||
                             path.starts_with("joints/") || path.starts_with("sensors/");
    if (!is_of_steps && !path.starts_with("probes/")) continue;
    if (path.ends_with("/step") || path.ends_with("/time")) continue;
    columns.push_back({path, record.note(path, "unit"), record.note(path, "meaning"),
                       words(record.note(path, "labels")),
                       is_of_steps ? "steps" : path.substr(0, path.rfind('/'))});
  }
  return columns;
}

/// Linear momentum of every frame, from the velocities alone.
std::vector<Vec3> linear_momenta(const RecordReader& record) {
  const std::vector<Real> mass = record.array("bodies/mass").values;
  const std::vector<Real> kind = record.array("bodies/kind").values;
  const bool can_be_absent = record.has("poses/presence");
  std::vector<Vec3> sums;
  for (Index k = 0; k < record.frame_count(); ++k) {
    const std::vector<Real> v = record.rows("velocities/linear", k, 1).values;
    const std::vector<Real> presence =
        can_be_absent ? record.rows("poses/presence", k, 1).values : std::vector<Real>();
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < mass.size(); ++i)
      if (kind[i] == 0 && (presence.empty() || presence[i] == 0))
        sum += mass[i] * Vec3(v.data() + 3 * i);
    sums.push_back(sum);
  }
  return sums;
}

/// Momentum of every frame: linear (3) and angular (3).
std::vector<std::array<Real, 6>> momenta(const RecordReader& record) {
  const Index bodies = record.body_count();
  const std::vector<Real> mass = record.array("bodies/mass").values;
  const std::vector<Real> kind = record.array("bodies/kind").values;
  const std::vector<Real> inertia = record.array("bodies/inertia").values;
  std::vector<std::array<Real, 6>> sums;
  for (Index k = 0; k < record.frame_count(); ++k) {
    const model::State state = record.frame(k);
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (Index i = 0; i < bodies; ++i) {
      if (kind[i] != 0 || !state.is_present(i)) continue;
      const Vec3 p = mass[i] * state.velocity[i];
      const Eigen::Map<const Eigen::Matrix<Real, 3, 3, Eigen::RowMajor>> I(inertia.data() + 9 * i);
      const Quat& q = state.orientation[i];
      linear += p;
      angular +=
          state.position[i].cross(p) + q * Vec3(I * (q.conjugate() * state.angular_velocity[i]));
    }
    sums.push_back({linear.x(), linear.y(), linear.z(), angular.x(), angular.y(), angular.z()});
  }
  return sums;
}

bool is_momentum(const Column& column) { return column.path == kLinear || column.path == kAngular; }

std::vector<SeriesData> read_column(const RecordReader& record, const Column& column,
                                    const std::string& label,
                                    std::vector<std::array<Real, 6>>& all_momenta) {
  const std::vector<Real> time = record.array(column.clock + "/time").values;
  const std::size_t width = std::max<std::size_t>(column.labels.size(), 1);
  std::vector<Real> values;
  if (column.path == kLinear && all_momenta.empty()) {
    for (const Vec3& sum : linear_momenta(record))
      values.insert(values.end(), sum.begin(), sum.end());
  } else if (is_momentum(column)) {
    if (all_momenta.empty()) all_momenta = momenta(record);
    const std::size_t offset = column.path == kLinear ? 0 : 3;
    for (const auto& row : all_momenta)
      values.insert(values.end(), row.begin() + offset, row.begin() + offset + 3);
  } else {
    values = record.array(column.path).values;
  }
  std::vector<SeriesData> all;
  for (std::size_t c = 0; c < width; ++c) {
    if (!label.empty() && column.labels[c] != label) continue;
    SeriesData data{column.path + (column.labels.empty() ? "" : "." + column.labels[c]),
                    column.unit,
                    time,
                    {},
                    column.clock};
    for (std::size_t row = 0; row < time.size(); ++row)
      data.value.push_back(
          values[detail::checked_index(record, Real(row * width + c), values.size(), "row")]);
    all.push_back(std::move(data));
  }
  return all;
}

/// One component of a body; where each is found.
struct BodyColumn {
  const char* name;
  const char* path;
  Index component;  ///< −1: the length of the vector
  const char* unit;
  const char* meaning;
};
constexpr std::array<BodyColumn, 11> kBodyColumns = {{
    {"x", "poses/position", 0, "m", "position of the centre of mass"},
    {"y", "poses/position", 1, "m", "position of the centre of mass"},
    {"z", "poses/position", 2, "m", "position of the centre of mass"},
    {"vx", "velocities/linear", 0, "m/s", "velocity of the centre of mass"},
    {"vy", "velocities/linear", 1, "m/s", "velocity of the centre of mass"},
    {"vz", "velocities/linear", 2, "m/s", "velocity of the centre of mass"},
    {"speed", "velocities/linear", -1, "m/s", "length of the velocity"},
    {"wx", "velocities/angular", 0, "rad/s", "angular velocity, world frame"},
    {"wy", "velocities/angular", 1, "rad/s", "angular velocity, world frame"},
    {"wz", "velocities/angular", 2, "rad/s", "angular velocity, world frame"},
    {"spin", "velocities/angular", -1, "rad/s", "length of the angular velocity"},
}};

SeriesData read_body(const RecordReader& record, const std::string& name, Index body,
                     const BodyColumn& column) {
  const Array numbers = record.of_body(column.path, body);
  SeriesData data{fmt::format("body.{}.{}", name, column.name),
                  column.unit,
                  record.array("frames/time").values,
                  {},
                  "frames"};
  for (std::size_t row = 0; row < data.time.size(); ++row) {
    const Vec3 v(numbers.values.data() + 3 * row);
    data.value.push_back(column.component < 0 ? v.norm() : v[column.component]);
  }
  return data;
}

std::vector<SeriesData> read_body_series(const RecordReader& record, const std::string& rest) {
  const std::vector<std::string> names = record.body_names();
  const auto is_body = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::size_t dot = rest.rfind('.');
  const bool has_component = dot != std::string::npos && !is_body(rest);
  const std::string name = has_component ? rest.substr(0, dot) : rest;
  const Index body = record.find_body(name);  // says what is wrong
  std::vector<SeriesData> all;
  if (!has_component) {
    for (int i = 0; i < 3; ++i) all.push_back(read_body(record, name, body, kBodyColumns[i]));
    return all;
  }
  std::string choices;
  for (const BodyColumn& column : kBodyColumns) {
    if (rest.substr(dot + 1) == column.name) return {read_body(record, name, body, column)};
    choices += std::string(choices.empty() ? "" : ", ") + column.name;
  }
  throw file_error(record.path().string(),
                   fmt::format("a body has no '{}' to follow", rest.substr(dot + 1)),
                   "components of a body: " + choices);
}

}  // namespace

std::string second_series_name(const std::string& path) {
  struct Prefix {
    std::string_view group, word;
  };
  for (const auto& [group, word] :
       {Prefix{"joints/", kJoint}, Prefix{"reactions/", kJoint}, Prefix{"sensors/", kSensor}}) {
    if (!path.starts_with(group)) continue;
    std::string name = std::string(word) + path.substr(group.size());
    std::replace(name.begin(), name.end(), '/', '.');
    return name;
  }
  return "";
}

std::optional<std::string> component_of(const std::string& name, const std::string& path,
                                        const std::vector<std::string>& labels) {
  const std::string second = second_series_name(path);
  if (name == path || path.starts_with(name + '/') ||
      (!second.empty() && (name == second || second.starts_with(name + '.'))))
    return "";
  for (const std::string& one : {path, second}) {
    if (one.empty() || !name.starts_with(one + '.')) continue;
    const std::string label = name.substr(one.size() + 1);
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) return label;
  }
  return std::nullopt;
}

namespace {

/// The series of a joint's several coordinates that a name without one of them means:
/// `joint.cross.turn.angle` of `joint.cross.angle`; none of other names.
std::vector<std::string> coordinates_meant(const std::vector<Column>& columns,
                                           const std::string& name) {
  std::vector<std::string> meant;
  for (const Column& column : columns)
    for (const std::string& one : {column.path, second_series_name(column.path)}) {
      const char separator = one == column.path ? '/' : '.';
      const auto leaf = one.rfind(separator);
      if (!column.path.starts_with("joints/") || leaf == std::string::npos || leaf == 0) continue;
      const auto coordinate = one.rfind(separator, leaf - 1);
      if (coordinate != std::string::npos && name == one.substr(0, coordinate) + one.substr(leaf))
        meant.push_back("'" + one + "'");
    }
  return meant;
}

}  // namespace

std::string series_hint(const RecordReader& record, const std::string& name) {
  const std::vector<Column> columns = columns_of(record);
  if (const std::vector<std::string> meant = coordinates_meant(columns, name); !meant.empty())
    return "this joint has several coordinates: " + join(meant, ", ");
  std::vector<std::string> known = {std::string(kBody) + "NAME.x"};
  for (const Column& column : columns) {
    const std::string second = second_series_name(column.path);
    for (const std::string& one : {column.path, second}) {
      if (one.empty()) continue;
      if (name.starts_with(one + '.') && !column.labels.empty())
        return fmt::format("components of {}: {}", one, join(column.labels, ", "));
      known.push_back(one);
      for (const std::string& label : column.labels)
        known.push_back(fmt::format("{}.{}", one, label));
    }
    known.push_back(column.path.substr(column.path.rfind('/') + 1));
    known.push_back(column.path.substr(0, column.path.find('/')));
  }
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  std::string nearest = nearest_word(name, candidates);
  for (const Column& column : columns)  // people leave the group out
    if (column.path.ends_with('/' + nearest)) nearest = column.path;
  return nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest);
}

std::vector<SeriesName> series_names(const RecordReader& record) {
  std::vector<SeriesName> names;
  for (const Column& column : columns_of(record)) {
    if (column.labels.empty()) names.push_back({column.path, column.unit, column.meaning});
    for (const std::string& label : column.labels)
      names.push_back({column.path + '.' + label, column.unit, column.meaning});
  }
  return names;
}

std::vector<SeriesName> body_series_names() {
  std::vector<SeriesName> names;
  names.reserve(kBodyColumns.size());
  for (const BodyColumn& column : kBodyColumns)
    names.push_back({column.name, column.unit, column.meaning});
  return names;
}

bool has_series(const RecordReader& record, const std::string& name) {
  const std::vector<Column> columns = columns_of(record);
  return name.starts_with(kBody) ||
         std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
           return component_of(name, column.path, column.labels).has_value();
         });
}

std::vector<SeriesData> read_series(const RecordReader& record, const std::string& name) {
  if (name.starts_with(kBody)) return read_body_series(record, name.substr(kBody.size()));
  const std::vector<Column> columns = columns_of(record);
  std::vector<SeriesData> all;
  std::vector<std::array<Real, 6>> all_momenta;  // made once for all components
  for (const Column& column : columns) {
    const auto label = component_of(name, column.path, column.labels);
    if (!label) continue;
    for (SeriesData& data : read_column(record, column, *label, all_momenta))
      all.push_back(std::move(data));
  }
  if (!all.empty()) return all;
  const std::string hint = series_hint(record, name);
  throw file_error(record.path().string(), "this record has no series '" + name + "'",
                   (hint.empty() ? "" : hint + ' ') +
                       "talus info lists all; of a body: body.NAME.x; of a joint: "
                       "joint.NAME.force; of a sensor: sensor.NAME");
}

}  // namespace talus::record
