#include <talus/record/checkpoint.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/files/file_names.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/hdf5/open_file.hpp>
#include <talus/record/detail/internal_layout.hpp>
#include <talus/record/detail/search_rows.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/provenance.hpp>
#include <talus/record/reader.hpp>

namespace talus::record {
namespace fs = std::filesystem;
namespace {

constexpr hsize_t kContactValues = 10;  ///< numbers of a contact: position, normal, impulse, gap

void write_remembered_contacts(hid_t file, const std::vector<stepping::StepContact>& contacts) {
  std::vector<std::int64_t> names;
  std::vector<double> numbers;
  for (const stepping::StepContact& contact : contacts) {
    names.insert(names.end(),
                 {contact.body_a, contact.body_b, static_cast<std::int64_t>(contact.feature)});
    for (const Vec3* vector : {&contact.position, &contact.normal, &contact.impulse})
      numbers.insert(numbers.end(), vector->data(), vector->data() + 3);
    numbers.push_back(contact.gap);
  }
  const auto n = static_cast<hsize_t>(contacts.size());
  hdf5::write_array(file, "contact_names", H5T_NATIVE_INT64, {n, 3}, names.data(), "1",
                    "body A, body B and feature of each contact of the last step");
  hdf5::write_array(file, "contact_values", H5T_NATIVE_DOUBLE, {n, kContactValues}, numbers.data(),
                    "SI", "its position (3), normal (3), impulse on B (3) and gap");
  const bool has_moments =
      std::any_of(contacts.begin(), contacts.end(),
                  [](const stepping::StepContact& c) { return !c.moment.isZero(0); });
  if (!has_moments) return;
  numbers.clear();
  for (const stepping::StepContact& contact : contacts)
    numbers.insert(numbers.end(), contact.moment.data(), contact.moment.data() + 3);
  hdf5::write_array(file, "contact_moments", H5T_NATIVE_DOUBLE, {n, 3}, numbers.data(), "N s m",
                    "its moment impulse on B");
}

/// Variables without names are of an earlier version: what they were is not known.
void take_internal(const std::vector<double>& values, const std::string& layout,
                   Checkpoint& checkpoint) {
  if (layout.empty())
    checkpoint.has_memory = false;
  else
    checkpoint.state.internal = detail::internal_variables(values, layout);
}

void write_content(hid_t file, const Checkpoint& checkpoint) {
  const model::State& state = checkpoint.state;
  const auto n = static_cast<hsize_t>(state.body_count());
  std::vector<std::array<double, 4>> orientation;
  for (const Quat& q : state.orientation) orientation.push_back({q.w(), q.x(), q.y(), q.z()});
  hdf5::write_attribute(file, "format", std::string(kStateFormat));
  hdf5::write_attribute(file, "state_version", 1LL);
  hdf5::write_attribute(file, "state_hash", to_hex(state.hash()));
  hdf5::write_attribute(file, "step", static_cast<long long>(checkpoint.step));
  if (checkpoint.pushed_steps > 0)
    hdf5::write_attribute(file, "pushed_steps", static_cast<long long>(checkpoint.pushed_steps));
  hdf5::write_attribute(file, "step_size", static_cast<double>(checkpoint.memory.step_size));
  const hid_t real = H5T_NATIVE_DOUBLE;
  hdf5::write_array(file, "time", real, {1}, &state.time, "s", "simulated time");
  hdf5::write_array(file, "position", real, {n, 3}, state.position.data(), "m",
                    "centre of mass, world frame");
  hdf5::write_array(file, "orientation", real, {n, 4}, orientation.data(), "1",
                    "unit quaternion w, x, y, z: body frame to world frame");
  hdf5::write_array(file, "velocity", real, {n, 3}, state.velocity.data(), "m/s",
                    "of the centre of mass, world frame");
  hdf5::write_array(file, "angular_velocity", real, {n, 3}, state.angular_velocity.data(), "rad/s",
                    "world frame");
  if (!state.presence.empty())
    hdf5::write_array(file, "presence", H5T_NATIVE_UINT8, {n}, state.presence.data(), "1",
                      "0: the body is there; 1: it waits to come in; 2: it has been taken out");
  if (const std::vector<double> values = detail::values_of(state.internal); !values.empty()) {
    hdf5::write_array(file, "internal", real, {static_cast<hsize_t>(values.size())}, values.data(),
                      "SI", detail::kInternalMeaning);
    const hdf5::Dataset internal(H5Dopen2(file, "internal", H5P_DEFAULT), "internal");
    hdf5::write_attribute(internal.get(), detail::kVariablesAttribute,
                          detail::layout_of(state.internal));
  }
  hdf5::write_texts(file, "body_name", checkpoint.body_names, "name of each body");
  if (!checkpoint.has_memory) return;
  write_remembered_contacts(file, checkpoint.memory.contacts);
  const std::vector<double> search = detail::search_rows(checkpoint.memory);
  hdf5::write_array(file, "search", real,
                    {search.size() / detail::kSearchValues, detail::kSearchValues}, search.data(),
                    "SI", detail::kSearchMeaning);
}

std::size_t rows_of(hid_t dataset) {
  const hdf5::Shape shape = hdf5::shape_of(dataset);
  return shape.empty() ? 1 : shape[0];
}

std::vector<double> read_numbers(hid_t file, const char* name, std::size_t count) {
  const hdf5::Dataset dataset(H5Dopen2(file, name, H5P_DEFAULT), name);
  std::size_t size = 1;
  for (const hsize_t extent : hdf5::shape_of(dataset.get())) size *= extent;
  hdf5::demand_plausible(dataset.get(), name);
  if (size != count) throw hdf5::Hdf5Error(std::string(name) + ": wrong number of entries");
  std::vector<double> numbers(count);
  hdf5::check(
      H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
      name);
  return numbers;
}

std::vector<Vec3> read_vectors(hid_t file, const char* name, std::size_t count) {
  const std::vector<double> numbers = read_numbers(file, name, 3 * count);
  std::vector<Vec3> vectors(count);
  for (std::size_t i = 0; i < count; ++i) vectors[i] = Vec3(numbers.data() + 3 * i);
  return vectors;
}

void read_contacts(hid_t file, Checkpoint& checkpoint) {
  checkpoint.has_memory = hdf5::exists(file, "contact_names");
  if (!checkpoint.has_memory) return;
  const hdf5::Dataset dataset(H5Dopen2(file, "contact_names", H5P_DEFAULT), "contact_names");
  const hdf5::Shape shape = hdf5::shape_of(dataset.get());
  if (shape.size() != 2 || shape[1] != 3) throw hdf5::Hdf5Error("contact_names: wrong shape");
  hdf5::demand_plausible(dataset.get(), "contact_names");
  const std::size_t count = shape[0];
  std::vector<std::int64_t> names(3 * count);
  if (count > 0)
    hdf5::check(
        H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()),
        "contact_names");
  const std::vector<double> numbers = read_numbers(file, "contact_values", kContactValues * count);
  std::vector<double> moments(3 * count);
  if (hdf5::exists(file, "contact_moments"))
    moments = read_numbers(file, "contact_moments", 3 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const double* value = numbers.data() + kContactValues * k;
    checkpoint.memory.contacts.push_back(
        {names[3 * k], names[3 * k + 1], Vec3(value), Vec3(value + 3), value[9], Vec3(value + 6),
         static_cast<geometry::FeatureId>(names[3 * k + 2]), Vec3(moments.data() + 3 * k)});
  }
  if (!hdf5::exists(file, "search")) return;
  const hdf5::Dataset search(H5Dopen2(file, "search", H5P_DEFAULT), "search");
  const std::size_t rows = rows_of(search.get());
  detail::take_search_rows(read_numbers(file, "search", detail::kSearchValues * rows),
                           checkpoint.memory);
}

Checkpoint read_content(hid_t file) {
  if (hdf5::read_attribute(file, "format", "") != kStateFormat)
    throw hdf5::Hdf5Error("this HDF5 file is no state");
  const hdf5::Dataset position(H5Dopen2(file, "position", H5P_DEFAULT), "position");
  hdf5::demand_plausible(position.get(), "position");
  const std::size_t count = rows_of(position.get());
  Checkpoint checkpoint;
  model::State& state = checkpoint.state;
  state.time = read_numbers(file, "time", 1)[0];
  state.position = read_vectors(file, "position", count);
  state.velocity = read_vectors(file, "velocity", count);
  state.angular_velocity = read_vectors(file, "angular_velocity", count);
  const std::vector<double> q = read_numbers(file, "orientation", 4 * count);
  for (std::size_t i = 0; i < count; ++i)
    state.orientation.emplace_back(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]);
  if (hdf5::exists(file, "presence"))
    for (const double code : read_numbers(file, "presence", count)) {
      if (!(code >= 0) || code > static_cast<double>(model::Presence::removed))
        throw hdf5::Hdf5Error("presence: unknown code");
      state.presence.push_back(static_cast<model::Presence>(code));
    }
  checkpoint.step = static_cast<Index>(hdf5::read_number(file, "step", 0));
  checkpoint.pushed_steps = static_cast<Index>(hdf5::read_number(file, "pushed_steps", 0));
  checkpoint.memory.step_size = hdf5::read_number(file, "step_size", 0);
  checkpoint.body_names =
      hdf5::read_texts({H5Dopen2(file, "body_name", H5P_DEFAULT), "body_name"}, "body_name");
  read_contacts(file, checkpoint);
  if (hdf5::exists(file, "internal")) {
    const hdf5::Dataset internal(H5Dopen2(file, "internal", H5P_DEFAULT), "internal");
    take_internal(read_numbers(file, "internal", rows_of(internal.get())),
                  hdf5::read_attribute(internal.get(), detail::kVariablesAttribute, ""),
                  checkpoint);
  }
  return checkpoint;
}

