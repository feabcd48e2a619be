#include <talus/record/checkpoint.hpp>

#include <utility>

#include <talus/base/error.hpp>
#include <talus/files/file_names.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/hdf5/open_file.hpp>
#include <talus/record/detail/internal_layout.hpp>
#include <talus/record/detail/search_rows.hpp>
#include <talus/record/detail/state_part.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/provenance.hpp>
#include <talus/record/reader.hpp>

namespace talus::record {
namespace fs = std::filesystem;
namespace {

void write_content(hid_t file, const Checkpoint& checkpoint) {
  hdf5::write_attribute(file, "format", std::string(kStateFormat));
  hdf5::write_attribute(file, "state_version", 1LL);
  hdf5::write_attribute(file, "state_hash", to_hex(checkpoint.state.hash()));
  if (checkpoint.pushed_steps > 0)
    hdf5::write_attribute(file, "pushed_steps", static_cast<long long>(checkpoint.pushed_steps));
  hdf5::write_texts(file, "body_name", checkpoint.body_names, "name of each body");
  detail::write_state_part(file, detail::kStateFileGroup, checkpoint);
}

Checkpoint read_content(hid_t file) {
  if (hdf5::read_attribute(file, "format", "") != kStateFormat)
    throw hdf5::Hdf5Error("this HDF5 file is no state");
  Checkpoint checkpoint = detail::read_state_part(file, detail::kStateFileGroup);
  checkpoint.pushed_steps = static_cast<Index>(hdf5::read_number(file, "pushed_steps", 0));
  checkpoint.body_names =
      hdf5::read_texts({H5Dopen2(file, "body_name", H5P_DEFAULT), "body_name"}, "body_name");
  return checkpoint;
}

/// Runs a reading task; HDF5's failures become InputErrors about the file.
template <class Task>
Checkpoint reading_state(const fs::path& path, const Task& task) {
  const hdf5::Session session;
  try {
    const hdf5::File file = hdf5::open_file(path);
    return task(file.get());
  } catch (const hdf5::Hdf5Error& error) {
    throw file_error(path.string(), std::string("cannot read the state: ") + error.what());
  }
}

/// Of records before version 2, whose frames have all in double precision.
Checkpoint read_frame(const RecordReader& reader, Index frame) {
  Checkpoint checkpoint;
  checkpoint.state = reader.frame(frame);
  checkpoint.step = static_cast<Index>(reader.rows("frames/step", frame, 1).values.at(0));
  checkpoint.has_memory = reader.has("contacts/feature");  // the first records have none
  const std::string internal(detail::kInternalDataset);
  if (reader.has(internal) && reader.attribute(internal, "step", -1) == Real(checkpoint.step))
    detail::take_internal(reader.array(internal).values,
                          reader.note(internal, detail::kVariablesAttribute), checkpoint);
  if (!checkpoint.has_memory) return checkpoint;
  checkpoint.memory.contacts = reader.contacts(frame);
  const std::string search(detail::kSearchDataset);
  if (reader.has(search) && reader.attribute(search, "step", -1) == Real(checkpoint.step))
    detail::take_search_rows(reader.array(search).values, checkpoint.memory);
  return checkpoint;
}

Checkpoint read_last_frame(const fs::path& path) {
  const RecordReader reader(path);
  const Index frame = reader.frame_count() - 1;
  if (frame < 0)
    throw file_error(path.string(),
                     files::FileLock::is_held(path)
                         ? "another run is writing this record, and it has no frame yet"
                         : "this record has no frame to resume from");
  const bool has_state = reader.has("resume/position");
  Checkpoint checkpoint =
      has_state ? reading_state(path,
                                [](hid_t file) {
                                  return detail::read_state_part(file, detail::kResumeGroup);
                                })
                : read_frame(reader, frame);
  checkpoint.pushed_steps = static_cast<Index>(reader.attribute("/", "pushed_steps", 0));
  checkpoint.body_names = reader.body_names();
  return checkpoint;
}

}  // namespace

const files::OwnKind& state_kind() {
  static const files::OwnKind kind{
      "a state", [](const fs::path& path) { return kind_of(path) == FileKind::state; }};
  return kind;
}

void write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  const hdf5::Session session;
  try {
    hdf5::File file = hdf5::file_in_memory();
    write_content(file.get(), checkpoint);
    files::write_file(path, state_kind(), hdf5::take_bytes(std::move(file)));
  } catch (const hdf5::Hdf5Error& error) {
    throw file_error(path.string(), std::string("cannot write the state: ") + error.what());
  }
}

void write_state(const fs::path& path, const model::State& state,
                 const std::vector<std::string>& body_names) {
  Checkpoint checkpoint;
  checkpoint.state = state;
  checkpoint.body_names = body_names;
  write_checkpoint(path, checkpoint);
}

Checkpoint read_checkpoint(const fs::path& path) {
  if (demand_hdf5(path) == FileKind::record) return read_last_frame(path);
  return reading_state(path, read_content);
}

model::State read_state(const fs::path& path) { return read_checkpoint(path).state; }

}  // namespace talus::record
