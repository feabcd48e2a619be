#include <talus/hdf5/hdf5.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <string_view>

#include <talus/hdf5/file_access.hpp>
#include <talus/hdf5/heap_text.hpp>
#include <talus/hdf5/superblock.hpp>

namespace talus::hdf5 {
namespace {

/// HDF5's own tidying up at the end of the program complains, loops or crashes after damaged files
/// and files that could not be written to their end. Our handles close themselves.
const herr_t no_tidying_at_exit = H5dont_atexit();

/// Names are sorted here: where HDF5 1.10 sorts those of a large group and one of them is damaged,
/// it gives back memory that it never took.
constexpr H5_iter_order_t kUnsorted = H5_ITER_NATIVE;

/// What a callback does, for a C library that no exception may pass.
template <class Task>
herr_t without_exceptions(const Task& task) noexcept {
  try {
    task();
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

/// What a failure of the system means: of "file read failed: time = …, error message = 'Is a
/// directory', buf = …" the first part and the message.
std::string without_details(const std::string& description) {
  constexpr std::string_view kMark = "error message = '";
  const std::size_t details = description.find(": time = ");
  const std::size_t mark = description.find(kMark);
  if (details == std::string::npos || mark == std::string::npos) return description;
  const std::size_t begin = mark + kMark.size();
  return description.substr(0, details) + ": " +
         description.substr(begin, description.find('\'', begin) - begin);
}

std::recursive_mutex& turn_of_all() {
  static std::recursive_mutex turn;
  return turn;
}

herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* text) {
  return without_exceptions([&] {
    if (error->desc != nullptr) *static_cast<std::string*>(text) = without_details(error->desc);
  });
}

void write_scalar_attribute(hid_t object, const char* name, hid_t type, const void* data) {
  if (H5Aexists(object, name) > 0) check(H5Adelete(object, name), name);
  const Space space(H5Screate(H5S_SCALAR), name);
  const Attribute attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                            name);
  check(H5Awrite(attribute.get(), type, data), name);
}

void describe(hid_t dataset, const char* unit, const char* meaning) {
  write_attribute(dataset, "unit", std::string(unit));
  write_attribute(dataset, "meaning", std::string(meaning));
}

/// Most bytes of an attribute's text: object headers hold less than 64 KiB.
constexpr std::size_t kLongestAttribute = 60'000;

void write_text_block(hid_t file, const std::string& path, const Shape& shape,
                      std::span<const std::string> texts, const char* meaning) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string block;
  for (const std::string& text : texts) {
    block += text;
    block.append(width - text.size(), '\0');
  }
  write_array(file, path, text_type(width).get(), shape, block.data(), "none", meaning);
}

/// Each chunk that was written takes some bytes; HDF5 visits also those that were not, one by one.
double chunk_count(hid_t dataset, const Shape& shape, const std::string& path) {
  const Properties creation(H5Dget_create_plist(dataset), path);
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return 1;
  Shape chunk(shape.size());
  const int rank = H5Pget_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  if (rank != static_cast<int>(shape.size())) throw Hdf5Error(path + ": damaged chunks");
  double count = 1;
  for (std::size_t k = 0; k < shape.size(); ++k)
    count *= std::ceil(static_cast<double>(shape[k]) / static_cast<double>(chunk[k]));
  return count;
}

/// The number of an attribute's elements.
hssize_t points_of(const Attribute& attribute) {
  const Space space(H5Aget_space(attribute.get()));
  return space.is_valid() ? H5Sget_simple_extent_npoints(space.get()) : -1;
}

}  // namespace

void throw_hdf5_error(const std::string& what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_innermost, &reason);
  throw Hdf5Error(reason.empty() ? what : what + ": " + reason);
}

Session::Session() : turn_(turn_of_all()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

Type text_type(std::size_t size) {
  Type type(H5Tcopy(H5T_C_S1), "string type");
  check(H5Tset_size(type.get(), size), "string size");
  if (size != H5T_VARIABLE) check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "string padding");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "string encoding");
  return type;
}

