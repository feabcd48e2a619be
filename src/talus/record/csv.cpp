#include <talus/record/csv.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <talus/base/csv_cell.hpp>
#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/record/detail/checked_index.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/series.hpp>

namespace talus::record {
namespace {

constexpr std::size_t kMostContacts = std::size_t{1} << 50;

using Selection = std::vector<const Series*>;

/// The series that a record has.
Selection series_of(const RecordReader& record) {
  Selection all;
  for (const Series& series : kSeries) all.push_back(&series);
  for (const auto& table : kOptionalSeries)
    for (const Series& series : table)
      if (record.has(series.path)) all.push_back(&series);
  const bool is_planar = record.attribute("/", "dimension", 3) == 2;
  for (const Series& series : is_planar ? kMachineSeries : kMachineSeriesInSpace)
    if (record.has(series.path)) all.push_back(&series);
  return all;
}

constexpr const char* kVector[] = {"x", "y", "z"};
constexpr const char* kQuaternion[] = {"w", "x", "y", "z"};

/// One block of columns: a heading and the numbers of a row, all or one of its components.
struct Columns {
  std::string heading;
  Array array;
  std::optional<Index> component = {};
};

std::string heading_of(const std::string& name, std::string_view unit, Index components) {
  const std::string suffix = unit == "1" ? "" : fmt::format(" [{}]", unit);
  if (components == 1) return csv_cell(name + suffix);
  std::vector<std::string> cells;
  for (Index i = 0; i < components; ++i)
    cells.push_back(csv_cell(
        fmt::format("{}_{}{}", name, components == 4 ? kQuaternion[i] : kVector[i], suffix)));
  return join(cells, ",");
}

std::string heading_of(const Series& series) {
  if (!series.labels.empty()) {  // names of its own
    std::istringstream labels{std::string(series.labels)};
    const std::string name(series.path.substr(series.path.find('/') + 1));
    const std::string suffix = series.unit == "1" ? "" : fmt::format(" [{}]", series.unit);
    std::vector<std::string> cells;
    for (std::string label; labels >> label;)
      cells.push_back(csv_cell(fmt::format("{}_{}{}", name, label, suffix)));
    return join(cells, ",");
  }
  return heading_of(std::string(series.path.substr(series.path.find('/') + 1)), series.unit,
                    series.components);
}

std::string choices(const RecordReader& record, const Selection& all) {
  std::vector<std::string> groups;
  const auto add = [&](std::string_view path) {
    const std::string group(path.substr(0, path.find('/')));
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  };
  for (const Series* series : all) add(series->path);
  for (const std::string& path : record.datasets())
    if (!second_series_name(path).empty() || path.starts_with("drives/")) add(path);
  return join(groups, ", ");
}

/// Without slashes around it.
std::string stripped(std::string name) {
  while (name.starts_with('/')) name.erase(0, 1);
  while (name.ends_with('/')) name.pop_back();
  return name;
}

/// The datasets that a name means; none where it means none.
Selection selected(const RecordReader& record, const std::string& name) {
  Selection selection;
  if (name.empty()) return selection;
  for (const Series* series : series_of(record))
    if (series->path == name || series->path.starts_with(name + '/')) selection.push_back(series);
  // The offsets of contacts become the columns step and time of each row; features are for
  // programs.
  if (selection.size() > 1)
    std::erase_if(selection, [](const Series* s) {
      return s->clock == Clock::frame_edge || s->path == "contacts/feature";
    });
  return selection;
}

[[noreturn]] void refuse_name(const RecordReader& record, const std::string& name) {
  const Selection all = series_of(record);
  std::vector<std::string_view> known;
  for (const Series* series : all) {
    known.push_back(series->path);
    known.push_back(series->path.substr(0, series->path.find('/')));
  }
  const std::string nearest = nearest_word(name, known);
  const std::string hint =
      nearest.empty() ? series_hint(record, name) : "did you mean '" + nearest + "'?";
  throw file_error(record.path().string(), "this record has no series '" + name + "'",
                   (hint.empty() ? "" : hint + ' ') + "groups: " + choices(record, all));
}

void write_numbers(std::string& line, const Array& array, Index row, Index offset, Index count) {
  const Real* numbers = array.values.data() + row * array.width() + offset;
  for (Index i = 0; i < count; ++i) append(line, ",{}", numbers[i]);
}

const std::string& name_of(const RecordReader& record, const std::vector<std::string>& names,
                           Real index) {
  return names[detail::checked_index(record, index, names.size(), "name")];
}

void write_line(std::ostream& out, std::string& line) {
  line.push_back('\n');
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
  line.clear();
}

/// Rows of steps, frames or samples; `clock_group` is "steps", "frames" or "probes/NAME".
void write_rows(const RecordReader& record, const std::string& clock_group,
                const std::vector<Columns>& columns, std::ostream& out) {
  const Array step = record.array(clock_group + "/step"),
              time = record.array(clock_group + "/time");
  out << "step,time [s]";
  for (const Columns& column : columns) out << ',' << column.heading;
  out << '\n';
  std::string line;
  for (Index row = 0; row < step.rows(); ++row) {
    append(line, "{},{}", step.values[row], time.values[row]);
    for (const Columns& column : columns)
      write_numbers(line, column.array, row, column.component.value_or(0),
                    column.component ? 1 : column.array.width());
    write_line(out, line);
  }
}

/// Rows of all bodies in all frames, read frame by frame: a long record does not fit in memory.
void write_body_rows(const RecordReader& record, const Selection& selection, std::ostream& out) {
  const std::vector<std::string> names = record.body_names();
  const Array step = record.array("frames/step"), time = record.array("frames/time");
  out << "step,time [s],body";
  for (const Series* series : selection) out << ',' << heading_of(*series);
  out << '\n';
  std::string line;
  for (Index frame = 0; frame < step.rows(); ++frame) {
    std::vector<Array> blocks;
    for (const Series* series : selection)
      blocks.push_back(record.rows(std::string(series->path), frame, 1));
    for (std::size_t body = 0; body < names.size(); ++body) {
      append(line, "{},{},{}", step.values[frame], time.values[frame], csv_cell(names[body]));
      for (std::size_t i = 0; i < blocks.size(); ++i)
        write_numbers(line, blocks[i], 0, static_cast<Index>(body) * selection[i]->components,
                      selection[i]->components);
      write_line(out, line);
    }
  }
}

/// Rows of events; kinds and bodies by their names. Of per-body series a row per event and body.
void write_events(const RecordReader& record, const Selection& selection, std::ostream& out) {
  const std::vector<std::string> bodies = record.body_names();
  std::istringstream kinds_text(record.note("events", "values"));
  const std::vector<std::string> kinds{std::istream_iterator<std::string>(kinds_text), {}};
  const bool is_per_body = selection.size() == 1 && selection[0]->is_per_body;
  const Array step = record.array("events/step"), time = record.array("events/time");
  out << "step,time [s]" << (is_per_body ? ",body" : "");
  std::vector<Array> arrays;
  Selection shown;
  for (const Series* series : selection) {
    if (series->path == "events/step" || series->path == "events/time" ||
        (series->is_per_body && !is_per_body))
      continue;
    shown.push_back(series);
    arrays.push_back(record.array(std::string(series->path)));
    out << ',' << heading_of(*series);
  }
  out << '\n';
  std::string line;
  const Index copies = is_per_body ? static_cast<Index>(bodies.size()) : 1;
  for (Index row = 0; row < step.rows(); ++row)
    for (Index copy = 0; copy < copies; ++copy) {
      append(line, "{},{}", step.values[row], time.values[row]);
      if (is_per_body) append(line, ",{}", csv_cell(bodies[copy]));
      for (std::size_t i = 0; i < shown.size(); ++i) {
        const Real number = arrays[i].values[row * arrays[i].width()];
        if (shown[i]->path == "events/kind")
          append(line, ",{}", name_of(record, kinds, number));
        else if (shown[i]->element == Element::int32)
          append(line, ",{}", number < 0 ? "" : csv_cell(name_of(record, bodies, number)));
        else
          write_numbers(line, arrays[i], row, copy * shown[i]->components, shown[i]->components);
      }
      write_line(out, line);
    }
}

/// A dataset of joints, drives or sensors, or a component of it.
struct PartOfMachine {
  std::string path;
  std::vector<std::string> labels;
  std::string label;  ///< of the component; empty: all
};

/// What a name stands for among joints, drives and sensors: a group ("reactions"), one of it
/// ("reactions/pin"), a joint ("joint.pin"), a sensor ("sensor.imu"), or a component of these.
std::vector<PartOfMachine> parts_of_machine(const RecordReader& record, const std::string& name) {
  std::vector<PartOfMachine> parts;
  for (const std::string& path : record.datasets()) {
    if (second_series_name(path).empty() && !path.starts_with("drives/")) continue;
    std::istringstream stream(record.note(path, "labels"));
    std::vector<std::string> labels{std::istream_iterator<std::string>(stream), {}};
    if (auto label = component_of(name, path, labels))
      parts.push_back({path, std::move(labels), std::move(*label)});
  }
  return parts;
}

/// Rows of steps: what the joints, drives or sensors did.
void write_machine_rows(const RecordReader& record, const std::vector<PartOfMachine>& parts,
                        std::ostream& out) {
  std::vector<Columns> columns;
  for (const PartOfMachine& part : parts) {
    const Array array = record.array(part.path);
    const std::string labels = part.label.empty() ? join(part.labels, " ") : part.label;
    Series series;
    const std::string unit = array.unit;
    series.path = part.path;
    series.labels = labels;
    series.unit = unit;
    series.components = array.width();
    columns.push_back({heading_of(series), array});
    if (!part.label.empty())
      columns.back().component =
          std::find(part.labels.begin(), part.labels.end(), part.label) - part.labels.begin();
  }
  write_rows(record, "steps", columns, out);
}

void write_contact_rows(const RecordReader& record, const Selection& selection, std::ostream& out) {
  const std::vector<std::string> names = record.body_names();
  const Array step = record.array("frames/step"), time = record.array("frames/time");
  const Array offset = record.array("contacts/offset");
  out << "step,time [s]";
  for (const Series* series : selection) out << ',' << heading_of(*series);
  out << '\n';
  std::string line;
  for (Index frame = 0; frame < step.rows(); ++frame) {
    const auto first = static_cast<Index>(
        detail::checked_index(record, offset.values[frame], kMostContacts, "contact offset"));
    const auto count = static_cast<Index>(detail::checked_index(record, offset.values[frame + 1],
                                                                kMostContacts, "contact offset")) -
                       first;
    std::vector<Array> blocks;
    for (const Series* series : selection)
      blocks.push_back(record.rows(std::string(series->path), first, count));
    for (Index row = 0; row < count; ++row) {
      append(line, "{},{}", step.values[frame], time.values[frame]);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (selection[i]->element == Element::int32)  // a body: people want its name
          append(line, ",{}", csv_cell(name_of(record, names, blocks[i].values[row])));
        else
          write_numbers(line, blocks[i], row, 0, blocks[i].width());
      }
      write_line(out, line);
    }
  }
}

/// Rows of what is no dataset of its own: momentum, components, those of bodies.
/// @return false where the name means none, or such of several clocks.
bool write_named_rows(const RecordReader& record, const std::string& name, std::ostream& out) {
  if (!has_series(record, name)) return false;
  std::vector<Columns> columns;
  std::string clock;
  for (SeriesData& data : read_series(record, name)) {
    if (std::exchange(clock, data.clock) != data.clock && !columns.empty()) return false;
    std::string heading = data.name.substr(data.name.find('/') + 1);  // a body's has none
    if (!data.name.starts_with("body.")) std::replace(heading.begin(), heading.end(), '.', '_');
    columns.push_back({heading_of(heading, data.unit, 1), {}});
    columns.back().array.shape = {static_cast<Index>(data.value.size())};
    columns.back().array.values = std::move(data.value);
  }
  write_rows(record, clock, columns, out);
  return true;
}

}  // namespace

