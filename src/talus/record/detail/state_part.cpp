#include <talus/record/detail/state_part.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#include <talus/hdf5/hdf5.hpp>
#include <talus/record/detail/internal_layout.hpp>
#include <talus/record/detail/search_rows.hpp>

namespace talus::record::detail {
namespace {

constexpr hsize_t kContactValues = 10;  ///< numbers of a contact: position, normal, impulse, gap
constexpr hsize_t kContactRows = 4096;  ///< that the file grows by
constexpr const char* kMoments = "contact_moments";
constexpr const char* kLaws = "contact_laws";  ///< what their laws remember

/// Contacts come and go: their datasets grow and shrink in place.
void write_remembered_contacts(hid_t file, const std::string& group,
                               const std::vector<stepping::StepContact>& contacts) {
  std::vector<std::int64_t> names;
  std::vector<double> numbers;
  names.reserve(3 * contacts.size());
  numbers.reserve(kContactValues * contacts.size());
  bool has_moments = false, has_memory = false;
  for (const stepping::StepContact& contact : contacts) {
    names.insert(names.end(),
                 {contact.body_a, contact.body_b, static_cast<std::int64_t>(contact.feature)});
    for (const Vec3* vector : {&contact.position, &contact.normal, &contact.impulse})
      numbers.insert(numbers.end(), vector->data(), vector->data() + 3);
    numbers.push_back(contact.gap);
    has_moments = has_moments || !contact.moment.isZero(0);
    has_memory = has_memory || contact.memory.sticks || contact.memory.impact_rate != 0;
  }
  const auto n = static_cast<hsize_t>(contacts.size());
  const hsize_t rows = std::clamp<hsize_t>(n, 64, kContactRows);
  hdf5::write_over(file, group + "contact_names", H5T_NATIVE_INT64, {n, 3}, names.data(), "1",
                   "body A, body B and feature of each contact of the last step", rows);
  hdf5::write_over(file, group + "contact_values", H5T_NATIVE_DOUBLE, {n, kContactValues},
                   numbers.data(), "SI", "its position (3), normal (3), impulse on B (3) and gap",
                   rows);
  const auto write_if = [&](bool is_there, const char* name, hsize_t width, const auto& numbers_of,
                            const char* unit, const char* meaning) {
    const std::string path = group + name;
    if (!is_there && !hdf5::exists(file, path)) return;
    std::vector<double> all;
    for (const stepping::StepContact& contact : contacts) {
      const auto own = numbers_of(contact);
      all.insert(all.end(), own.begin(), own.end());
    }
    hdf5::write_over(file, path, H5T_NATIVE_DOUBLE, {n, width}, all.data(), unit, meaning, rows);
  };
  write_if(
      has_moments, kMoments, 3,
      [](const stepping::StepContact& of) {
        return std::array<double, 3>{of.moment.x(), of.moment.y(), of.moment.z()};
      },
      "N s m", "its moment impulse on B");
  write_if(
      has_memory, kLaws, 2,
      [](const stepping::StepContact& of) {
        return std::array<double, 2>{of.memory.impact_rate, of.memory.sticks ? 1.0 : 0.0};
      },
      "m/s, 1", "the speed with which a damped compliant contact began; 1: friction held it");
}

void write_motion(hid_t file, const std::string& group, const model::State& state) {
  const auto n = static_cast<hsize_t>(state.body_count());
  const auto write = [&](const char* name, hid_t type, hsize_t width, const void* data,
                         const char* unit, const char* meaning) {
    hdf5::Shape shape{n};
    if (width > 1) shape.push_back(width);
    hdf5::write_over(file, group + name, type, shape, data, unit, meaning);
  };
  const hid_t real = H5T_NATIVE_DOUBLE;
  std::vector<std::array<double, 4>> orientation;
  orientation.reserve(state.orientation.size());
  for (const Quat& q : state.orientation) orientation.push_back({q.w(), q.x(), q.y(), q.z()});
  write("position", real, 3, state.position.data(), "m", "centre of mass, world frame");
  write("orientation", real, 4, orientation.data(), "1",
        "unit quaternion w, x, y, z: body frame to world frame");
  write("velocity", real, 3, state.velocity.data(), "m/s", "of the centre of mass, world frame");
  write("angular_velocity", real, 3, state.angular_velocity.data(), "rad/s", "world frame");
  if (!state.presence.empty())
    write("presence", H5T_NATIVE_UINT8, 1, state.presence.data(), "1",
          "0: the body is there; 1: it waits to come in; 2: it has been taken out");
}

void write_internal(hid_t file, const std::string& path, const model::InternalVariables& internal) {
  const std::vector<double> values = values_of(internal);
  if (values.empty()) {
    if (hdf5::exists(file, path)) hdf5::check(H5Ldelete(file, path.c_str(), H5P_DEFAULT), path);
    return;
  }
  hdf5::write_over(file, path, H5T_NATIVE_DOUBLE, {static_cast<hsize_t>(values.size())},
                   values.data(), "SI", kInternalMeaning);
  const hdf5::Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
  hdf5::write_attribute(dataset.get(), kVariablesAttribute, layout_of(internal));
}

hdf5::Handle<H5Oclose> open_group(hid_t file, const std::string& group) {
  return {H5Oopen(file, group.c_str(), H5P_DEFAULT), group};
}

std::size_t rows_of(hid_t dataset) {
  const hdf5::Shape shape = hdf5::shape_of(dataset);
  return shape.empty() ? 1 : shape[0];
}

std::vector<double> read_numbers(hid_t file, const std::string& name, std::size_t count) {
  const hdf5::Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), name);
  std::size_t size = 1;
  for (const hsize_t extent : hdf5::shape_of(dataset.get())) size *= extent;
  hdf5::demand_plausible(dataset.get(), name);
  if (size != count) throw hdf5::Hdf5Error(name + ": wrong number of entries");
  std::vector<double> numbers(count);
  hdf5::check(
      H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
      name);
  return numbers;
}