Checkpoint read_last_frame(const fs::path& path) {
  const Reader reader(path);
  const Index frame = reader.frame_count() - 1;
  if (frame < 0)
    throw file_error(path.string(),
                     files::FileLock::is_held(path)
                         ? "another run is writing this record, and it has no frame yet"
                         : "this record has no frame to resume from");
  Checkpoint checkpoint;
  checkpoint.state = reader.frame(frame);
  checkpoint.step = static_cast<Index>(reader.rows("frames/step", frame, 1).values.at(0));
  checkpoint.pushed_steps = static_cast<Index>(reader.attribute("/", "pushed_steps", 0));
  checkpoint.body_names = reader.body_names();
  checkpoint.has_memory = reader.has("contacts/feature");  // records of before have none
  const std::string internal(detail::kInternalDataset);
  if (reader.has(internal) && reader.attribute(internal, "step", -1) == Real(checkpoint.step))
    take_internal(reader.array(internal).values, reader.note(internal, detail::kVariablesAttribute),
                  checkpoint);
  if (!checkpoint.has_memory) return checkpoint;
  checkpoint.memory.contacts = reader.contacts(frame);
  const std::string search(detail::kSearchDataset);
  if (reader.has(search) && reader.attribute(search, "step", -1) == Real(checkpoint.step))
    detail::take_search_rows(reader.array(search).values, checkpoint.memory);
  return checkpoint;
}

}  // namespace

const files::OwnKind& state_kind() {
  static const files::OwnKind kind{
      "a state", [](const fs::path& path) { return kind_of(path) == FileKind::state; }};
  return kind;
}

void write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  const hdf5::QuietErrors quiet;
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
  const hdf5::QuietErrors quiet;
  try {
    const hdf5::File file = hdf5::open_file(path);
    return read_content(file.get());
  } catch (const hdf5::Hdf5Error& error) {
    throw file_error(path.string(), std::string("cannot read the state: ") + error.what());
  }
}

model::State read_state(const fs::path& path) { return read_checkpoint(path).state; }

}  // namespace talus::record
