#include <talus/record/checkpoint.hpp>

#include <array>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/provenance.hpp>
#include <talus/record/reader.hpp>

namespace talus::record {
namespace fs = std::filesystem;
namespace {

void write_content(hid_t file, const model::State& state, const std::vector<std::string>& names) {
  const auto n = static_cast<hsize_t>(state.body_count());
  std::vector<std::array<double, 4>> orientation;
  for (const Quat& q : state.orientation) orientation.push_back({q.w(), q.x(), q.y(), q.z()});
  hdf5::write_attribute(file, "format", std::string(kStateFormat));
  hdf5::write_attribute(file, "state_version", 1LL);
  hdf5::write_attribute(file, "state_hash", to_hex(state.hash()));
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
  hdf5::write_texts(file, "body_name", names, "name of each body");
}

std::vector<double> read_numbers(hid_t file, const char* name, std::size_t count) {
  const hdf5::Dataset dataset(H5Dopen2(file, name, H5P_DEFAULT), name);
  std::size_t size = 1;
  for (const hsize_t extent : hdf5::shape_of(dataset.get())) size *= extent;
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

model::State read_content(hid_t file) {
  if (hdf5::read_attribute(file, "format", "") != kStateFormat)
    throw hdf5::Hdf5Error("not a Talus state file");
  const hdf5::Dataset position(H5Dopen2(file, "position", H5P_DEFAULT), "position");
  const std::size_t count = hdf5::shape_of(position.get()).at(0);
  model::State state;
  state.time = read_numbers(file, "time", 1)[0];
  state.position = read_vectors(file, "position", count);
  state.velocity = read_vectors(file, "velocity", count);
  state.angular_velocity = read_vectors(file, "angular_velocity", count);
  const std::vector<double> q = read_numbers(file, "orientation", 4 * count);
  for (std::size_t i = 0; i < count; ++i)
    state.orientation.emplace_back(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]);
  return state;
}

}  // namespace

void write_state(const fs::path& path, const model::State& state,
                 const std::vector<std::string>& body_names) {
  const hdf5::QuietErrors quiet;
  std::error_code ignored;
  if (fs::exists(path, ignored) && kind_of(path) != FileKind::state)
    throw file_error(path.string(), "this file exists and is not a Talus state: left as it is");
  try {
    hdf5::File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                    "cannot make it");
    write_content(file.get(), state, body_names);
    file.close("cannot write it");
  } catch (const hdf5::Hdf5Error& error) {
    throw file_error(path.string(), std::string("cannot write the state: ") + error.what());
  }
}

model::State read_state(const fs::path& path) {
  const hdf5::QuietErrors quiet;
  try {
    const hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "cannot open it");
    return read_content(file.get());
  } catch (const hdf5::Hdf5Error& error) {
    throw file_error(path.string(), std::string("cannot read the state: ") + error.what());
  }
}

}  // namespace talus::record