void write_attribute(hid_t object, const char* name, const std::string& text) {
  std::string stored = text.substr(0, kLongestAttribute);
  if (stored.empty()) stored = std::string(1, '\0');
  write_scalar_attribute(object, name, text_type(stored.size()).get(), stored.data());
}

void write_attribute(hid_t object, const char* name, double number) {
  write_scalar_attribute(object, name, H5T_NATIVE_DOUBLE, &number);
}

void write_attribute(hid_t object, const char* name, long long number) {
  write_scalar_attribute(object, name, H5T_NATIVE_LLONG, &number);
}

std::string read_attribute(hid_t object, const char* name, const std::string& fallback) {
  if (H5Aexists(object, name) <= 0) return fallback;
  const Attribute attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  const Type type(H5Aget_type(attribute.get()), name);
  if (H5Tget_class(type.get()) != H5T_STRING) return fallback;
  if (H5Tis_variable_str(type.get()) > 0) {
    const auto read = [&](hid_t place, void* data) {
      return H5Aread(attribute.get(), place, data);
    };
    return points_of(attribute) == 1 ? read_heap_texts(attribute.get(), 1, read).front() : fallback;
  }
  if (points_of(attribute) != 1) return fallback;
  std::string text(H5Tget_size(type.get()), '\0');
  check(H5Aread(attribute.get(), type.get(), text.data()), name);
  text.resize(std::strlen(text.c_str()));
  return text;
}

double read_number(hid_t object, const char* name, double fallback) {
  if (H5Aexists(object, name) <= 0) return fallback;
  const Attribute attribute(H5Aopen(object, name, H5P_DEFAULT), name);
  if (points_of(attribute) != 1) return fallback;
  double number = fallback;
  return H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &number) < 0 ? fallback : number;
}

Properties checked_access() {
  Properties access(H5Pcreate(H5P_FILE_ACCESS), "file properties");
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST), "file properties");
  return access;
}

File file_in_memory() {
  constexpr std::size_t kGrowth = 1 << 16;
  const Properties access = checked_access();
  check(H5Pset_fapl_core(access.get(), kGrowth, false), "file properties");
  return {H5Fcreate("talus", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "file in memory"};
}

std::string take_bytes(File file) {
  check(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "file in memory");
  const ssize_t size = H5Fget_file_image(file.get(), nullptr, 0);
  std::string bytes(static_cast<std::size_t>(std::max<ssize_t>(0, size)), '\0');
  if (size < 0 || H5Fget_file_image(file.get(), bytes.data(), bytes.size()) < 0)
    throw_hdf5_error("file in memory");
  renew_superblock_checksum(bytes);
  return bytes;
}

Properties with_parents() {
  Properties links(H5Pcreate(H5P_LINK_CREATE), "link properties");
  check(H5Pset_create_intermediate_group(links.get(), 1), "link properties");
  return links;
}

void write_array(hid_t file, const std::string& path, hid_t type, const Shape& shape,
                 const void* data, const char* unit, const char* meaning) {
  constexpr hsize_t kCompressFrom = 4096, kChunk = 512 * 1024;  // bytes
  hsize_t count = 1;
  for (const hsize_t extent : shape) count *= extent;
  const Space space(shape.empty()
                        ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                    path);
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), path);
  const hsize_t bytes = count * H5Tget_size(type);
  if (bytes >= kCompressFrom && !shape.empty()) {
    Shape chunk = shape;
    chunk[0] = std::clamp<hsize_t>(kChunk / (bytes / shape[0]), 1, shape[0]);
    check(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()), path);
    check(H5Pset_shuffle(creation.get()), path);
    check(H5Pset_deflate(creation.get(), 3), path);
  }
  const Properties links = with_parents();
  const Dataset dataset(
      H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT),
      path);
  if (count > 0) check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
  describe(dataset.get(), unit, meaning);
}

