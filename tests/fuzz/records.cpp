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

/// Everything that the verbs read of a record.
void use(const record::Reader& reader) {
  std::ostringstream table;
  reading([&] { static_cast<void>(reader.title() + reader.status()); });
  for (const std::string& name : reader.datasets()) {
    reading([&] { static_cast<void>(reader.array(name)); });
    reading([&] { static_cast<void>(reader.texts(name)); });
    reading([&] { static_cast<void>(reader.note(name, "meaning")); });
    reading([&] { static_cast<void>(reader.packed_rows(name, 0, 1)); });
  }
  for (const char* group : {"frames", "poses", "velocities", "contacts", "steps", "energies",
                            "events", "reactions", "joints", "sensors"})
    reading([&] { record::write_series_csv(reader, group, table); });
  reading([&] { record::write_body_csv(reader, reader.body_names().at(0), table); });
  for (const char* name : {"energies", "certificates", "momentum", "reactions", "drives", "joints",
                           "sensors", "probes"})
    reading([&] { static_cast<void>(record::read_series(reader, name)); });
  reading([&] {
    static_cast<void>(record::read_series(reader, "body." + reader.body_names().at(0) + ".speed"));
  });
  reading([&] { static_cast<void>(view::header_of(reader, "")); });
  reading([&] { static_cast<void>(record::read_looks(reader, 8)); });
  const Index frames = reader.frame_count();
  for (const Index frame : {Index(0), frames - 1}) {
    reading([&] { static_cast<void>(reader.frame(frame)); });
    reading([&] { static_cast<void>(reader.contacts(frame)); });
  }
}

}  // namespace

void record_read(Bytes bytes) {
  const auto path = as_file(bytes, "record.h5");
  reading([&] { use(record::Reader(path)); });
  reading([&] { static_cast<void>(record::read_checkpoint(path)); });
}

void record(Bytes bytes) {
  record_read(bytes);
  const auto path = as_file(bytes, "record.h5"), target = as_file({}, "record.glb");
  reading([&] { record::write_gltf(record::Reader(path), target, 1); });
}

void state(Bytes bytes) {
  const auto path = as_file(bytes, "state.h5");
  reading([&] { static_cast<void>(record::read_checkpoint(path)); });
}

}  // namespace talus::fuzz
