#include <talus/view/record_source.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include <talus/base/error.hpp>
#include <talus/base/hash.hpp>
#include <talus/json/json.hpp>
#include <talus/record/provenance.hpp>
#include <talus/record/series.hpp>
#include <talus/view/unpack.hpp>

namespace talus::view {
namespace {

using record::RecordReader;

/// "grains[0]", "grains[1]", … as one entry: 10⁵ names are not sent one by one.
Json groups_of(const std::vector<std::string>& names) {
  Json groups = Json::array();
  std::string stem;
  Index count = 0;  // members of the last group; 0: it is no set
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t bracket = names[i].rfind('[');
    if (count > 0 && bracket != std::string::npos && names[i].substr(0, bracket) == stem &&
        names[i].substr(bracket) == fmt::format("[{}]", count)) {
      groups.items().back()["count"] = ++count;
      continue;
    }
    const bool begins_set = bracket != std::string::npos && names[i].substr(bracket) == "[0]";
    stem = begins_set ? names[i].substr(0, bracket) : names[i];
    count = begins_set ? 1 : 0;
    groups.push_back({{"name", stem}, {"first", i}, {"count", 1}, {"is_set", begins_set}});
  }
  return groups;
}

Json series_list(const std::vector<record::SeriesName>& names) {
  Json list = Json::array();
  for (const record::SeriesName& series : names)
    list.push_back({{"name", series.name}, {"unit", series.unit}, {"meaning", series.meaning}});
  return list;
}

Json datasets_of(const RecordReader& record) {
  Json datasets = Json::object();
  for (const std::string& path : record.datasets()) {
    if (path.starts_with("provenance/") || path.starts_with("resume/")) continue;
    datasets[path] = {{"shape", record.shape(path)},
                      {"unit", record.note(path, "unit")},
                      {"meaning", record.note(path, "meaning")}};
  }
  return datasets;
}

template <class Value>
void append(std::string& bytes, const std::vector<Value>& values) {
  const auto* start = reinterpret_cast<const char*>(values.data());
  bytes.append(start, sizeof(Value) * values.size());
}

Json provenance_of(const RecordReader& record) {
  Json facts;
  for (const char* name : {"start_time", "command_line", "version", "git_commit", "compiler",
                           "machine", "options", "scene"})
    facts[name] = record.text(std::string("provenance/") + name);
  return facts;
}

/// What tells one run from another: its beginning and all that was asked of it.
std::string run_of(const RecordReader& record) {
  StateHash hash;
  for (const char* name : {"start_time", "command_line", "options", "scene"})
    hash.add(record.text(std::string("provenance/") + name) + '\n');
  return record::to_hex(hash.value());
}

}  // namespace

void append_numbers(std::string& bytes, const std::vector<Real>& values, Number number) {
  if (number == Number::float64)
    append(bytes, values);
  else
    append(bytes, std::vector<float>(values.begin(), values.end()));
}

std::string header_of(const RecordReader& record, const std::string& revision) {
  Json header{{"file", record.path().filename().string()},
              {"title", record.title()},
              {"status", record.status()},
              {"revision", revision},
              {"run", run_of(record)},
              {"dimension", record.attribute("/", "dimension", 3)},
              {"bodies", record.body_count()},
              {"frames", record.frame_count()},
              {"steps", record.step_count()},
              {"contacts_every", record.contacts_every()},
              {"initial_energy", record.attribute("energies", "initial_kinetic", 0) +
                                     record.attribute("energies", "initial_potential", 0)},
              {"tolerance", record.attribute("certificates", "tolerance", 0)},
              {"groups", groups_of(record.body_names())},
              {"materials", record.texts("materials/name")},
              {"series", series_list(record::series_names(record))},
              {"body_series", series_list(record::body_series_names())},
              {"provenance", provenance_of(record)},
              {"datasets", datasets_of(record)}};
  if (record.has("machine/joint")) header["joints"] = record.texts("machine/joint");
  if (record.has("machine/drive")) header["drives"] = record.texts("machine/drive");
  if (record.has("events/kind")) header["event_kinds"] = record.note("events", "values");
  return json_text(header);
}