void write_over(hid_t file, const std::string& path, hid_t type, const Shape& shape,
                const void* data, const char* unit, const char* meaning, hsize_t chunk_rows) {
  const auto write = [&](const Dataset& dataset) {
    if (shape[0] > 0)
      check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
  };
  if (exists(file, path)) {
    const Dataset dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), path);
    if (chunk_rows > 0) check(H5Dset_extent(dataset.get(), shape.data()), path);
    if (shape_of(dataset.get()) == shape) return write(dataset);
    check(H5Ldelete(file, path.c_str(), H5P_DEFAULT), path);
  }
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), path);
  Shape most = shape;
  if (chunk_rows > 0) {
    most[0] = H5S_UNLIMITED;
    Shape chunk = shape;
    chunk[0] = chunk_rows;
    check(H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data()), path);
  }
  const Space space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most.data()),
                    path);
  const Properties links = with_parents();
  const Dataset dataset(
      H5Dcreate2(file, path.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT),
      path);
  write(dataset);
  describe(dataset.get(), unit, meaning);
}

void write_text(hid_t file, const std::string& path, const std::string& text, const char* meaning) {
  write_text_block(file, path, {}, std::span(&text, 1), meaning);
}

void write_texts(hid_t file, const std::string& path, std::span<const std::string> texts,
                 const char* meaning) {
  write_text_block(file, path, {texts.size()}, texts, meaning);
}

bool exists(hid_t file, const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    if (H5Lexists(file, path.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> root_names(hid_t file) {
  const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    return without_exceptions(
        [&] { static_cast<std::vector<std::string>*>(list)->emplace_back(name); });
  };
  std::vector<std::string> names;
  check(H5Literate(file, H5_INDEX_NAME, kUnsorted, nullptr, collect, &names), "list of groups");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> dataset_names(hid_t file) {
  const auto collect = [](hid_t, const char* name, const H5O_info_t* info, void* list) -> herr_t {
    return without_exceptions([&] {
      if (info->type == H5O_TYPE_DATASET)
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    });
  };
  std::vector<std::string> names;
  check(H5Ovisit2(file, H5_INDEX_NAME, kUnsorted, collect, &names, H5O_INFO_BASIC),
        "list of datasets");
  std::sort(names.begin(), names.end());
  return names;
}

Shape shape_of(hid_t dataset) {
  const Space space(H5Dget_space(dataset), "shape");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank < 0) throw_hdf5_error("shape");
  Shape shape(static_cast<std::size_t>(std::max(0, rank)));
  check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), "shape");
  return shape;
}

void demand_plausible(hid_t dataset, const std::string& path) {
  constexpr double kDeflate = 1100;  // zlib reaches 1032
  constexpr double kUnwritten = 1 << 24;
  const File file(H5Iget_file_id(dataset), path);
  const Type type(H5Dget_type(dataset), path);
  hsize_t file_size = 0;
  check(H5Fget_filesize(file.get(), &file_size), path);
  const Shape shape = shape_of(dataset);
  auto bytes = static_cast<double>(H5Tget_size(type.get()));
  for (const hsize_t extent : shape) bytes *= static_cast<double>(extent);
  const bool fits = bytes <= kDeflate * static_cast<double>(file_size) + kUnwritten;
  if (!fits || chunk_count(dataset, shape, path) > static_cast<double>(file_size))
    throw Hdf5Error(path + ": more is declared than the file can hold");
}

std::vector<std::string> read_texts(const Dataset& dataset, const std::string& path) {
  const Type type(H5Dget_type(dataset.get()), path);
  if (H5Tget_class(type.get()) != H5T_STRING) throw Hdf5Error(path + ": not a text");
  const Space space(H5Dget_space(dataset.get()), path);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  std::vector<std::string> texts;
  if (count <= 0) return texts;
  demand_plausible(dataset.get(), path);
  if (H5Tis_variable_str(type.get()) > 0) {
    return read_heap_texts(
        dataset.get(), static_cast<std::size_t>(count), [&](hid_t place, void* data) {
          return H5Dread(dataset.get(), place, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
        });
  }
  const std::size_t size = H5Tget_size(type.get());
  std::string block(size * static_cast<std::size_t>(count), '\0');
  check(H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, block.data()), path);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::string padded = block.substr(i * size, size);
    texts.emplace_back(padded.c_str());
  }
  return texts;
}

}  // namespace talus::hdf5
