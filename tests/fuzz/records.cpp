#include <array>
#include <sstream>

#include <fuzz/targets.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/csv.hpp>
#include <talus/record/gltf.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/record/surface.hpp>
#include <talus/record/vtk.hpp>
#include <talus/view/record_source.hpp>

namespace talus::fuzz {
namespace {

using record::RecordReader;

void use_datasets(const RecordReader& reader) {
  reading([&] { static_cast<void>(reader.title() + reader.status()); });
  for (const std::string& name : reader.datasets()) {
    reading([&] { static_cast<void>(reader.array(name)); });
    reading([&] { static_cast<void>(reader.texts(name)); });
    reading([&] { static_cast<void>(reader.note(name, "meaning")); });
    reading([&] { static_cast<void>(reader.packed_rows(name, 0, 1)); });
  }
}

void use_tables(const RecordReader& reader) {
  std::ostringstream table;
  for (const char* group : {"frames", "poses", "velocities", "contacts", "steps", "energies",
                            "events", "reactions", "joints", "sensors"})
    reading([&] { record::write_series_csv(reader, group, table); });
  reading([&] { record::write_body_csv(reader, reader.body_names().at(0), table); });
}

void use_series(const RecordReader& reader) {
  for (const char* name : {"energies", "certificates", "momentum", "reactions", "drives", "joints",
                           "sensors", "probes"})
    reading([&] { static_cast<void>(record::read_series(reader, name)); });
  reading([&] {
    static_cast<void>(record::read_series(reader, "body." + reader.body_names().at(0) + ".speed"));
  });
}

void use_frames(const RecordReader& reader) {
  const Index frames = reader.frame_count();
  for (const Index frame : {Index(0), frames - 1}) {
    reading([&] { static_cast<void>(reader.frame(frame)); });
    reading([&] { static_cast<void>(reader.contacts(frame)); });
  }
}

void use_page(const RecordReader& reader) {
  reading([&] { static_cast<void>(view::header_of(reader, "")); });
  reading([&] { static_cast<void>(record::read_looks(reader, 8)); });
}

/// What the verbs read of a record, in parts.
constexpr std::array kUses = {use_datasets, use_tables, use_series, use_frames, use_page};

void resume(const std::filesystem::path& path) {
  reading([&] { static_cast<void>(record::read_checkpoint(path)); });
}

void export_gltf(const std::filesystem::path& path) {
  static const auto target = as_file({}, "record.glb");
  reading([&] { record::write_gltf(RecordReader(path), target, 1); });
}

}  // namespace

void record_read(Bytes bytes) {
  const auto path = as_file(bytes, "record.h5");
  reading([&] {
    const RecordReader reader(path);
    for (const auto& use : kUses) reading([&] { use(reader); });
  });
  resume(path);
}

void record_whole(Bytes bytes) {
  record_read(bytes);
  export_gltf(as_file(bytes, "record.h5"));
}

void record(Bytes bytes) {
  // A record takes long to read: its last byte, which HDF5 does not see, says which part it is.
  const std::size_t part = bytes.empty() ? 0 : bytes.back() % (kUses.size() + 2);
  const auto path = as_file(bytes, "record.h5");
  if (part < kUses.size()) {
    reading([&] { kUses[part](RecordReader(path)); });
  } else if (part == kUses.size()) {
    resume(path);
  } else {
    export_gltf(path);
  }
}

void state(Bytes bytes) { resume(as_file(bytes, "state.h5")); }

}  // namespace talus::fuzz
