#include <talus/exchange/detail/hdf5_file.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/hdf5/open_file.hpp>

namespace talus::exchange::detail {
namespace {

/// Most numbers that one dataset may hold: 2 GiB of doubles.
constexpr hsize_t kLargestCount = hsize_t{1} << 28;

const char* class_name(H5T_class_t type) {
  switch (type) {
    case H5T_INTEGER:
      return "integers";
    case H5T_FLOAT:
      return "floating-point numbers";
    case H5T_STRING:
      return "strings";
    case H5T_COMPOUND:
      return "compound values";
    default:
      return "values of another type";
  }
}

std::string format_of(const std::string& what) { return "talus-" + what; }

}  // namespace

Reader::Reader(std::string file) : file_(std::move(file)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file_, ignored);
  if (!std::filesystem::exists(status)) throw file_error(file_, "no such file");
  if (std::filesystem::is_directory(status))
    throw file_error(file_, "expected a problem file, got a directory");
  if (H5Fis_hdf5(file_.c_str()) <= 0)
    throw file_error(file_,
                     "expected an HDF5 file, got something else or a file that cannot be read",
                     "problem files are in FCLIB's HDF5 format");
  try {
    handle_ = hdf5::open_file(file_);
  } catch (const hdf5::Hdf5Error& error) {
    throw file_error(
        file_, std::string("the HDF5 file is truncated, damaged, or open for writing elsewhere: ") +
                   error.what());
  }
}

void Reader::fail(const std::string& path, const std::string& message,
                  const std::string& hint) const {
  Diagnostic diagnostic;  // member by member: g++ 12 destroys aggregates twice if memory runs out
  diagnostic.position.file = file_;
  diagnostic.path = path;
  diagnostic.message = message;
  diagnostic.hint = hint;
  throw InputError(std::move(diagnostic));
}

bool Reader::has(const std::string& path) const {
  // A link may lead nowhere.
  return hdf5::exists(handle_.get(), path) &&
         H5Oexists_by_name(handle_.get(), path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Reader::root_names() const {
  try {
    return hdf5::root_names(handle_.get());
  } catch (const hdf5::Hdf5Error&) {
    throw file_error(file_, "the HDF5 file is damaged");
  }
}

hdf5::Dataset Reader::open(const std::string& path, hsize_t& count, H5T_class_t& type) const {
  if (!has(path)) fail(path, "expected a dataset, found nothing of this name");
  hdf5::Dataset dataset(H5Dopen2(handle_.get(), path.c_str(), H5P_DEFAULT));
  if (!dataset.is_valid()) fail(path, "expected a dataset, got a group or something damaged");
  const hdf5::Space space(H5Dget_space(dataset.get()));
  const hdf5::Type datatype(H5Dget_type(dataset.get()));
  if (!space.is_valid() || !datatype.is_valid()) fail(path, "the dataset is damaged");
  if (H5Sget_simple_extent_ndims(space.get()) > 1)
    fail(path, fmt::format("expected one row of numbers, got an array of {} dimensions",
                           H5Sget_simple_extent_ndims(space.get())));
  const hssize_t points = H5Sget_simple_extent_npoints(space.get());
  if (points < 0) fail(path, "the dataset is damaged");
  count = static_cast<hsize_t>(points);
  if (count > kLargestCount)
    fail(path, fmt::format("expected at most {} numbers, got {}", kLargestCount, count));
  try {
    hdf5::demand_plausible(dataset.get(), path);
  } catch (const hdf5::Hdf5Error&) {
    fail(path, "more numbers are declared than the file can hold");
  }
  type = H5Tget_class(datatype.get());
  if (count > 0 && H5Dget_storage_size(dataset.get()) == 0)
    fail(path, fmt::format("{} numbers are declared but none was ever written", count));
  return dataset;
}

std::vector<std::int64_t> Reader::read_integers(const std::string& path) const {
  hsize_t count = 0;
  H5T_class_t type = H5T_NO_CLASS;
  const hdf5::Dataset dataset = open(path, count, type);
  if (type != H5T_INTEGER) fail(path, fmt::format("expected integers, got {}", class_name(type)));
  std::vector<std::int64_t> values(count);
  if (H5Dread(dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(path, "the numbers cannot be read: the file is damaged");
  return values;
}

std::int64_t Reader::read_integer(const std::string& path) const {
  const auto values = read_integers(path);
  if (values.size() != 1) fail(path, fmt::format("expected one integer, got {}", values.size()));
  return values.front();
}

VecX Reader::read_reals(const std::string& path) const {
  hsize_t count = 0;
  H5T_class_t type = H5T_NO_CLASS;
  const hdf5::Dataset dataset = open(path, count, type);
  if (type != H5T_FLOAT)
    fail(path, fmt::format("expected floating-point numbers, got {}", class_name(type)));
  VecX values(static_cast<Index>(count));
  if (H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    fail(path, "the numbers cannot be read: the file is damaged");
  return values;
}

files::OwnKind own_kind(const std::string& what) {
  return {"a " + what, [format = format_of(what)](const std::filesystem::path& path) {
            const hdf5::Session session;
            if (H5Fis_hdf5(path.c_str()) <= 0) return false;
            try {
              const hdf5::File file = hdf5::open_file(path, hdf5::Need::root_attributes);
              return hdf5::read_attribute(file.get(), "format", "") == format;
            } catch (const hdf5::Hdf5Error&) {
              return false;
            }
          }};
}

Writer::Writer(const std::string& file, const char* what)
    : file_(file), output_(file, own_kind(what)), handle_(hdf5::file_in_memory()) {
  hdf5::write_attribute(handle_.get(), "format", format_of(what));
}

void Writer::make_group(const std::string& path) {
  const hdf5::Group group(
      H5Gcreate2(handle_.get(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!group.is_valid()) throw file_error(file_, "cannot write group " + path);
}

void Writer::write(const std::string& path, hid_t type, hid_t memory_type, hsize_t count,
                   const void* data) {
  const hdf5::Space space(H5Screate_simple(1, &count, nullptr));
  const hdf5::Dataset dataset(H5Dcreate2(handle_.get(), path.c_str(), type, space.get(),
                                         H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  if (!dataset.is_valid() ||
      (count > 0 && H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0))
    throw file_error(file_, "cannot write dataset " + path, "is the disk full?");
}

void Writer::write(const std::string& path, int value) {
  write(path, H5T_STD_I32LE, H5T_NATIVE_INT, 1, &value);
}
void Writer::write(const std::string& path, const std::vector<int>& values) {
  write(path, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), values.data());
}
void Writer::write(const std::string& path, const VecX& values) {
  write(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, static_cast<hsize_t>(values.size()),
        values.data());
}
void Writer::write(const std::string& path, const std::string& text) {
  const std::string stored = text.empty() ? std::string(1, '\0') : text;
  const hdf5::Type type = hdf5::text_type(stored.size());
  write(path, type.get(), type.get(), 1, stored.data());
}

void Writer::close() {
  const std::string bytes = hdf5::take_bytes(std::move(handle_));
  output_.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  output_.commit();
}

}  // namespace talus::exchange::detail