void write_series_csv(const RecordReader& record, const std::string& selector, std::ostream& out) {
  const std::string name = stripped(selector);
  const std::vector<PartOfMachine> parts = parts_of_machine(record, name);
  if (!parts.empty()) return write_machine_rows(record, parts, out);
  const Selection selection = selected(record, name);
  if (selection.empty()) {
    if (!name.empty() && write_named_rows(record, name, out)) return;
    refuse_name(record, name);
  }
  const Series& first = *selection.front();
  if (first.clock == Clock::event) return write_events(record, selection, out);
  if (first.clock == Clock::contact) return write_contact_rows(record, selection, out);
  if (first.is_per_body) return write_body_rows(record, selection, out);
  std::vector<Columns> columns;
  for (const Series* series : selection) {
    if (series->path == "steps/step" || series->path == "steps/time" ||
        series->path == "frames/step" || series->path == "frames/time")
      continue;  // the first two columns of every table
    Columns column{heading_of(*series), record.array(std::string(series->path))};
    columns.push_back(std::move(column));
  }
  write_rows(record, first.clock == Clock::step ? "steps" : "frames", columns, out);
}

void write_probe_csv(const RecordReader& record, const std::string& probe, std::ostream& out) {
  const std::string group = "probes/" + probe + '/';
  std::vector<std::string> known;
  std::vector<Columns> columns;
  for (const std::string& path : record.datasets()) {
    if (!path.starts_with("probes/")) continue;
    const std::string name = path.substr(7, path.rfind('/') - 7);
    if (known.empty() || known.back() != name) known.push_back(name);
    if (!path.starts_with(group) || path == group + "step" || path == group + "time") continue;
    const Array array = record.array(path);
    std::istringstream labels(record.note(path, "labels"));
    const std::string suffix = array.unit == "1" ? "" : fmt::format(" [{}]", array.unit);
    const std::string column = path.substr(group.size());
    std::vector<std::string> cells;
    for (std::string label; labels >> label;)
      cells.push_back(csv_cell(fmt::format("{}_{}{}", column, label, suffix)));
    columns.push_back({cells.empty() ? csv_cell(column + suffix) : join(cells, ","), array});
  }
  if (!columns.empty()) return write_rows(record, "probes/" + probe, columns, out);
  const std::vector<std::string_view> candidates(known.begin(), known.end());
  const std::string nearest = nearest_word(probe, candidates);
  throw file_error(record.path().string(), "this record has no probe '" + probe + "'",
                   known.empty()     ? "it has none at all: see probes in the scene reference"
                   : nearest.empty() ? "talus info lists what it has"
                                     : "did you mean '" + nearest + "'?");
}

void write_body_csv(const RecordReader& record, const std::string& body_name, std::ostream& out) {
  const Index body = record.find_body(body_name);
  std::vector<Columns> columns;
  for (const Series* listed : series_of(record)) {
    const Series& series = *listed;
    if (!series.is_per_body || series.clock != Clock::frame) continue;
    const std::string path(series.path);
    const std::string group = path.substr(0, path.find('/'));
    const std::string name = group == "velocities"
                                 ? (path.ends_with("linear") ? "velocity" : "angular_velocity")
                                 : path.substr(path.find('/') + 1);
    columns.push_back(
        {heading_of(name, series.unit, series.components), record.of_body(path, body)});
  }
  write_rows(record, "frames", columns, out);
}

}  // namespace talus::record