std::string RecordSource::Stamp::text() const {
  return fmt::format("{:x}-{:x}-{:x}.{:x}", inode, size, seconds, nanoseconds);
}

RecordSource::Stamp RecordSource::stamp() const {
  struct stat facts {};
  if (::stat(path_.c_str(), &facts) != 0) return {};
  return {static_cast<std::uint64_t>(facts.st_ino), static_cast<std::uint64_t>(facts.st_size),
          static_cast<std::uint64_t>(facts.st_mtim.tv_sec),
          static_cast<std::uint64_t>(facts.st_mtim.tv_nsec)};
}

std::shared_ptr<RecordReader> RecordSource::open() const {
  // Between finding the file under its name and locking it, the recorder may have taken it back as
  // its spare copy and locked it; another moment, and the name is that of the other copy.
  constexpr int kAttempts = 5;
  for (int attempt = 1; attempt < kAttempts; ++attempt) {
    try {
      return std::make_shared<RecordReader>(path_);
    } catch (const InputError&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  return std::make_shared<RecordReader>(path_);
}

std::shared_ptr<RecordReader> RecordSource::record(const std::string& run) {
  const std::lock_guard lock(mutex_);
  const Stamp now = stamp();
  std::shared_ptr<RecordReader> opened = reader_;
  if (!opened || stamp_ != now) {
    reader_.reset();
    opened = open();
    stamp_ = now;
    run_ = run_of(*opened);
    if (opened->status() != "running") reader_ = opened;
  }
  if (!run.empty() && run_ != run) throw AnotherRun(path_.string() + " has been written anew");
  return opened;
}

std::string RecordSource::revision() {
  const std::lock_guard lock(mutex_);
  return stamp_.text();
}

std::string RecordSource::header() {
  const auto opened = record();
  return header_of(*opened, revision());
}

std::string RecordSource::progress() {
  const auto opened = record();
  return json_text({{"run", run_of(*opened)},
                    {"revision", revision()},
                    {"status", opened->status()},
                    {"frames", opened->frame_count()},
                    {"steps", opened->step_count()},
                    {"contacts", opened->shape("contacts/body_a").at(0)}});
}

std::string RecordSource::rows(const std::vector<std::string>& datasets, Index first, Index count,
                               Number number, const std::string& run) {
  const auto opened = record(run);
  std::string bytes;
  for (const std::string& path : datasets) {
    const std::vector<Index> shape = opened->shape(path);
    if (shape.empty()) throw file_error(path_.string(), "'" + path + "' has no rows");
    const Index rows = count < 0 ? std::max<Index>(shape[0] - std::max<Index>(first, 0), 0) : count;
    std::size_t size = number == Number::float32 ? 4 : 8;
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
      size *= static_cast<std::size_t>(shape[axis]);
    if (size > 0 && static_cast<std::size_t>(rows) > (kMaxBytes - bytes.size()) / size)
      throw file_error(path_.string(),
                       fmt::format("{} rows of '{}' are too many at once", rows, path));
    const auto packed =
        number == Number::float32 ? opened->packed_rows(path, first, rows) : std::nullopt;
    if (packed)
      append(bytes, unpack(*packed));
    else
      append_numbers(bytes, opened->rows(path, first, rows).values, number);
  }
  return bytes;
}

std::string RecordSource::series(const std::vector<std::string>& names, const std::string& run) {
  const auto opened = record(run);
  Json list = Json::array();
  std::string numbers;
  for (const std::string& name : names)
    for (const record::SeriesData& data : record::read_series(*opened, name)) {
      list.push_back({{"name", data.name}, {"unit", data.unit}, {"count", data.time.size()}});
      append_numbers(numbers, data.time, Number::float64);
      append_numbers(numbers, data.value, Number::float64);
    }
  std::string head = json_text(list);
  head.append(7 - head.size() % 8, ' ');
  return head + '\n' + numbers;
}

}  // namespace talus::view