std::vector<Vec3> read_vectors(hid_t file, const std::string& name, std::size_t count) {
  const std::vector<double> numbers = read_numbers(file, name, 3 * count);
  std::vector<Vec3> vectors(count);
  for (std::size_t i = 0; i < count; ++i) vectors[i] = Vec3(numbers.data() + 3 * i);
  return vectors;
}

void read_contacts(hid_t file, const std::string& group, Checkpoint& checkpoint) {
  const std::string name = group + "contact_names";
  checkpoint.has_memory = hdf5::exists(file, name);
  if (!checkpoint.has_memory) return;
  const hdf5::Dataset dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), name);
  const hdf5::Shape shape = hdf5::shape_of(dataset.get());
  if (shape.size() != 2 || shape[1] != 3) throw hdf5::Hdf5Error(name + ": wrong shape");
  hdf5::demand_plausible(dataset.get(), name);
  const std::size_t count = shape[0];
  std::vector<std::int64_t> names(3 * count);
  if (count > 0)
    hdf5::check(
        H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()),
        name);
  const std::vector<double> numbers =
      read_numbers(file, group + "contact_values", kContactValues * count);
  const auto read_if = [&](const char* part, std::size_t width) {
    const std::string path = group + part;
    return hdf5::exists(file, path) ? read_numbers(file, path, width * count)
                                    : std::vector<double>(width * count);
  };
  const std::vector<double> moments = read_if(kMoments, 3), laws = read_if(kLaws, 2);
  checkpoint.memory.contacts.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double* value = numbers.data() + kContactValues * k;
    checkpoint.memory.contacts.push_back(
        {names[3 * k], names[3 * k + 1], Vec3(value), Vec3(value + 3), value[9], Vec3(value + 6),
         static_cast<geometry::FeatureId>(names[3 * k + 2]), Vec3(moments.data() + 3 * k)});
    checkpoint.memory.contacts.back().memory = {laws[2 * k], laws[2 * k + 1] != 0};
  }
}

void read_search(hid_t file, const std::string& group, Checkpoint& checkpoint) {
  const std::string name = group + "search";
  if (!checkpoint.has_memory || !hdf5::exists(file, name)) return;
  const hdf5::Dataset search(H5Dopen2(file, name.c_str(), H5P_DEFAULT), name);
  take_search_rows(read_numbers(file, name, kSearchValues * rows_of(search.get())),
                   checkpoint.memory);
}

void read_internal(hid_t file, const std::string& group, Checkpoint& checkpoint) {
  const std::string name = group + "internal";
  if (!hdf5::exists(file, name)) return;
  const hdf5::Dataset internal(H5Dopen2(file, name.c_str(), H5P_DEFAULT), name);
  take_internal(read_numbers(file, name, rows_of(internal.get())),
                hdf5::read_attribute(internal.get(), kVariablesAttribute, ""), checkpoint);
}

}  // namespace

void take_internal(const std::vector<double>& values, const std::string& layout,
                   Checkpoint& checkpoint) {
  if (layout.empty())
    checkpoint.has_memory = false;
  else
    checkpoint.state.internal = internal_variables(values, layout);
}

std::size_t state_part_bytes(const Checkpoint& checkpoint) {
  constexpr std::size_t kBody = sizeof(double) * (13 + kSearchValues) + 1;
  constexpr std::size_t kContact = sizeof(double) * (kContactValues + 8);
  return kBody * checkpoint.state.position.size() +
         kContact * (checkpoint.memory.contacts.size() + kContactRows) +
         sizeof(double) * values_of(checkpoint.state.internal).size();
}

void write_state_part(hid_t file, const std::string& group, const Checkpoint& checkpoint) {
  const auto object = open_group(file, group);
  hdf5::write_attribute(object.get(), "step", static_cast<long long>(checkpoint.step));
  hdf5::write_attribute(object.get(), "step_size",
                        static_cast<double>(checkpoint.memory.step_size));
  if (const auto& machines = checkpoint.memory.energy; !machines.empty()) {
    std::vector<double> energy;
    for (const stepping::EnergyMemory& one : machines)
      energy.insert(energy.end(), {one.lowest, one.largest});
    hdf5::write_over(file, group + "energy", H5T_NATIVE_DOUBLE, {machines.size(), 2}, energy.data(),
                     "J", "of each passive machine: lowest since it may have risen, largest sum");
  }
  const model::State& state = checkpoint.state;
  hdf5::write_over(file, group + "time", H5T_NATIVE_DOUBLE, {1}, &state.time, "s",
                   "simulated time");
  write_motion(file, group, state);
  write_internal(file, group + "internal", state.internal);
  if (!checkpoint.has_memory) return;
  write_remembered_contacts(file, group, checkpoint.memory.contacts);
  const std::vector<double> search = search_rows(checkpoint.memory);
  hdf5::write_over(file, group + "search", H5T_NATIVE_DOUBLE,
                   {search.size() / kSearchValues, kSearchValues}, search.data(), "SI",
                   kSearchMeaning);
}

Checkpoint read_state_part(hid_t file, const std::string& group) {
  const std::string first = group + "position";
  const hdf5::Dataset position(H5Dopen2(file, first.c_str(), H5P_DEFAULT), first);
  hdf5::demand_plausible(position.get(), first);
  const std::size_t count = rows_of(position.get());
  Checkpoint checkpoint;
  model::State& state = checkpoint.state;
  state.time = read_numbers(file, group + "time", 1)[0];
  state.position = read_vectors(file, first, count);
  state.velocity = read_vectors(file, group + "velocity", count);
  state.angular_velocity = read_vectors(file, group + "angular_velocity", count);
  const std::vector<double> q = read_numbers(file, group + "orientation", 4 * count);
  for (std::size_t i = 0; i < count; ++i)
    state.orientation.emplace_back(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]);
  if (hdf5::exists(file, group + "presence"))
    for (const double code : read_numbers(file, group + "presence", count)) {
      if (!(code >= 0) || code > static_cast<double>(model::Presence::removed))
        throw hdf5::Hdf5Error("presence: unknown code");
      state.presence.push_back(static_cast<model::Presence>(code));
    }
  const auto object = open_group(file, group);
  checkpoint.step = static_cast<Index>(hdf5::read_number(object.get(), "step", 0));
  checkpoint.memory.step_size = hdf5::read_number(object.get(), "step_size", 0);
  if (const std::string energy = group + "energy"; hdf5::exists(file, energy)) {
    const hdf5::Dataset machines(H5Dopen2(file, energy.c_str(), H5P_DEFAULT), energy);
    hdf5::demand_plausible(machines.get(), energy);
    const std::size_t rows = rows_of(machines.get());
    const std::vector<double> values = read_numbers(file, energy, 2 * rows);
    for (std::size_t i = 0; i < rows; ++i)
      checkpoint.memory.energy.push_back({values[2 * i], values[2 * i + 1]});
  }
  read_contacts(file, group, checkpoint);
  read_search(file, group, checkpoint);
  read_internal(file, group, checkpoint);
  return checkpoint;
}

}  // namespace talus::record::detail
